import { Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { useAlertColumns } from './alerts-table.tsx'

/** A hotel's open alerts; nothing if there are none. */
export function HotelAlerts({ hotelId }: { hotelId: number }) {
  const { t } = useTranslation()
  const columns = useAlertColumns().filter(({ key }) => key !== 'where')
  const { data } = useApi('searchAlerts', { query: { hotelId: String(hotelId) } })
  if (!data || data.alerts.length === 0) return null
  return (
    <section>
      <Title order={2} size="sm" mb="xs">
        {t('alerts.ofHotel')}
      </Title>
      <DataTable
        caption={t('alerts.ofHotel')}
        columns={columns}
        rows={data.alerts}
        rowKey={({ alertId }) => alertId}
        empty={{ title: t('alerts.empty') }}
      />
    </section>
  )
}
