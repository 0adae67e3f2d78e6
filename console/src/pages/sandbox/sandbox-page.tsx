import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import { EmptyState } from '../../parts/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useFilter } from '../../parts/filters.tsx'
import { ButtonTo } from '../../parts/link-to.tsx'
import { PageWait } from '../../parts/page-wait.tsx'
import { Page } from '../../parts/page.tsx'
import { useCan, useMe } from '../../parts/session.tsx'
import { CallsPanel } from './calls-panel.tsx'
import { ClockPanel } from './clock-panel.tsx'
import { ExamplePanel } from './example-panel.tsx'
import { FaultsPanel } from './faults-panel.tsx'
import { BookingPanel } from './booking-panel.tsx'
import classes from './sandbox.module.css'
import { SupplierChoice } from './supplier-choice.tsx'

export function SandboxPage() {
  const { t } = useTranslation()
  const { environment } = useMe()
  if (environment === 'sandbox') return <Sandbox />
  return (
    <Page title={t('sandbox.title')}>
      <EmptyState title={t('sandbox.production')} hint={t('sandbox.productionHint')} />
    </Page>
  )
}

function Sandbox() {
  const { t } = useTranslation()
  const [named] = useFilter('supplierId')
  const { data, error, refetch } = useApi('listSuppliers', { query: {} })
  const suppliers = data?.suppliers ?? []
  const [only, ...others] = suppliers
  // With only one supplier, there is nothing to choose.
  const chosen = named === '' && only && others.length === 0 ? String(only.supplierId) : named
  const supplierId = /^\d{1,10}$/.test(chosen) ? Number(chosen) : undefined
  return (
    <Page title={t('sandbox.title')} intro={t('sandbox.intro')}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PageWait />}
      {data && suppliers.length === 0 && (
        <EmptyState
          title={t('sandbox.noSuppliers')}
          action={<ButtonTo to="/suppliers">{t('sandbox.toSuppliers')}</ButtonTo>}
        />
      )}
      {suppliers.length > 0 && <SupplierChoice supplierId={supplierId} />}
      {suppliers.length > 0 && supplierId === undefined && (
        <EmptyState title={t('sandbox.noSupplier')} hint={t('sandbox.noSupplierHint')} />
      )}
      {supplierId !== undefined && <Trials key={supplierId} supplierId={supplierId} />}
    </Page>
  )
}

function Trials({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const mayTry = useCan('operator')
  return (
    <div className={classes['columns']}>
      <Stack gap="lg">
        {mayTry ? (
          <>
            <ExamplePanel supplierId={supplierId} />
            <BookingPanel supplierId={supplierId} />
          </>
        ) : (
          <EmptyState title={t('sandbox.mayOnlyLook')} />
        )}
        <FaultsPanel supplierId={supplierId} mayOrder={mayTry} />
        <ClockPanel supplierId={supplierId} mayTry={mayTry} />
      </Stack>
      <CallsPanel supplierId={supplierId} />
    </div>
  )
}
