import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Supplier } from '../../../../src/console-api/suppliers/contract.ts'
import { useApi } from '../../api.ts'
import { EmptyState } from '../../parts/lists/data-table.tsx'
import { useFilter, useIdParam } from '../../parts/lists/filters.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { CountText } from '../../parts/values/numbers.tsx'
import { Page, PageWait } from '../../parts/page.tsx'
import { useCan, useIsManager, useMe } from '../../parts/session.tsx'
import { Ago, Time } from '../../parts/values/time.tsx'
import { useVisit } from '../../parts/visits.ts'
import { UnreadPage } from '../../parts/unknown-page.tsx'
import { AccountPanel } from './account-panel.tsx'
import { AlertsPanel } from './alerts-panel.tsx'
import { CertificationPanel } from './certification-panel.tsx'
import { ExportsPanel } from './exports-panel.tsx'
import { GoLiveState } from './go-live-state.tsx'
import { GuardPanel } from './guard-panel.tsx'
import { KeyPanel } from './key-panel.tsx'
import { NewKey } from './new-key.tsx'
import { PeoplePanel } from './people-panel.tsx'
import { daysLookedAt, PushHealth } from './push-health.tsx'
import { RecentCalls } from './recent-calls.tsx'
import classes from './suppliers.module.css'

/** How often circuits and last uses are refreshed. */
const everyMs = 15_000

export function SupplierPage() {
  const { t } = useTranslation()
  const supplierId = useIdParam('supplierId')
  const { data, error, refetch } = useApi('getSupplier', { params: { supplierId } }, { everyMs })
  useVisit(data?.supplier.name)
  const crumbs = useCan('viewer')
    ? [
        <LinkTo key="suppliers" to="/suppliers">
          {t('suppliers.title')}
        </LinkTo>,
      ]
    : []
  if (data) return <SupplierContent supplier={data.supplier} crumbs={crumbs} />
  if (error)
    return (
      <UnreadPage
        what="supplier"
        title={t('suppliers.supplierTitle')}
        crumbs={crumbs}
        error={error}
        onRetry={() => void refetch()}
      />
    )
  return (
    <Page title={t('suppliers.supplierTitle')} crumbs={crumbs}>
      <PageWait />
    </Page>
  )
}

function SupplierContent({ supplier, crumbs }: { supplier: Supplier; crumbs: React.ReactNode[] }) {
  const { environment, supplier: own } = useMe()
  const isOperator = own === null
  const { t } = useTranslation()
  const of = { supplierId: String(supplier.supplierId) }
  return (
    <Page
      title={supplier.name}
      crumbs={crumbs}
      actions={
        <Group gap="md">
          <LinkTo to="/hotels" search={of} size="sm">
            {t('suppliers.facts.toHotels')}
          </LinkTo>
          <LinkTo to="/calendars" search={of} size="sm">
            {t('suppliers.facts.toCalendar')}
          </LinkTo>
          <LinkTo to="/pushes" search={of} size="sm">
            {t('suppliers.facts.toPushes')}
          </LinkTo>
          {isOperator && (
            <LinkTo to="/audit" search={of} size="sm">
              {t('suppliers.facts.toAudit')}
            </LinkTo>
          )}
          {environment === 'sandbox' && (
            <LinkTo to="/sandbox" search={{ supplierId: of.supplierId }} size="sm">
              {t('suppliers.facts.toSandbox')}
            </LinkTo>
          )}
        </Group>
      }
    >
      <div className={classes['columns']}>
        <Stack gap="lg">
          <Keys supplier={supplier} />
          <PeoplePanel supplierId={supplier.supplierId} />
          <ExportsPanel supplierId={supplier.supplierId} />
          <CertificationPanel supplierId={supplier.supplierId} isLive={supplier.goLive.open > 0} />
          <RecentCalls supplierId={supplier.supplierId} calls={supplier.calls} />
        </Stack>
        <Stack gap="lg">
          <SummarySection supplier={supplier} />
          <AccountPanel supplier={supplier} />
          {isOperator && <GuardPanel supplierId={supplier.supplierId} />}
          {isOperator && <AlertsPanel supplierId={supplier.supplierId} />}
        </Stack>
      </div>
    </Page>
  )
}

function SummarySection({
  supplier: { supplierId, createdAt, hotels, goLive, pushes },
}: {
  supplier: Supplier
}) {
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
        <dt>{t('suppliers.goLive.title')}</dt>
        <dd>
          <GoLiveState supplierId={supplierId} goLive={goLive} />
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
              <PushHealth supplierId={supplierId} pushes={pushes} />
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
  const [sought] = useFilter('key')
  const [isUnfolded, setUnfolded] = useState<boolean>()
  const active = supplier.keys.filter(({ status }) => status === 'active')
  const ended = supplier.keys.filter(({ status }) => status !== 'active')
  const count = ended.length
  // A link may ask for one of them.
  const showsEnded = isUnfolded ?? ended.some(({ keyId }) => String(keyId) === sought)
  const isAdmin = useCan('admin')
  const isManager = useIsManager()
  const { managedKeysMax: max } = supplier.account
  const hasRoom = active.length < max
  return (
    <section aria-labelledby="keys">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="keys">
          {t('suppliers.keys.title')}
        </Title>
        {(isAdmin || (isManager && hasRoom)) && (
          <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setCreating(true)}>
            {t('suppliers.keys.create')}
          </Button>
        )}
      </Group>
      <Stack gap="sm">
        {isManager && !hasRoom && max > 0 && (
          <Text size="sm" c="dimmed">
            {t('suppliers.keys.enough', { count: max })}
          </Text>
        )}
        {active.length === 0 && (
          <EmptyState
            title={t(count === 0 ? 'suppliers.keys.none' : 'suppliers.keys.noneActive')}
            hint={t('suppliers.keys.noneHint')}
          />
        )}
        {active.map((supplierKey) => (
          <KeyPanel key={supplierKey.keyId} supplier={supplier} supplierKey={supplierKey} />
        ))}
        {count > 0 && (
          <div>
            <Button variant="subtle" aria-expanded={showsEnded} onClick={() => setUnfolded(!showsEnded)}>
              {showsEnded ? t('suppliers.keys.hideEnded') : t('suppliers.keys.showEnded', { count })}
            </Button>
          </div>
        )}
        {showsEnded &&
          ended.map((supplierKey) => (
            <KeyPanel key={supplierKey.keyId} supplier={supplier} supplierKey={supplierKey} />
          ))}
      </Stack>
      {isCreating && <NewKey supplierId={supplier.supplierId} onClose={() => setCreating(false)} />}
    </section>
  )
}
