import { NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DateField } from '../../../parts/lists/date-field.tsx'
import { type CalendarUrl, partyOf } from '../grid/calendar-url.ts'
import { dateOf, dayOf } from '../grid/days.ts'

type StayProps = { url: CalendarUrl; set: (values: Partial<CalendarUrl>) => void }

/** Check-in and checkout. A later check-in takes the checkout along, so that the stay keeps its nights. */
export function StayDates({ url: { checkin, checkout }, set }: StayProps) {
  const { t } = useTranslation()
  const arriveOn = (date: string): void => {
    const [before, night, departure] = [dayOf(checkin), dayOf(date), dayOf(checkout)]
    const isPassed = night !== undefined && departure !== undefined && night >= departure
    const nights = isPassed && before !== undefined ? Math.max(1, departure - before) : undefined
    set({ checkin: date, ...(isPassed && nights ? { checkout: dateOf(night + nights) } : {}) })
  }
  return (
    <>
      <DateField label={t('calendar.explain.checkin')} value={checkin} onChange={arriveOn} />
      <DateField
        label={t('calendar.explain.checkout')}
        value={checkout}
        onChange={(date) => set({ checkout: date })}
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
