import type { DayNumber } from '../../base/calendar.ts'
import type { CancelPenalty } from '../../products/policies/contract.ts'

/** When penalties begin to count, as instants with the offset of the hotel's zone. */

/** null: from the time of booking. */
export function deadlineOf(
  { cancelDeadline }: CancelPenalty,
  timeZone: string,
  arrival: DayNumber,
): string | null {
  if (!cancelDeadline) return null
  const { offsetTimeUnit, offsetTimeValue, deadline = '00:00' } = cancelDeadline
  return offsetTimeUnit === 'D'
    ? instantText(timeZone, arrival - offsetTimeValue, deadline, 0)
    : instantText(timeZone, arrival, deadline, offsetTimeValue)
}

export function endOfArrivalDay(timeZone: string, arrival: DayNumber): string {
  return instantText(timeZone, arrival + 1, '00:00', 0)
}

/** Time zone arithmetic is slow, and a search has the same few deadlines again and again. */
const instants = new Map<string, string>()
const instantsKeptMax = 20_000

/** The instant a number of hours before a time of day in a zone, with the zone's offset. */
function instantText(timeZone: string, day: DayNumber, time: string, hoursBefore: number): string {
  const key = `${timeZone} ${day} ${time} ${hoursBefore}`
  const known = instants.get(key)
  if (known !== undefined) return known
  const text = Temporal.PlainDate.from('1970-01-01')
    .add({ days: day })
    .toZonedDateTime({ timeZone, plainTime: time })
    .subtract({ hours: hoursBefore })
    .toString({ timeZoneName: 'never', smallestUnit: 'second' })
  if (instants.size >= instantsKeptMax) instants.clear()
  instants.set(key, text)
  return text
}
