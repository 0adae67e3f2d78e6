import { NumberInput, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type CalendarUrl, partyOf } from './calendar-url.ts'

type StayProps = { url: CalendarUrl; set: (values: Partial<CalendarUrl>) => void }

/** Check-in and checkout. */
export function StayDates({ url: { checkin, checkout }, set }: StayProps) {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        type="date"
        label={t('calendar.explain.checkin')}
        value={checkin}
        onChange={(event) => set({ checkin: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t('calendar.explain.checkout')}
        value={checkout}
        onChange={(event) => set({ checkout: event.currentTarget.value })}
      />
    </>
  )
}

export function Adults({ url, set }: StayProps) {
  const { t } = useTranslation()
  return (
    <NumberInput
      w={90}
      label={t('calendar.adults')}
      min={1}
      max={99}
      value={partyOf(url).adults}
      onChange={(value) => set({ adults: String(value) })}
    />
  )
}
