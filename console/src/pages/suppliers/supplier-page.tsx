import { Button, Group, Stack, Title } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Supplier } from '../../../../src/console/suppliers/contract.ts'
import { useApi } from '../../api.ts'
import { EmptyState } from '../../parts/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useIdParam } from '../../parts/ids.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { PageWait } from '../../parts/page-wait.tsx'
import { Page } from '../../parts/page.tsx'
import { Can, useMe } from '../../parts/session.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import { AccountPanel } from './account-panel.tsx'
import { CountText } from './count-text.tsx'
import { KeyPanel } from './key-panel.tsx'
import { NewKey } from './new-key.tsx'
import { daysLookedAt, PushHealth } from './push-health.tsx'
import { RecentCalls } from './recent-calls.tsx'
import classes from './suppliers.module.css'

/** How often circuits and last uses are refreshed. */
const everyMs = 15_000

export function SupplierPage() {
  const { t } = useTranslation()
  const supplierId = useIdParam('supplierId')
  const { data, error, refetch } = useApi('getSupplier', { params: { supplierId } }, { everyMs })
  const crumbs = [
    <LinkTo key="suppliers" to="/suppliers">
      {t('suppliers.title')}
    </LinkTo>,
  ]
  if (data) return <SupplierContent supplier={data.supplier} crumbs={crumbs} />
  return (
    <Page title={t('suppliers.supplierTitle')} crumbs={crumbs}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <PageWait />}
    </Page>
  )
}

function SupplierContent({ supplier, crumbs }: { supplier: Supplier; crumbs: React.ReactNode[] }) {
  const { environment } = useMe()
  const { t } = useTranslation()
  const of = { supplierId: String(supplier.supplierId) }
  return (
    <Page
      title={supplier.name}
      crumbs={crumbs}
      actions={
        <>
          <LinkTo to="/hotels" search={of} size="sm">
            {t('suppliers.facts.toHotels')}
          </LinkTo>
          <LinkTo to="/pushes" search={of} size="sm">
            {t('suppliers.facts.toPushes')}
          </LinkTo>
          {environment === 'sandbox' && (
            <LinkTo to="/sandbox" search={{ supplierId: of.supplierId }} size="sm">
              {t('suppliers.facts.toSandbox')}
            </LinkTo>
          )}
        </>
      }
    >
      <div className={classes['columns']}>
        <Stack gap="lg">
          <Keys supplier={supplier} />
          <RecentCalls supplierId={supplier.supplierId} calls={supplier.calls} />
        </Stack>
        <Stack gap="lg">
          <SummarySection supplier={supplier} />
          <AccountPanel supplier={supplier} />
        </Stack>
      </div>
    </Page>
  )
}

function SummarySection({ supplier: { createdAt, hotels, pushes } }: { supplier: Supplier }) {
  const { t } = useTranslation()
  return (
    <section className={classes['panel']} aria-labelledby="glance">
      <Title order={2} id="glance" mb="xs">
        {t('suppliers.facts.title')}
      </Title>
      <dl className={classes['facts']}>
        <dt>{t('suppliers.facts.hotels')}</dt>
        <dd>
          <CountText of={hotels} />
        </dd>
        <dt>{t('suppliers.facts.lastPush')}</dt>
        <dd>
          {pushes.lastAt === null ? (
            t('suppliers.facts.noPushes', { days: daysLookedAt })
          ) : (
            <Ago at={pushes.lastAt} />
          )}
        </dd>
        {pushes.looked > 0 && (
          <>
            <dt>{t('suppliers.list.failing')}</dt>
            <dd>
              <PushHealth pushes={pushes} />
            </dd>
          </>
        )}
        <dt>{t('suppliers.facts.since')}</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
    </section>
  )
}

function Keys({ supplier }: { supplier: Supplier }) {
  const { t } = useTranslation()
  const [isCreating, setCreating] = useState(false)
  const [showsEnded, setShowsEnded] = useState(false)
  const active = supplier.keys.filter(({ status }) => status === 'active')
  const ended = supplier.keys.filter(({ status }) => status !== 'active')
  const count = ended.length
  return (
    <section aria-labelledby="keys">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="keys">
          {t('suppliers.keys.title')}
        </Title>
        <Can role="admin">
          <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setCreating(true)}>
            {t('suppliers.keys.create')}
          </Button>
        </Can>
      </Group>
      <Stack gap="sm">
        {active.length === 0 && (
          <EmptyState title={t('suppliers.keys.none')} hint={t('suppliers.keys.noneHint')} />
        )}
        {active.map((held) => (
          <KeyPanel key={held.keyId} supplier={supplier} held={held} />
        ))}
        {count > 0 && (
          <div>
            <Button variant="subtle" aria-expanded={showsEnded} onClick={() => setShowsEnded(!showsEnded)}>
              {showsEnded ? t('suppliers.keys.hideEnded') : t('suppliers.keys.showEnded', { count })}
            </Button>
          </div>
        )}
        {showsEnded && ended.map((held) => <KeyPanel key={held.keyId} supplier={supplier} held={held} />)}
      </Stack>
      {isCreating && <NewKey supplierId={supplier.supplierId} onClose={() => setCreating(false)} />}
    </section>
  )
}
