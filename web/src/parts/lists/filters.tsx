import { Button, Group, NativeSelect, Select, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import { DateField } from './date-field.tsx'
import { FoldedOnPhone } from '../folded.tsx'
import { ButtonTo } from '../link-to.tsx'
import { useMe } from '../session.tsx'
import classes from '../parts.module.css'
import { SavedViews } from './saved-views.tsx'

/** Every filter of a page is in its URL, so that a link shows the same list. */

/** A filter's value ('' if not set) and its setter. */
export function useFilter(name: string): [value: string, set: (value: string) => void] {
  const search = useSearch({ strict: false })
  const setFilters = useSetFilters()
  return [search[name] ?? '', (value) => setFilters({ [name]: value })]
}

/** Sets several at once; '' removes one. */
export function useSetFilters(): (values: Readonly<Record<string, string>>) => void {
  const navigate = useNavigate()
  return (values) => {
    void navigate({
      to: '.',
      search: (before: Readonly<Record<string, string | undefined>>) =>
        Object.fromEntries(
          Object.entries({ ...before, ...values }).filter(([, value]) => value !== undefined && value !== ''),
        ),
      replace: true,
      resetScroll: false,
    })
  }
}

/** The filters of a page in a row, with a button that clears the listed ones. */
export function Filters({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const setFilters = useSetFilters()
  const set = names.filter((name) => (search[name] ?? '') !== '').length
  return (
    <Group component="search" aria-label={t('parts.filters')} gap="xs" align="flex-end" mb="sm">
      <FoldedOnPhone set={set}>{children}</FoldedOnPhone>
      {set > 0 && (
        <Button
          variant="subtle"
          onClick={() => setFilters(Object.fromEntries(names.map((name) => [name, ''])))}
        >
          {t('parts.clearFilters')}
        </Button>
      )}
      <SavedViews />
    </Group>
  )
}

export function SelectFilter({
  name,
  label,
  options,
}: {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
}) {
  const { t } = useTranslation()
  const [value, set] = useFilter(name)
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      data={[{ value: '', label: t('parts.any') }, ...options]}
    />
  )
}

const typingMs = 250

/** Set while people type, a moment after each keystroke. */
export function TextFilter({
  name,
  label,
  placeholder,
  width = 200,
}: {
  name: string
  label: string
  placeholder?: string
  width?: number
}) {
  const [value, set] = useFilter(name)
  const [typed, setTyped] = useState(value)
  const later = useDebouncedCallback(set, typingMs)
  // The URL also changes by other means: back, a link, clear.
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      label={label}
      w={width}
      value={typed}
      {...(placeholder === undefined ? {} : { placeholder })}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        later(event.currentTarget.value)
      }}
    />
  )
}

export function DateFilter({ name, label }: { name: string; label: string }) {
  const [value, set] = useFilter(name)
  return <DateField label={label} value={value} onChange={set} />
}

/** The first and the last day, which stay beside each other. */
export function DatesFilter({ from, to }: Record<'from' | 'to', { name: string; label: string }>) {
  return (
    <Group gap="xs" wrap="nowrap">
      <DateFilter {...from} />
      <DateFilter {...to} />
    </Group>
  )
}

const suppliersListed = '100'

/** A choice of suppliers, in the URL as `supplierId`; people of a supplier have none. */
export function SupplierFilter({ label }: { label: string }) {
  return useMe().supplier === null ? <SupplierChoice label={label} /> : null
}

function SupplierChoice({ label }: { label: string }) {
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

const hotelsListed = '20'

/** In the URL as `hotelId`. */
export function HotelFilter({ label }: { label: string }) {
  const [hotelId, set] = useFilter('hotelId')
  return <HotelSelect label={label} hotelId={hotelId} onChange={set} />
}

/** A choice of hotels that match the typed text, of the supplier in the URL if any. */
export function HotelSelect({
  label,
  hotelId,
  onChange: set,
}: {
  label: string
  hotelId: string
  onChange: (hotelId: string) => void
}) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
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

/** An id in the page's path, for example in /hotels/$hotelId. Anything else is 0, which is never an id. */
export function useIdParam(name: 'hotelId' | 'supplierId' | 'pushId' | 'reservationId'): number {
  const params: Readonly<Partial<Record<string, string>>> = useParams({ strict: false })
  const text = params[name] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}

/** The views of a page as links, so that each has its own address. The first one is the default. */
export function ViewLinks<View extends string>({
  name,
  label,
  views,
  current,
}: {
  /** The name of the URL parameter. */
  name: string
  label: string
  views: readonly { value: View; label: string }[]
  current: View
}) {
  return (
    <Group component="nav" aria-label={label} gap={4} mb="sm">
      {views.map(({ value, label: text }, index) => (
        <ButtonTo
          key={value}
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({
            ...before,
            [name]: index === 0 ? undefined : value,
          })}
          variant={value === current ? 'light' : 'default'}
          aria-current={value === current ? 'page' : undefined}
        >
          {text}
        </ButtonTo>
      ))}
    </Group>
  )
}
