import { useApi } from '../../api.ts'
import { SelectFilter, useFilter } from '../../parts/filters.tsx'

const suppliersListed = '100'

/** A choice of suppliers, in the URL as `supplier`. */
export function SupplierFilter({ label }: { label: string }) {
  const [chosen] = useFilter('supplier')
  const found = useApi('listSuppliers', { query: { limit: suppliersListed } }, { keepPrevious: true })
  const options = (found.data?.suppliers ?? []).map(({ supplierId, name }) => ({
    value: String(supplierId),
    label: name,
  }))
  // One beyond the list keeps its number as its name.
  const isListed = chosen === '' || options.some(({ value }) => value === chosen)
  return (
    <SelectFilter
      name="supplier"
      label={label}
      options={isListed ? options : [...options, { value: chosen, label: chosen }]}
    />
  )
}
