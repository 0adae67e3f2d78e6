import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApi } from '../api.ts'
import { useFilter, useSetFilters } from './filters.tsx'

const suppliersListed = '100'

/** A choice of suppliers, in the URL as `supplierId`. */
export function SupplierFilter({ label }: { label: string }) {
  const { t } = useTranslation()
  const [chosen] = useFilter('supplierId')
  const setFilters = useSetFilters()
  const found = useApi('listSuppliers', { query: { limit: suppliersListed } }, { keepPrevious: true })
  const options = (found.data?.suppliers ?? []).map(({ supplierId, name }) => ({
    value: String(supplierId),
    label: name,
  }))
  // A supplier beyond the list is shown by its id.
  const isListed = chosen === '' || options.some(({ value }) => value === chosen)
  const set = (supplierId: string) => {
    // The selected hotel belongs to the previous supplier.
    const isOther = chosen !== '' && supplierId !== ''
    setFilters({ supplierId, ...(isOther ? { hotelId: '' } : {}) })
  }
  return (
    <NativeSelect
      label={label}
      value={chosen}
      onChange={(event) => set(event.currentTarget.value)}
      data={[
        { value: '', label: t('parts.any') },
        ...options,
        ...(isListed ? [] : [{ value: chosen, label: chosen }]),
      ]}
    />
  )
}
