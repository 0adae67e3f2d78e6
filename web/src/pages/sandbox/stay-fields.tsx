import { NativeSelect, NumberInput, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SandboxHotel } from '../../../../src/console-api/sandbox/contract.ts'
import { useApi } from '../../api.ts'
import list from '../../parts/parts.module.css'
import classes from './sandbox.module.css'

const adultsMax = 20

/** Hotel, product, dates and party. */
export function StayFields({
  supplierId,
  first,
  hotel,
  stay,
  set,
}: {
  supplierId: number
  first: SandboxHotel
  /** Undefined while it is loading. */
  hotel: SandboxHotel | undefined
  stay: Stay
  set: (some: Partial<Stay>) => void
}) {
  const { t } = useTranslation()
  const products = (hotel?.products ?? []).map(({ roomName, rateName }, index) => ({
    value: String(index),
    label: `${roomName}, ${rateName}`,
  }))
  const instead = hotel ? t('sandbox.booking.noProducts') : t('parts.loading')
  const date = (name: 'checkin' | 'checkout') => (
    <TextInput
      type="date"
      required
      withAsterisk={false}
      label={t(`sandbox.booking.${name}`)}
      min={hotel?.today}
      value={stay[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <div className={classes['fields']}>
      <HotelChoice supplierId={supplierId} first={first} onChoose={(hotelId) => set({ hotelId, place: 0 })} />
      <NativeSelect
        className={classes['wide']}
        label={t('sandbox.booking.product')}
        value={String(stay.place)}
        onChange={(event) => set({ place: Number(event.currentTarget.value) })}
        data={products.length > 0 ? products : [{ value: '0', label: instead, disabled: true }]}
      />
      {date('checkin')}
      {date('checkout')}
      <NumberInput
        label={t('sandbox.booking.adults')}
        min={1}
        max={adultsMax}
        allowDecimal={false}
        value={stay.adults}
        onChange={(value) => set({ adults: typeof value === 'number' ? value : 1 })}
      />
      <TextInput
        label={t('sandbox.booking.children')}
        placeholder={t('sandbox.booking.childrenHint')}
        value={stay.children}
        error={readAges(stay.children) ? undefined : t('sandbox.booking.childrenWrong')}
        onChange={(event) => set({ children: event.currentTarget.value })}
      />
    </div>
  )
}

const typingMs = 200
const hotelsListed = '20'

type NamedHotel = { hotelId: number; name: string; code: string }

/** A choice of the supplier's hotels that match the typed text. */
function HotelChoice({
  supplierId,
  first,
  onChoose,
}: {
  supplierId: number
  /** The initially selected hotel. */
  first: NamedHotel
  onChoose: (hotelId: number) => void
}) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState(() => optionOf(first))
  const [isUsed, setIsUsed] = useState(false)
  const [typed, setTyped] = useState('')
  const [searched] = useDebouncedValue(typed, typingMs)
  // The text is the name of the selected hotel until somebody types.
  const search = searched === chosen.label ? '' : searched
  const { data, error, isPending } = useApi(
    'listHotels',
    { query: { search, supplierId: String(supplierId), limit: hotelsListed } },
    { enabled: isUsed, keepPrevious: true },
  )
  const found = (data?.hotels ?? []).map(optionOf)
  const isListed = found.some(({ value }) => value === chosen.value)
  const options = search === '' && !isListed ? [chosen, ...found] : found
  const isMore = (data?.nextCursor ?? null) !== null
  const whyNone = isPending ? t('parts.loading') : t('parts.noHotelFound')
  const hint = options.length === 0 ? (error ? t('parts.failed') : whyNone) : t('sandbox.booking.moreHotels')
  return (
    <Select
      className={classes['wide']}
      label={t('sandbox.booking.hotel')}
      searchable
      allowDeselect={false}
      // Inside the page's landmarks.
      comboboxProps={{ withinPortal: false }}
      value={chosen.value}
      data={
        options.length > 0 && !isMore ? options : [...options, { value: '', label: hint, disabled: true }]
      }
      filter={asFound}
      classNames={{ option: list['option'] ?? '' }}
      onFocus={() => setIsUsed(true)}
      onSearchChange={setTyped}
      onChange={(value) => {
        const option = options.find((one) => one.value === value)
        if (!option) return
        setChosen(option)
        onChoose(Number(option.value))
      }}
    />
  )
}

function optionOf({ hotelId, name, code }: NamedHotel) {
  return { value: String(hotelId), label: `${name} (${code})` }
}

/** The service has filtered them, also by city, which is not in the label. */
const asFound = <Option,>({ options }: { options: Option[] }): Option[] => options

/** The form values of a test booking. */
type Stay = {
  hotelId: number
  /** The index of the product in the hotel's list. */
  place: number
  checkin: string
  checkout: string
  adults: number
  children: string
}

const usualDaysAhead = 30
const usualNights = 2

/** The initial form values. */
export function stayAt({ hotelId, today }: SandboxHotel): Stay {
  const checkin = daysAfter(today, usualDaysAhead)
  return {
    hotelId,
    place: 0,
    checkin,
    checkout: daysAfter(checkin, usualNights),
    adults: 2,
    children: '',
  }
}

const dayMs = 86_400_000

function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

const ageMax = 17
const childrenMax = 10

/** Parses `5, 9` as ages; undefined if invalid. */
export function readAges(text: string): number[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  const ages = parts.map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : ageMax + 1))
  return ages.every((age) => age <= ageMax) && ages.length <= childrenMax ? ages : undefined
}
