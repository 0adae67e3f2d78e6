import { Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '../api.ts'
import { useFilter } from './filters.tsx'
import classes from './hotel-filter.module.css'

const typingMs = 250
const hotelsListed = '20'

/** A choice of hotels that match the typed text, of the supplier in the URL if any; in the URL as `hotelId`. */
export function HotelFilter({ label }: { label: string }) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  const [hotelId, set] = useFilter('hotelId')
  const [supplierId] = useFilter('supplierId')
  const [isUsed, setIsUsed] = useState(false)
  const [typed, setTyped] = useState('')
  const [searched] = useDebouncedValue(typed, typingMs)
  const chosen = useApi('getHotel', { params: { hotelId } }, { enabled: hotelId !== '' })
  // An unknown hotel is shown by its id.
  const unknown = chosen.error ? { value: hotelId, label: hotelId, supplier: '' } : undefined
  const own = chosen.data ? optionOf(chosen.data.hotel) : unknown
  // The text is the name of the selected hotel until somebody types.
  const search = searched === own?.label ? '' : searched
  const found = useApi(
    'listHotels',
    { query: { search, supplierId, limit: hotelsListed } },
    { enabled: isUsed, keepPrevious: true },
  )
  const listed = (found.data?.hotels ?? []).map(optionOf)
  const isListed = listed.some(({ value }) => value === hotelId)
  const options = own && search === '' && !isListed ? [own, ...listed] : listed
  const whyNone = found.isPending ? t('parts.loading') : t('parts.noHotelFound')
  const instead = found.error ? t('parts.failed') : whyNone
  const supplierOf = new Map(options.map(({ value, supplier }) => [value, supplier]))
  return (
    <Select
      ref={input}
      label={label}
      w={240}
      placeholder={t('parts.findHotel')}
      searchable
      // Inside the page's landmarks.
      comboboxProps={{ withinPortal: false }}
      value={hotelId === '' ? null : hotelId}
      // A listbox needs an option, so the message for no match is one that can't be selected.
      data={options.length > 0 ? options : [{ value: '', label: instead, disabled: true }]}
      filter={asFound}
      renderOption={({ option }) => (
        <span>
          {option.label}{' '}
          <Text span size="xs" c="dimmed">
            {supplierOf.get(option.value)}
          </Text>
        </span>
      )}
      classNames={{ option: classes['option'] ?? '' }}
      clearable
      clearButtonProps={{ 'aria-label': t('parts.clearHotel'), 'aria-hidden': false, tabIndex: 0 }}
      onClear={() => input.current?.focus()}
      onFocus={() => setIsUsed(true)}
      onSearchChange={setTyped}
      onChange={(value) => set(value ?? '')}
    />
  )
}

function optionOf(hotel: { hotelId: number; name: string; code: string; supplier: string }) {
  return { value: String(hotel.hotelId), label: `${hotel.name} (${hotel.code})`, supplier: hotel.supplier }
}

/** The service has filtered them, also by city and supplier, which are not in the label. */
const asFound = <Option,>({ options }: { options: Option[] }): Option[] => options
