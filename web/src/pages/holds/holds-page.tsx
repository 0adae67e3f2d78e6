import { useTranslation } from 'react-i18next'
import type { HoldState } from '../../../../src/ari/guard/holds-contract.ts'
import { usePages } from '../../api.ts'
import { DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { ExportCsv } from '../../parts/lists/export-csv.tsx'
import { Filters, HotelFilter, SupplierFilter, useFilter, ViewLinks } from '../../parts/lists/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { useHoldColumns } from './holds-table.tsx'

const views = ['open', 'released', 'discarded', 'expired', 'replaced'] as const satisfies readonly HoldState[]
const filterNames = ['supplierId', 'hotelId'] as const
const everyMs = 15_000

/** What the guard holds, of all suppliers. */
export function HoldsPage() {
  const { t } = useTranslation()
  const [state] = useFilter('state')
  const [supplierId] = useFilter('supplierId')
  const [hotelId] = useFilter('hotelId')
  const view = views.find((one) => one === state) ?? 'open'
  const query = { state: view, supplierId, hotelId }
  const pages = usePages('searchHolds', { query }, ({ holds }) => holds, { everyMs })
  return (
    <Page
      title={t('holds.title')}
      intro={t('holds.intro')}
      actions={
        <ExportCsv
          list="searchHolds"
          input={{ query }}
          rowsOf={({ holds }) => holds}
          columns={[
            [t('pushes.list.at'), ({ at }) => at],
            [t('holds.supplier'), ({ supplier }) => supplier],
            [t('holds.where'), ({ hotelName }) => hotelName],
            [t('pushes.filter.requestId'), ({ requestId }) => requestId],
            [t('pushes.list.cells'), ({ cells }) => cells],
            [t('holds.state'), (hold) => t(`holds.states.${hold.state}`)],
          ]}
          file="holds"
        />
      }
    >
      <ViewLinks
        name="state"
        label={t('holds.state')}
        views={views.map((value) => ({ value, label: t(`holds.states.${value}`) }))}
        current={view}
      />
      <Filters names={filterNames}>
        <SupplierFilter label={t('holds.supplier')} />
        <HotelFilter label={t('holds.where')} />
      </Filters>
      <DataTable
        caption={t('holds.title')}
        columns={useHoldColumns()}
        rowKey={({ holdId }) => holdId}
        empty={{ title: t('holds.empty'), hint: t('holds.emptyHint') }}
        {...tableOf(pages)}
      />
    </Page>
  )
}
