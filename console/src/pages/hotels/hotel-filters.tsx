import { NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DateFilter, Filters, SelectFilter, TextFilter, useFilter } from '../../parts/filters.tsx'
import { SupplierFilter } from '../../parts/supplier-filter.tsx'

export const hotelFilters = [
  'search',
  'supplierId',
  'goLive',
  'available',
  'ari',
  'staleSince',
  'endsBy',
  'country',
  'currency',
] as const

export function HotelFilters() {
  const { t } = useTranslation()
  const options = <Value extends string>(values: readonly Value[], label: (value: Value) => string) =>
    values.map((value) => ({ value, label: label(value) }))
  return (
    <Filters names={hotelFilters}>
      <TextFilter
        name="search"
        label={t('hotels.filter.search')}
        placeholder={t('hotels.filter.searchHint')}
        width={280}
      />
      <SupplierFilter label={t('hotels.filter.supplier')} />
      <SelectFilter
        name="goLive"
        label={t('hotels.filter.goLive')}
        options={options(['products', 'ari', 'webhooks', 'ready'] as const, (stage) =>
          t(`hotels.stage.${stage}`),
        )}
      />
      <SelectFilter
        name="available"
        label={t('hotels.filter.available')}
        options={options(['yes', 'no'] as const, (value) => t(`hotels.filter.${value}`))}
      />
      <SelectFilter
        name="ari"
        label={t('hotels.filter.ari')}
        options={[
          { value: 'none', label: t('hotels.filter.ariNone') },
          { value: 'some', label: t('hotels.filter.ariSome') },
        ]}
      />
      <DateFilter name="staleSince" label={t('hotels.filter.staleSince')} />
      <MonthFilter name="endsBy" label={t('hotels.filter.endsBy')} />
      <TextFilter
        name="country"
        label={t('hotels.filter.country')}
        placeholder={t('hotels.filter.countryHint')}
        width={80}
      />
      <TextFilter
        name="currency"
        label={t('hotels.filter.currency')}
        placeholder={t('hotels.filter.currencyHint')}
        width={80}
      />
      <OrderFilter />
    </Filters>
  )
}

function OrderFilter() {
  const { t } = useTranslation()
  const [order, set] = useFilter('sort')
  return (
    <NativeSelect
      label={t('hotels.filter.sort')}
      value={order}
      onChange={(event) => set(event.currentTarget.value)}
      data={[
        { value: '', label: t('hotels.sort.name') },
        { value: 'newest', label: t('hotels.sort.newest') },
        { value: 'stalest', label: t('hotels.sort.stalest') },
        { value: 'ending', label: t('hotels.sort.ending') },
      ]}
    />
  )
}

function MonthFilter({ name, label }: { name: string; label: string }) {
  const [value, set] = useFilter(name)
  return (
    <TextInput
      type="month"
      label={label}
      value={value}
      placeholder="YYYY-MM"
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}
