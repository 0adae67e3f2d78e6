import { useTranslation } from 'react-i18next'
import type { HotelProduct } from '../../../../src/console/hotels/contract.ts'
import { Code } from '../../parts/code.tsx'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import { useRowSteps } from './use-row-steps.ts'

/** The supplier's codes next to the platform's. */
export function HotelMappings({ products, zone }: { products: readonly HotelProduct[]; zone: string }) {
  const { t } = useTranslation()
  const some = useRowSteps(products)
  const columns: Column<HotelProduct>[] = [
    {
      key: 'roomId',
      header: t('hotels.mappings.roomId'),
      cell: ({ roomId }) => <Code copies={roomId}>{roomId}</Code>,
    },
    {
      key: 'platformRoomId',
      header: t('hotels.mappings.platformRoomId'),
      cell: ({ platformRoomId }) => <Code copies={platformRoomId}>{platformRoomId}</Code>,
    },
    {
      key: 'rateId',
      header: t('hotels.mappings.rateId'),
      cell: ({ rateId }) => <Code copies={rateId}>{rateId}</Code>,
    },
    {
      key: 'platformRateId',
      header: t('hotels.mappings.platformRateId'),
      cell: ({ platformRateId }) => <Code copies={platformRateId}>{platformRateId}</Code>,
    },
    { key: 'roomType', header: t('hotels.mappings.roomType'), cell: ({ roomType }) => roomType },
    {
      key: 'lastAri',
      header: t('hotels.mappings.lastAri'),
      cell: ({ lastAriAt }) => <Time at={lastAriAt} zone={zone} />,
    },
  ]
  return (
    <DataTable
      caption={t('hotels.mappings.caption')}
      columns={columns}
      {...some}
      rowKey={({ platformRoomId, platformRateId }) => `${platformRoomId} ${platformRateId}`}
      empty={{ title: t('hotels.products.none'), hint: t('hotels.products.noneHint') }}
    />
  )
}
