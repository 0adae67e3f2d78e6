import { useTranslation } from 'react-i18next'
import type { HotelTaxes as ScopedTaxes } from '../../../../src/console/hotels/contract.ts'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { dateText } from '../../parts/time-text.ts'
import { useRowSteps } from './use-row-steps.ts'

type TaxRow = ScopedTaxes['taxes'][number] & Pick<ScopedTaxes, 'roomId' | 'rateId'> & { key: string }

export function HotelTaxes({ taxes, currency }: { taxes: readonly ScopedTaxes[]; currency: string }) {
  const { t } = useTranslation()
  const rows = taxes.flatMap(({ roomId, rateId, taxes: ofScope }) =>
    ofScope.map((tax, index): TaxRow => ({ ...tax, roomId, rateId, key: `${roomId} ${rateId} ${index}` })),
  )
  const some = useRowSteps(rows)
  return (
    <DataTable
      caption={t('hotels.taxes.caption')}
      columns={useColumns(currency)}
      {...some}
      rowKey={({ key }) => key}
      empty={{ title: t('hotels.taxes.none'), hint: t('hotels.taxes.noneHint') }}
    />
  )
}

function useColumns(currency: string): Column<TaxRow>[] {
  const { t } = useTranslation()
  const scopeOf = ({ roomId, rateId }: TaxRow): string => {
    if (roomId !== null && rateId !== null) return t('hotels.taxes.pair', { room: roomId, rate: rateId })
    if (roomId !== null) return t('hotels.taxes.room', { room: roomId })
    return rateId === null ? t('hotels.taxes.property') : t('hotels.taxes.rate', { rate: rateId })
  }
  return [
    { key: 'scope', header: t('hotels.taxes.scope'), cell: scopeOf },
    { key: 'type', header: t('hotels.taxes.type'), cell: ({ type }) => type },
    {
      key: 'value',
      header: t('hotels.taxes.value'),
      align: 'right',
      cell: ({ value, valueType }) => (
        <span className="figures">{`${String(value)} ${valueType === '%' ? '%' : currency}`}</span>
      ),
    },
    { key: 'on', header: t('hotels.taxes.on'), cell: ({ appliedOn }) => appliedOn },
    {
      key: 'per',
      header: t('hotels.taxes.per'),
      cell: ({ appliedPer }) => t(`hotels.taxes.perUnit.${appliedPer}`),
    },
    {
      key: 'included',
      header: t('hotels.taxes.included'),
      cell: ({ included }) => (included ? t('hotels.taxes.yes') : t('hotels.taxes.no')),
    },
    {
      key: 'payNow',
      header: t('hotels.taxes.payNow'),
      cell: ({ payNow }) => (payNow ? t('hotels.taxes.now') : t('hotels.taxes.later')),
    },
    {
      key: 'dates',
      header: t('hotels.taxes.dates'),
      cell: ({ startDate, endDate }) =>
        startDate === undefined || endDate === undefined
          ? t('hotels.taxes.always')
          : t('hotels.products.range', { from: dateText(startDate), to: dateText(endDate) }),
    },
  ]
}
