import { Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { useHoldColumns } from './holds-table.tsx'

/** What is held of a hotel; nothing if nothing is. */
export function HotelHolds({ hotelId }: { hotelId: number }) {
  const { t } = useTranslation()
  const columns = useHoldColumns().filter(({ key }) => key !== 'where')
  const { data } = useApi('searchHolds', { query: { hotelId: String(hotelId) } })
  if (!data || data.holds.length === 0) return null
  return (
    <section>
      <Title order={2} size="sm" mb="xs">
        {t('holds.ofHotel')}
      </Title>
      <DataTable
        caption={t('holds.ofHotel')}
        columns={columns}
        rows={data.holds}
        rowKey={({ holdId }) => holdId}
        empty={{ title: t('holds.empty') }}
      />
    </section>
  )
}
