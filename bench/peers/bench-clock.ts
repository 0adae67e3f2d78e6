import { systemClock } from '../../src/base/clock.ts'

/** Of all processes and threads of the bench: a day from which its nights are not past, a quarter as fast as time. */
export const benchClock = {
  now: () => Date.UTC(2027, 2, 1, 12) + Math.floor((systemClock.now() % 86_400_000) / 4),
}
