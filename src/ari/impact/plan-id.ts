import { createHash } from 'node:crypto'
import { isRecord } from '../../http/validate.ts'
import type { Problem } from '../../http/rejected.ts'
import type { HotelCatalog } from '../catalog.ts'
import type { ReadyPush } from '../plan.ts'
import type { ReadablePush } from '../readable.ts'
import { planErrors } from './contract.ts'

/**
 * A plan is its own name: the hotel's revision, and a hash of it and of the push. Nothing is stored and nothing
 * is secret, since a plan that somebody makes up only restricts that push.
 */

type PlannedHotel = Pick<HotelCatalog, 'supplierId' | 'hotelCode'>

/** 128 bits: two bodies never share them. */
const hashDigits = 32
const planForm = new RegExp(`^r(\\d{1,15})-[0-9a-f]{${hashDigits}}$`)

export function planIdOf(body: ReadablePush, hotel: PlannedHotel, revision: number): string {
  // Members that don't affect what is applied may differ between the dry run and the push.
  const applied = { ...body, dryRun: undefined, impact: undefined, planId: undefined, echo: undefined }
  const text = JSON.stringify([hotel.supplierId, hotel.hotelCode, revision, applied], sorted)
  return `r${revision}-${createHash('sha256').update(text).digest('hex').slice(0, hashDigits)}`
}

/** The order of members means nothing. */
function sorted(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** The problem of a plan that belongs to another push. */
export function planProblems(body: ReadablePush, hotel: PlannedHotel): Problem[] {
  const { planId } = body
  if (planId === undefined) return []
  const revision = planForm.exec(planId)?.[1]
  if (revision !== undefined && planIdOf(body, hotel, Number(revision)) === planId) return []
  return [{ ...planErrors.otherBody, path: '/planId', value: planId }]
}

/**
 * The push, refused if its plan was made at another revision of the hotel; accepting it has shown that the plan is of
 * its body. The push itself stays as it is, because its group may be tried again.
 */
export function unlessStale(ready: ReadyPush, revision: number): ReadyPush {
  const { plan, body } = ready
  const planned = body.planId === undefined ? undefined : planForm.exec(body.planId)?.[1]
  if (planned === undefined || Number(planned) === revision) return ready
  const message = `The hotel is at revision ${revision}, and the plan was made at revision ${planned}`
  const stale = { ...planErrors.stale, message, path: '/planId', value: body.planId }
  return { ...ready, plan: { ...plan, refused: [stale, ...plan.refused] } }
}
