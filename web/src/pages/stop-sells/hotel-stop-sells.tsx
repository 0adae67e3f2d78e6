import { Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { useStopSellColumns } from './stop-sells-table.tsx'

const useOfHotel = (hotelId: number) => useApi('searchStopSells', { query: { hotelId: String(hotelId) } })

/** What operators have stopped of a hotel; nothing if nothing is. */
export function HotelStopSells({ hotelId }: { hotelId: number }) {
  const { t } = useTranslation()
  const columns = useStopSellColumns().filter(({ key }) => key !== 'hotel')
  const { data } = useOfHotel(hotelId)
  if (!data || data.stopSells.length === 0) return null
  return (
    <section>
      <Title order={2} size="sm" mb="xs">
        {t('stopSells.ofHotel')}
      </Title>
      <DataTable
        caption={t('stopSells.ofHotel')}
        columns={columns}
        rows={data.stopSells}
        rowKey={({ stopSellId }) => stopSellId}
        empty={{ title: t('stopSells.none') }}
      />
    </section>
  )
}

/** The same beside the title of the hotel's pages, as a link to the list. */
export function StopSellBadge({ hotelId }: { hotelId: number }) {
  const { t } = useTranslation()
  const { data } = useOfHotel(hotelId)
  const count = data?.stopSells.length ?? 0
  if (count === 0) return null
  return (
    <LinkTo to="/stop-sells" search={{ hotelId: String(hotelId) }} display="inline-flex">
      <StatusBadge kind="bad" label={t('stopSells.badge', { count })} />
    </LinkTo>
  )
}
