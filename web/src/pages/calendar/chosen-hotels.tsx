import { Pill } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApi } from '../../api.ts'
import { HotelSelect, useFilter, useSetFilters } from '../../parts/lists/filters.tsx'

/** As many as a page shows: linesPerPage of the contract, whose values the bundle doesn't have. */
const chosenMax = 25

/** The hotels that were chosen one by one, in the URL as `hotelIds`; choosing one more adds it. */
export function ChosenHotels() {
  const { t } = useTranslation()
  const [hotelIds] = useFilter('hotelIds')
  const set = useSetFilters()
  const ids = hotelIds === '' ? [] : hotelIds.split(',')
  // What follows a page begins anew with another set.
  const choose = (next: readonly string[]): void => set({ hotelIds: next.join(','), page: '' })
  return (
    <>
      <HotelSelect
        label={t('calendar.many.add')}
        hotelId=""
        onChange={(id) => {
          if (id !== '' && !ids.includes(id)) choose([...ids, id].slice(-chosenMax))
        }}
      />
      {ids.map((id) => (
        <ChosenHotel key={id} hotelId={id} onRemove={() => choose(ids.filter((one) => one !== id))} />
      ))}
    </>
  )
}

function ChosenHotel({ hotelId, onRemove }: { hotelId: string; onRemove: () => void }) {
  const { t } = useTranslation()
  const { data } = useApi('getHotel', { params: { hotelId } })
  const name = data?.hotel.name ?? hotelId
  return (
    <Pill
      size="md"
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{
        'aria-label': t('calendar.many.remove', { name }),
        'aria-hidden': false,
        tabIndex: 0,
      }}
    >
      {name}
    </Pill>
  )
}
