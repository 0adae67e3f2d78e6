import { instantOf } from '../../base/calendar.ts'
import type { LiveAnswer } from '../stays/live-answers.ts'
import type { WantedStay } from '../price/evaluate.ts'

/** A stay that the supplier itself said it has no units for, when it was asked a moment ago. */
export function liveRule({ atMs, untilMs }: LiveAnswer, { arrival, length, parties }: WantedStay) {
  return {
    rule: 'liveSoldOut' as const,
    pass: false,
    days: Array.from({ length }, (_, index) => arrival + index),
    held: { at: instantOf(atMs), until: instantOf(untilMs) },
    asked: parties.partyByRoom.length,
    origin: undefined,
  }
}
