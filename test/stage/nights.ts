import { dayMs } from '../../src/base/calendar.ts'

/** The date so many days from now, for services that have the real clock. */
export function nightAhead(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
}
