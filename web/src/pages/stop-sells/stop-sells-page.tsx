import { useTranslation } from 'react-i18next'
import { usePages } from '../../api.ts'
import { DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { ExportCsv } from '../../parts/lists/export-csv.tsx'
import { Filters, HotelFilter, SupplierFilter, useFilter, ViewLinks } from '../../parts/lists/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { useStopSellColumns, useStopSellCsv } from './stop-sells-table.tsx'

const views = ['active', 'ended'] as const
const filterNames = ['supplierId', 'hotelId'] as const
const everyMs = 15_000

/** What operators have stopped from being sold, in all hotels. */
export function StopSellsPage() {
  const { t } = useTranslation()
  const [state] = useFilter('state')
  const [supplierId] = useFilter('supplierId')
  const [hotelId] = useFilter('hotelId')
  const view = views.find((one) => one === state) ?? 'active'
  const query = { state: view, supplierId, hotelId }
  const pages = usePages('searchStopSells', { query }, ({ stopSells }) => stopSells, { everyMs })
  return (
    <Page
      title={t('stopSells.title')}
      intro={t('stopSells.intro')}
      actions={
        <ExportCsv
          list="searchStopSells"
          input={{ query }}
          rowsOf={({ stopSells }) => stopSells}
          columns={useStopSellCsv()}
          file="stop-sells"
        />
      }
    >
      <ViewLinks
        name="state"
        label={t('stopSells.state')}
        views={views.map((value) => ({ value, label: t(`stopSells.states.${value}`) }))}
        current={view}
      />
      <Filters names={filterNames}>
        <SupplierFilter label={t('stopSells.supplier')} />
        <HotelFilter label={t('stopSells.hotel')} />
      </Filters>
      <DataTable
        caption={t('stopSells.title')}
        columns={useStopSellColumns()}
        rowKey={({ stopSellId }) => stopSellId}
        empty={{ title: t('stopSells.none'), hint: t('stopSells.noneHint') }}
        {...tableOf(pages)}
      />
    </Page>
  )
}
