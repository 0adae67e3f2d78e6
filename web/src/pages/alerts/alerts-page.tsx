import { Box, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { findingKinds } from '../../../../src/findings/contract.ts'
import { useApi, usePages } from '../../api.ts'
import { DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { ExportCsv } from '../../parts/lists/export-csv.tsx'
import {
  Filters,
  HotelFilter,
  SelectFilter,
  SupplierFilter,
  useFilter,
  ViewLinks,
} from '../../parts/lists/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { useAlertColumns } from './alerts-table.tsx'
import { MessagesLine } from './messages-line.tsx'

const views = ['open', 'unresolved', 'resolved'] as const
const filterNames = ['supplierId', 'hotelId', 'kind'] as const
const everyMs = 15_000

/** What the service noticed, of all suppliers. */
export function AlertsPage() {
  const { t } = useTranslation()
  const [state] = useFilter('state')
  const [supplierId] = useFilter('supplierId')
  const [hotelId] = useFilter('hotelId')
  const [kind] = useFilter('kind')
  const view = views.find((one) => one === state) ?? 'open'
  const query = {
    state: view,
    supplierId,
    hotelId,
    kind: findingKinds.find((one) => one === kind),
  }
  const pages = usePages('searchAlerts', { query }, ({ alerts }) => alerts, { everyMs })
  return (
    <Page
      title={t('alerts.title')}
      intro={t('alerts.intro')}
      actions={
        <ExportCsv
          list="searchAlerts"
          input={{ query }}
          rowsOf={({ alerts }) => alerts}
          columns={[
            [t('alerts.since'), ({ openedAt }) => openedAt],
            [t('alerts.severityHeader'), ({ severity }) => t(`work.severity.${severity}`)],
            [t('alerts.kind'), (alert) => alert.kind],
            [t('alerts.what'), (alert) => t(`alerts.kinds.${alert.kind}`)],
            [t('alerts.supplier'), ({ supplier }) => supplier],
            [t('alerts.where'), ({ hotelName }) => hotelName ?? ''],
            [t('alerts.count'), ({ count }) => count],
          ]}
          file="alerts"
        />
      }
    >
      <OperatorsChannel />
      <ViewLinks
        name="state"
        label={t('alerts.state')}
        views={views.map((value) => ({ value, label: t(`alerts.views.${value}`) }))}
        current={view}
      />
      <Filters names={filterNames}>
        <SupplierFilter label={t('alerts.supplier')} />
        <HotelFilter label={t('alerts.where')} />
        <SelectFilter
          name="kind"
          label={t('alerts.kind')}
          options={findingKinds.map((value) => ({ value, label: t(`alerts.kinds.${value}`) }))}
        />
      </Filters>
      <DataTable
        caption={t('alerts.title')}
        columns={useAlertColumns()}
        rowKey={({ alertId }) => alertId}
        empty={{ title: t('alerts.empty'), hint: t('alerts.emptyHint') }}
        {...tableOf(pages)}
      />
    </Page>
  )
}

/** Whether the operators' own webhook works. */
function OperatorsChannel() {
  const { t } = useTranslation()
  const { data } = useApi('getOperatorsChannel', {}, { everyMs })
  if (!data) return null
  return (
    <Box mb="sm">
      {data.messages ? (
        <MessagesLine messages={data.messages} />
      ) : (
        <Text size="xs" c="dimmed">
          {t(data.isSet ? 'alerts.channels.operatorsSet' : 'alerts.channels.operatorsNone')}
        </Text>
      )}
    </Box>
  )
}
