import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import { useSetFilters } from '../../parts/filters.tsx'

const typingMs = 200

/** The supplier to act for; its id is in the URL. */
export function SupplierChoice({ supplierId }: { supplierId: number | undefined }) {
  const { t } = useTranslation()
  const setFilters = useSetFilters()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed, typingMs)
  const chosen = useApi(
    'getSupplier',
    { params: { supplierId: supplierId ?? 0 } },
    { enabled: supplierId !== undefined },
  ).data?.supplier
  const isNameOfChosen = chosen?.name === search
  const found = useApi(
    'listSuppliers',
    { query: { search: isNameOfChosen ? '' : search } },
    { keepPrevious: true },
  )
  const nameById = new Map([
    ...(chosen ? [[String(chosen.supplierId), chosen.name] as const] : []),
    ...(found.data?.suppliers ?? []).map((one) => [String(one.supplierId), one.name] as const),
  ])
  return (
    <Select
      mb="md"
      maw={360}
      label={t('sandbox.supplier')}
      placeholder={t('sandbox.chooseSupplier')}
      searchable
      value={supplierId === undefined ? null : String(supplierId)}
      data={[...nameById].map(([value, label]) => ({ value, label }))}
      onSearchChange={setTyped}
      onChange={(value) => setFilters({ supplierId: value ?? '', call: '' })}
    />
  )
}
