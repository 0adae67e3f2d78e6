import { createHash } from 'node:crypto'
import { isRecord } from '../../http/validation/validate.ts'
import type { Problem } from '../../http/rejected.ts'
import { epochIdOf } from '../../postgres/connections/store-epoch.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import type { ReadyPush } from '../judge/plan.ts'
import type { ReadablePush } from '../judge/readable.ts'
import { planErrors } from './contract.ts'

/**
 * A plan is its own name: the hotel's revision, a hash of it and of the push, and one of the store's epoch: a store
 * that lost commits reaches a revision a second time with other values. Nothing is stored and nothing is secret, since a
 * plan that somebody makes up only restricts that push.
 */

type PlannedHotel = Pick<HotelCatalog, 'supplierId' | 'hotelCode' | 'storeStamp'>

/** 128 bits: two bodies never share them. */
const hashDigits = 32
const epochDigits = 8
const planForm = new RegExp(`^(r(\\d{1,15})-[0-9a-f]{${hashDigits}})-([0-9a-f]{${epochDigits}})$`)

export function planIdOf(body: ReadablePush, hotel: PlannedHotel, revision: number): string {
  return `${pushAt(body, hotel, revision)}-${epochOf(hotel)}`
}

function pushAt(body: ReadablePush, hotel: PlannedHotel, revision: number): string {
  // Members that don't affect what is applied may differ between the dry run and the push.
  const applied = { ...body, dryRun: undefined, impact: undefined, planId: undefined, echo: undefined }
  const text = canonical([hotel.supplierId, hotel.hotelCode, revision, applied])
  return `r${revision}-${hashOf(text, hashDigits)}`
}

function epochOf({ storeStamp }: PlannedHotel): string {
  return hashOf(epochIdOf(storeStamp), epochDigits)
}

function hashOf(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}

/** As JSON, with the members of each object in the order of their names: the order that they are sent in means nothing. */
function canonical(value: unknown, quoted = new Map<string, string>()): string {
  // A year of many rates has a hundred thousand numbers and few names.
  if (typeof value === 'number') return String(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const element of value) text += `,${canonical(element, quoted)}`
    return `[${text.slice(1)}]`
  }
  if (!isRecord(value)) return JSON.stringify(value)
  for (const name of Object.keys(value).sort()) {
    const member = value[name]
    if (member === undefined) continue
    const known = quoted.get(name) ?? JSON.stringify(name)
    quoted.set(name, known)
    text += `,${known}:${canonical(member, quoted)}`
  }
  return `{${text.slice(1)}}`
}

/** The problem of a plan that belongs to another push. */
export function planProblems(body: ReadablePush, hotel: PlannedHotel): Problem[] {
  const { planId } = body
  if (planId === undefined) return []
  const [, named, revision] = planForm.exec(planId) ?? []
  if (named !== undefined && pushAt(body, hotel, Number(revision)) === named) return []
  return [{ ...planErrors.otherBody, path: '/planId', value: planId }]
}

/**
 * The push, refused if its plan was made at another revision of the hotel; accepting it has shown that the plan is of
 * its body. The push itself stays as it is, because its group may be tried again.
 */
export function unlessStale(ready: ReadyPush, revision: number): ReadyPush {
  const { plan, body, catalog } = ready
  if (body.planId === undefined) return ready
  const [, , planned, epoch] = planForm.exec(body.planId) ?? []
  const isOfEpoch = epoch === epochOf(catalog)
  if (isOfEpoch && Number(planned) === revision) return ready
  const message = isOfEpoch
    ? `The hotel is at revision ${revision}, and the plan was made at revision ${planned}`
    : 'The plan was made before a failover or a restore, which may have lost changes'
  const stale = { ...planErrors.stale, message, path: '/planId', value: body.planId }
  return { ...ready, plan: { ...plan, refused: [stale, ...plan.refused] } }
}
