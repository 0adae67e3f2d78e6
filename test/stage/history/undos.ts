import assert from 'node:assert/strict'
import { isRecord } from '../../../src/http/validation/validate.ts'
import type { Reply, TestClient } from '../harness.ts'
import { expectOk } from '../story.ts'
import type { Chance } from '../models/ari-operations.ts'
import { addDays } from '../models/naive-ari.ts'

/**
 * Undoes a random push while others arrive, and compares with the plainest model of it: a map of every value before the push,
 * with it, and just before the undo.
 */

/** By `keyOf`. */
export type Values = Map<string, unknown>
export type Fields = Record<string, unknown>

export type UndoneHotel = { hotelId: string; range: { startDate: string; endDate: string } }
export type Undone = { undos: number; conflicts: number }

/** What is known of a hotel besides the undo's own answer: read from the service, or remembered by the proof. */
export type Witness = {
  valuesAt: (revision: number) => Promise<Values>
  /** What changed a value last, at a revision or before it: members that the conflict must have. */
  changerOf: (conflict: Fields, revision: number) => Promise<Fields>
  /** What made a revision that no push of ARI made; undefined if history doesn't reach back to it. */
  makerOf: (revision: number) => Promise<string | undefined>
  timeZone: () => Promise<string>
  /** Conflicts of an undo for which the origin is looked up. */
  conflictsMax: number
}

const fields = ['inventory', 'closed', 'closedToArrival', 'minLengthStay', 'maxLengthStay', 'price']

/** An undo of a recent push, mostly the last one or two. */
export function makeUndo(chance: Chance, hotelId: string, present: number) {
  const revision = Math.max(1, present - (chance.percent(40) ? 0 : chance.below(chance.of([3, 10, present]))))
  const named = chance.percent(50)
    ? undefined
    : fields.filter(() => chance.percent(60)).concat(chance.percent(70) ? 'price' : 'closed')
  return {
    hotelId,
    revision,
    ...(named ? { fields: [...new Set(named)] } : {}),
    ...(chance.percent(60) ? { onConflict: 'skip' } : {}),
    ...(chance.percent(15) ? { dryRun: true } : {}),
  }
}
export type UndoSent = ReturnType<typeof makeUndo>

/** `meanwhile` is sent at the same moment as the undo. */
export async function undoPush(
  client: TestClient,
  hotel: UndoneHotel,
  { chance, nowMs, meanwhile }: { chance: Chance; nowMs: number; meanwhile: () => Promise<unknown> },
): Promise<Undone> {
  const { hotelId, range } = hotel
  const present = Number(expectOk(await client.post('/push/getAri', { hotelId, ...range })).body['revision'])
  const body = makeUndo(chance, hotelId, present)
  const [reply] = await Promise.all([client.post('/push/undo', body), meanwhile()])
  return proveUndo(witnessOf(client, hotel), body, reply, nowMs)
}

/** Compares the answer to an undo, and what it left, with the model. */
export async function proveUndo(
  witness: Witness,
  body: UndoSent,
  reply: Reply,
  nowMs: number,
): Promise<Undone> {
  const { revision } = body
  const where = `${JSON.stringify(body)}: ${reply.text.slice(0, 2_000)}`
  assert.ok(reply.status < 500, where)
  if (reply.body['undone'] === undefined) {
    // A booking, a stop-sell or nothing of ARI made the revision, or it is behind a change of currency.
    const maker = await witness.makerOf(revision)
    if (reply.status === 410) assert.equal(maker, undefined, where)
    else assert.deepEqual([reply.status, maker === 'push' || maker === 'undo'], [409, false], where)
    return { undos: 0, conflicts: 0 }
  }
  const isApplied = reply.status < 300 && body.dryRun !== true && Number(summaryOf(reply).cellsChanged) > 0
  const after = Number(reply.body['revision'])
  const base = isApplied ? after - 1 : after
  const now = await witness.valuesAt(base)
  const firstNight = addDays(dateIn(await witness.timeZone(), nowMs), -1)
  const wanted = new Set(body.fields ?? [])
  const model = undoneBy(
    { before: await witness.valuesAt(revision - 1), written: await witness.valuesAt(revision), now },
    (key) => {
      const { field } = partsOf(key)
      return wanted.size > 0 ? wanted.has(field) : field !== 'inventory'
    },
    firstNight,
  )
  const conflicts = listOf(reply.body['conflicts'])
  if (reply.body['moreConflicts'] === undefined)
    assert.deepEqual(keysOf(conflicts).toSorted(), [...model.conflicts].toSorted(), where)
  for (const conflict of conflicts.slice(0, witness.conflictsMax)) {
    const changer = await witness.changerOf(conflict, base)
    for (const [name, value] of Object.entries(changer)) assert.deepEqual(conflict[name], value, where)
  }
  const isRefused = model.conflicts.size > 0 && body.onConflict !== 'skip'
  assert.equal(reply.status, isRefused ? 409 : model.conflicts.size > 0 ? 207 : 200, where)
  if (isApplied) assert.deepEqual(await witness.valuesAt(after), model.now, where)
  else if (!isRefused && body.dryRun !== true) assert.deepEqual(now, model.now, where)
  return { undos: 1, conflicts: model.conflicts.size > 0 ? 1 : 0 }
}

/** Everything read from the service. */
function witnessOf(client: TestClient, { hotelId, range }: UndoneHotel): Witness {
  return {
    valuesAt: async (revision) => {
      const reply = await client.post('/push/getAri', { hotelId, ...range, asOf: { revision } })
      return valuesOf(expectOk(reply).body['ari'])
    },
    changerOf: (conflict, revision) => newestChange(client, hotelId, conflict, revision),
    makerOf: async (revision) => {
      const diff = { hotelId, from: { revision: revision - 1 }, to: { revision }, limit: 1 }
      const { status, body } = await client.post('/push/getAriDiff', diff)
      const by = listOf(body['changes'])[0]?.['by']
      return status === 410 ? undefined : typeof by === 'string' ? by : 'nothing'
    },
    timeZone: async () => {
      const { hotels } = expectOk(await client.post('/push/getHotels', { hotelIds: [hotelId] })).body
      return String(listOf(hotels)[0]?.['timezone'])
    },
    conflictsMax: 5,
  }
}

/** What an undo must leave, and which values conflict. */
function undoneBy(
  { before, written, now }: { before: Values; written: Values; now: Values },
  isWanted: (key: string) => boolean,
  firstNight: string,
): { now: Values; conflicts: Set<string> } {
  const conflicts = new Set<string>()
  const restored = new Set<string>()
  for (const key of new Set([...before.keys(), ...written.keys()])) {
    if (before.get(key) === written.get(key) || !isWanted(key) || partsOf(key).date < firstNight) continue
    if (now.get(key) !== written.get(key)) conflicts.add(key)
    else if (partsOf(key).field !== 'inventory' || units(before.get(key)) < units(now.get(key)))
      restored.add(key)
  }
  for (const key of unitsThatStay(restored, before, now)) restored.delete(key)
  const resulting = (): Values => {
    const values = new Map(now)
    for (const key of restored) {
      const value = before.get(key)
      if (value === undefined) values.delete(key)
      else values.set(key, value)
    }
    return values
  }
  const modelsByNight = new Map<string, Set<string>>()
  for (const key of resulting().keys()) {
    const { field, bucket } = partsOf(key)
    if (field !== 'price') continue
    const models = modelsByNight.get(nightOf(key)) ?? new Set()
    modelsByNight.set(nightOf(key), models.add(bucket === '' ? 'unit' : 'guest'))
  }
  for (const key of restored) {
    if (partsOf(key).field !== 'price' || (modelsByNight.get(nightOf(key))?.size ?? 0) < 2) continue
    restored.delete(key)
    conflicts.add(key)
  }
  return { now: resulting(), conflicts }
}

/**
 * The numbers of units that would go though the other number of the night, of the room or of one of its rates, is
 * larger: without them more would be sold.
 */
function unitsThatStay(restored: ReadonlySet<string>, before: Values, now: Values): string[] {
  const going = [...restored].filter((key) => partsOf(key).field === 'inventory' && !before.has(key))
  const after = (key: string): number => units((restored.has(key) ? before : now).get(key))
  const roomOf = (key: string): string => {
    const [room, , date = ''] = key.split('|')
    return keyOf(room, null, date, 'inventory')
  }
  const rooms = going.filter(
    (key) =>
      roomOf(key) === key &&
      [...now.keys()].some(
        (rate) =>
          rate !== key &&
          roomOf(rate) === key &&
          rate.includes('|inventory|') &&
          after(rate) > units(now.get(key)),
      ),
  )
  const rates = going.filter((key) => {
    const room = roomOf(key)
    return room !== key && (rooms.includes(room) ? units(now.get(room)) : after(room)) > units(now.get(key))
  })
  return [...rooms, ...rates]
}

function units(value: unknown): number {
  return typeof value === 'number' ? value : -1
}

/** The newest change of the value, as its history has it; of a price that would meet the other model's, of any price. */
async function newestChange(
  client: TestClient,
  hotelId: string,
  conflict: Fields,
  revision: number,
): Promise<Fields> {
  const { roomId, rateId, startDate, field, guests, ageCategory } = conflict
  const { body } = expectOk(
    await client.post('/push/getCellHistory', {
      hotelId,
      roomId,
      ...(rateId === null ? {} : { rateId }),
      date: startDate,
      field,
      limit: 200,
    }),
  )
  const newest = listOf(body['changes']).find(
    (change) =>
      Number(change['revision']) <= revision &&
      (isOfAnyPrice(conflict) || (change['guests'] === guests && change['ageCategory'] === ageCategory)),
  )
  const { by, requestId, reservationId, at } = newest ?? {}
  return { by, requestId, reservationId, at, revision: newest?.['revision'] }
}

/** A price that the push wrote is still there, but would meet prices of the other model. */
export function isOfAnyPrice({ pushed, now }: Fields): boolean {
  return pushed === now
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function summaryOf({ body }: Reply): Fields {
  return isRecord(body['summary']) ? body['summary'] : {}
}

function dateIn(timeZone: string, nowMs: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(nowMs)
}

/** `bucket` is empty for a price of the unit. */
export const keyOf = (roomId: unknown, rateId: unknown, date: string, field: string, bucket = ''): string =>
  [roomId, rateId ?? '', date, field, bucket].join('|')

function partsOf(key: string): { date: string; field: string; bucket: string } {
  const [, , date = '', field = '', bucket = ''] = key.split('|')
  return { date, field, bucket }
}

function nightOf(key: string): string {
  return key.split('|', 3).join('|')
}

/** Every value that getAri answers with. */
export function valuesOf(ari: unknown): Values {
  const values: Values = new Map()
  for (const { roomId, startDate, endDate, daysOfWeek, rates, ...ofRoom } of listOf(ari)) {
    for (let date = String(startDate); date <= String(endDate); date = addDays(date, 1)) {
      if (Array.isArray(daysOfWeek) && !daysOfWeek.includes(weekdayOf(date))) continue
      for (const [field, value] of Object.entries(ofRoom)) values.set(keyOf(roomId, null, date, field), value)
      for (const line of listOf(rates)) addLine(values, roomId, date, line)
    }
  }
  return values
}

function addLine(values: Values, roomId: unknown, date: string, { rateId, prices, ...ofRate }: Fields): void {
  for (const [field, value] of Object.entries(ofRate))
    if (field !== 'pricingModel') values.set(keyOf(roomId, rateId, date, field), value)
  for (const { guests, ageCategory, amount } of listOf(prices))
    values.set(keyOf(roomId, rateId, date, 'price', bucketOf(guests, ageCategory)), amount)
}

function weekdayOf(date: string): string {
  return ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'][new Date(date).getUTCDay()] ?? ''
}

function bucketOf(guests: unknown, ageCategory: unknown): string {
  return guests === undefined ? '' : JSON.stringify([ageCategory, guests])
}

export function keysOf(ranges: readonly Fields[]): string[] {
  return ranges.flatMap(({ roomId, rateId, startDate, endDate, field, guests, ageCategory }) => {
    const keys: string[] = []
    for (let date = String(startDate); date <= String(endDate); date = addDays(date, 1))
      keys.push(keyOf(roomId, rateId, date, String(field), bucketOf(guests, ageCategory)))
    return keys
  })
}
