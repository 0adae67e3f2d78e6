/**
 * The clients' requests and the answers they received, and the comparison of these with the data found
 * afterwards.
 */
import type { Client } from './http.ts'
import { Unreadable, type Slot } from './slots.ts'

/** One request of a client for one push; repeating a push adds another attempt. */
export type Attempt = {
  slot: Slot
  marker: number
  requestId: string
  /** By the test's own clock, as the client saw it. */
  sentMs: number
  endedMs: number
  /** Undefined when the connection broke first. */
  status: number | undefined
  /** The problem named by the answer, or the reason why the connection broke. */
  why: string
  isReplayed: boolean
  retryAfter: string | undefined
  /** From a complete answer. */
  revision: number | undefined
  cellsChanged: number | undefined
}

export const findingKinds = ['lost', 'half-applied', 'twice', 'order', 'log', 'answer'] as const
export type Finding = { kind: (typeof findingKinds)[number]; text: string }

export type Ledger = {
  attempts: Attempt[]
  /** The attempts already checked: their number, and the conclusions from them. */
  checked: number
  /** Status by request id. */
  checkedEntries: Map<string, number>
  checkedFromMs: number
  /** The push that wrote each slot last, as of the last check. */
  holder: Map<Slot, number>
  revisionByHotel: Map<string, number>
}

export function newLedger(): Ledger {
  return {
    attempts: [],
    checked: 0,
    checkedEntries: new Map(),
    checkedFromMs: Date.now(),
    holder: new Map(),
    revisionByHotel: new Map(),
  }
}

export function isAcknowledged({ status }: Attempt): boolean {
  return status !== undefined && status < 300
}

type Entry = {
  requestId: string
  kind: string
  hotelId: string | null
  outcome: string
  status: number
  revision: number | null
  cellsChanged: number
}

const entriesPerPage = 500
/** Far more than the clocks of a test and its service can differ on one machine. */
const logOverlapMs = 2_000

/**
 * Compares everything since the last check: the answers with the push log, the log with itself, and the
 * readable data with the log. Call it while no push is in progress. The proof is an empty result.
 */
export async function check(ledger: Ledger, client: Client, slots: readonly Slot[]): Promise<Finding[]> {
  const fromMs = ledger.checkedFromMs
  ledger.checkedFromMs = Date.now()
  const attempts = ledger.attempts.slice(ledger.checked)
  ledger.checked = ledger.attempts.length
  const found: Finding[] = []
  const entries = (await readLog(client, fromMs - logOverlapMs)).filter(
    ({ requestId }) => !ledger.checkedEntries.has(requestId),
  )
  const entryById = new Map<string, Entry>()
  for (const entry of entries) {
    if (ledger.checkedEntries.has(entry.requestId))
      note(found, 'twice', `${entry.requestId} is in the log twice`)
    ledger.checkedEntries.set(entry.requestId, entry.status)
    entryById.set(entry.requestId, entry)
  }
  compareAnswers(attempts, entryById, found)
  comparePushesSentAgain(ledger.attempts, attempts, ledger.checkedEntries, found)
  compareRevisions(entries, ledger.revisionByHotel, found)
  compareOrder(attempts, entries, found)
  const attemptById = new Map(attempts.map((attempt) => [attempt.requestId, attempt]))
  for (const { requestId, status } of entries) {
    const attempt = attemptById.get(requestId)
    if (!attempt || status >= 300) continue
    const before = ledger.holder.get(attempt.slot) ?? 0
    const isHolder = attempt.slot.winner === 'last' || attempt.marker > before
    if (isHolder) ledger.holder.set(attempt.slot, attempt.marker)
  }
  for (const slot of slots) await compareSlot(slot, ledger, client, found)
  await compareHotels(ledger.revisionByHotel, client, found)
  return found
}

/** The whole log of all rounds: in the end no acknowledged push is missing. */
export async function checkWholeLog(ledger: Ledger, client: Client, sinceMs: number): Promise<Finding[]> {
  const entryById = new Map((await readLog(client, sinceMs)).map((entry) => [entry.requestId, entry]))
  const found: Finding[] = []
  compareAnswers(ledger.attempts, entryById, found)
  return found
}

function note(found: Finding[], kind: Finding['kind'], text: string): void {
  found.push({ kind, text })
}

/** Oldest first. */
async function readLog(client: Client, sinceMs: number): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor: string | null = ''
  const since = new Date(sinceMs).toISOString()
  while (cursor !== null) {
    const path = `/push/log?limit=${entriesPerPage}&since=${since}${cursor && `&cursor=${cursor}`}`
    const answered = await client.send(path)
    if (!answered.isAnswered || answered.status !== 200) {
      throw new Unreadable(`the log: ${answered.isAnswered ? answered.text : answered.why}`)
    }
    const page: { pushes: Entry[]; nextCursor: string | null } = JSON.parse(answered.text)
    entries.push(...page.pushes)
    cursor = page.nextCursor
  }
  return entries.reverse()
}

function compareAnswers(
  attempts: readonly Attempt[],
  entryById: ReadonlyMap<string, Entry>,
  found: Finding[],
): void {
  for (const attempt of attempts) {
    const { requestId, status, why, retryAfter } = attempt
    const entry = entryById.get(requestId)
    const name = nameOf(attempt)
    if (status === undefined) continue
    if (isAcknowledged(attempt)) {
      if (attempt.isReplayed) {
        if (entry) note(found, 'twice', `${name} was answered from before, and is in the log all the same`)
      } else if (!entry) note(found, 'lost', `${name} was acknowledged and is not in the log`)
      else compareEntry(attempt, entry, found)
    } else if (status === 503) {
      if (retryAfter === undefined) note(found, 'answer', `${name}: 503 without Retry-After`)
      // The other 503, UNAVAILABLE, says only that the push is not acknowledged: PostgreSQL may have
      // committed.
      const saysNothingApplied = why === 'OVERLOADED' || why === 'SHUTTING_DOWN'
      if (saysNothingApplied && entry) note(found, 'log', `${name}: 503 ${why}, but it is in the log`)
    } else note(found, 'answer', `${name}: ${status} ${why}`)
  }
}

function compareEntry(attempt: Attempt, entry: Entry, found: Finding[]): void {
  const { status, revision, cellsChanged = 0 } = attempt
  const isAri = attempt.slot.path === '/push/ari'
  const outcome = status === 207 ? 'partial' : isAri && cellsChanged === 0 ? 'unchanged' : 'applied'
  // An answer that broke off after its status contained neither revision nor cells.
  const told = revision === undefined ? [status] : [status, outcome, revision, cellsChanged]
  const kept =
    revision === undefined
      ? [entry.status]
      : [entry.status, entry.outcome, entry.revision, entry.cellsChanged]
  if (told.join() !== kept.join()) {
    note(found, 'log', `${nameOf(attempt)} was told ${told.join()}, and the log has ${kept.join()}`)
  }
}

/** A push repeated under its Idempotency-Key was applied once, by whichever of its requests. */
function comparePushesSentAgain(
  all: readonly Attempt[],
  recent: readonly Attempt[],
  statusByRequest: ReadonlyMap<string, number>,
  found: Finding[],
): void {
  const wanted = new Set(recent.filter(({ slot }) => slot.isRepeated).map(pushOf))
  const requestsByPush = new Map<string, Attempt[]>()
  for (const attempt of all) {
    const push = pushOf(attempt)
    if (wanted.has(push)) requestsByPush.set(push, [...(requestsByPush.get(push) ?? []), attempt])
  }
  for (const [push, requests] of requestsByPush) {
    const applied = requests.filter(({ requestId }) => (statusByRequest.get(requestId) ?? 503) < 300)
    if (applied.length > 1) note(found, 'twice', `${push} was applied by ${applied.length} of its requests`)
    const isReplayed = requests.some((request) => request.isReplayed)
    if (isReplayed && applied.length === 0)
      note(found, 'lost', `${push} was answered from before and is lost`)
  }
}

function pushOf({ slot, marker }: Attempt): string {
  return `${slot.name} ${marker}`
}

/** Every push that changed a hotel has the next revision: data and log advance together. */
function compareRevisions(
  entries: readonly Entry[],
  revisionByHotel: Map<string, number>,
  found: Finding[],
): void {
  for (const { requestId, kind, hotelId, outcome, revision, cellsChanged } of entries) {
    if (hotelId === null || revision === null) continue
    const before = revisionByHotel.get(hotelId) ?? 0
    const isChanged = kind === 'ari' ? cellsChanged > 0 : outcome === 'applied'
    const expected = isChanged ? before + 1 : before
    if (revision !== expected) {
      note(found, 'log', `${requestId} ${outcome}: ${hotelId} is at ${revision} after ${before}`)
    }
    revisionByHotel.set(hotelId, Math.max(before, revision))
  }
}

/** A push answered before another was sent comes before it in the log. */
function compareOrder(attempts: readonly Attempt[], entries: readonly Entry[], found: Finding[]): void {
  const attemptById = new Map(attempts.map((attempt) => [attempt.requestId, attempt]))
  const latestSent = new Map<Slot, Attempt>()
  for (const { requestId } of entries) {
    const attempt = attemptById.get(requestId)
    if (!attempt) continue
    const latest = latestSent.get(attempt.slot)
    if (latest && isAcknowledged(attempt) && attempt.endedMs < latest.sentMs) {
      note(
        found,
        'order',
        `${nameOf(attempt)} was answered before ${nameOf(latest)} was sent, but comes after it`,
      )
    }
    if (!latest || attempt.sentMs > latest.sentMs) latestSent.set(attempt.slot, attempt)
  }
}

async function compareSlot(slot: Slot, ledger: Ledger, client: Client, found: Finding[]): Promise<void> {
  const read = await slot.read(client)
  const marker = ledger.holder.get(slot)
  if (marker === undefined) throw new Error(`nothing was ever pushed to ${slot.name}`)
  if (isSame(read, slot.written(marker))) return
  const fault = faultIn(slot, read)
  const held = slot.markerIn(read)
  if (fault) note(found, 'half-applied', fault)
  else if (held !== undefined && ledger.attempts.some((one) => one.slot === slot && one.marker === held)) {
    note(found, 'lost', `${slot.name} holds push ${held}, and by the log it is ${marker}`)
  } else note(found, 'half-applied', `${slot.name} holds what nobody pushed: ${read.slice(0, 3).join('; ')}`)
}

/** The values of a slot that are from a different push than the rest; undefined when all are from one. */
export function faultIn(slot: Slot, read: readonly string[]): string | undefined {
  const marker = slot.markerIn(read)
  const whole = marker === undefined ? [] : slot.written(marker)
  if (isSame(read, whole)) return undefined
  const others = read.filter((line) => !whole.includes(line))
  return `${slot.name} holds push ${marker} only in part: ${others.length} of ${read.length} lines are others, such as ${others[0] ?? 'none'}`
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.join('\n') === right.join('\n')
}

/** No hotel is ahead of its log, nor behind it. */
async function compareHotels(
  revisionByHotel: ReadonlyMap<string, number>,
  client: Client,
  found: Finding[],
): Promise<void> {
  const answered = await client.send('/push/getHotels', { hotelIds: [...revisionByHotel.keys()] })
  if (!answered.isAnswered || answered.status !== 200) throw new Unreadable('the hotels')
  const { hotels }: { hotels: { hotelId: string; revision: number }[] } = JSON.parse(answered.text)
  for (const [hotelId, logged] of revisionByHotel) {
    const held = hotels.find((hotel) => hotel.hotelId === hotelId)?.revision ?? 0
    if (held > logged) note(found, 'half-applied', `${hotelId} is at ${held}, and its log at ${logged}`)
    if (held < logged) note(found, 'lost', `${hotelId} is at ${held}, and its log at ${logged}`)
  }
}

function nameOf({ slot, marker, requestId }: Attempt): string {
  return `${slot.name} ${marker} (${requestId})`
}
