import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import list from '../../parts/hotel-filter.module.css'
import classes from './sandbox.module.css'

const typingMs = 200
const hotelsListed = '20'

type NamedHotel = { hotelId: number; name: string; code: string }

/** A choice of the supplier's hotels that match the typed text. */
export function HotelChoice({
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
