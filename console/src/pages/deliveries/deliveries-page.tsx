import { Checkbox, Group } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePages } from '../../api.ts'
import { DataTable, tableOf } from '../../parts/data-table.tsx'
import { ButtonTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Can, useCan } from '../../parts/session.tsx'
import { useDeliveryColumns } from './delivery-columns.tsx'
import { DeliveryFilters, useDeliveryFilter, viewNames } from './delivery-filters.tsx'
import { maySendAgain } from './delivery-look.ts'
import { SendSelectedAgain, SendMatchingAgain } from './send-again.tsx'
import { ViewLinks } from './view-links.tsx'

/** Refreshed, so that people see resent deliveries arrive. */
const lookEveryMs = 5_000

export function DeliveriesPage() {
  const { t } = useTranslation()
  const { view, query, filter, isNarrowed } = useDeliveryFilter()
  const pages = usePages('searchDeliveries', { query }, (page) => page.deliveries, { everyMs: lookEveryMs })
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const sendable = pages.rows.filter(maySendAgain).map(({ deliveryId }) => deliveryId)
  const chosen = sendable.filter((deliveryId) => marked.has(deliveryId))
  const mark = (ids: readonly string[], isMarked: boolean) =>
    setMarked((before) => {
      const after = new Set(before)
      for (const id of ids) {
        if (isMarked) after.add(id)
        else after.delete(id)
      }
      return after
    })
  const columns = useDeliveryColumns({ view, marked, mark: useCan('operator') ? mark : undefined })
  return (
    <Page title={t('deliveries.title')} intro={t('deliveries.intro')}>
      <ViewLinks
        name="state"
        label={t('deliveries.view')}
        views={viewNames.map((value) => ({ value, label: t(`deliveries.views.${value}`) }))}
        current={view}
      />
      <DeliveryFilters view={view} />
      {sendable.length > 0 && (
        <Can role="operator">
          <Group gap="sm" mb="sm">
            <Checkbox
              label={t('deliveries.chooseAll')}
              checked={chosen.length === sendable.length}
              indeterminate={chosen.length > 0 && chosen.length < sendable.length}
              onChange={(event) => mark(sendable, event.currentTarget.checked)}
            />
            <SendSelectedAgain chosen={chosen} onSent={() => setMarked(new Set())} />
            {filter && <SendMatchingAgain filter={filter} query={query} />}
          </Group>
        </Can>
      )}
      <DataTable
        caption={t('deliveries.title')}
        columns={columns}
        rowKey={({ deliveryId }) => deliveryId}
        {...tableOf(pages)}
        empty={useEmpty(view, isNarrowed)}
      />
    </Page>
  )
}

function useEmpty(view: (typeof viewNames)[number], isNarrowed: boolean) {
  const { t } = useTranslation()
  const action = (
    <ButtonTo to="/deliveries" search={{ state: 'all' }} variant="default">
      {t('deliveries.empty.showAll')}
    </ButtonTo>
  )
  if (isNarrowed)
    return { title: t('deliveries.empty.filtered'), hint: t('deliveries.empty.filteredHint'), action }
  if (view === 'all') return { title: t('deliveries.empty.all'), hint: t('deliveries.empty.allHint') }
  if (view === 'dead')
    return { title: t('deliveries.empty.dead'), hint: t('deliveries.empty.deadHint'), action }
  if (view === 'undelivered')
    return { title: t('deliveries.empty.undelivered'), hint: t('deliveries.empty.undeliveredHint'), action }
  return { title: t('deliveries.empty.filtered'), action }
}
