import { Text } from '@mantine/core'
import type { ReservationNote } from '../../../../src/console/bookings/note-contract.ts'
import classes from './cells.module.css'

const linesMax = 3

/** The latest note on a reservation, in a table cell. */
export function LastNote({ note }: { note: ReservationNote | null }) {
  if (note === null) return null
  const { operator, text } = note
  return (
    <Text size="xs" className={classes['note']} lineClamp={linesMax} title={`${operator}: ${text}`}>
      {operator}: {text}
    </Text>
  )
}
