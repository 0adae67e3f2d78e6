/**
 * Many concurrent clients, each of which sends its next push when the last is answered, and records the
 * answers.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { clientOf, type Client } from './http.ts'
import { faultIn, isAcknowledged, type Attempt, type Finding, type Ledger } from './ledger.ts'
import { Unreadable, type Slot } from './slots.ts'

export type Load = {
  /** Starts no further push; resolves when those in progress are answered or broken off. */
  stop: () => Promise<void>
  clients: number
  /** Whether every client has had a push acknowledged that it sent after this time. */
  allAcknowledgedSince: (sinceMs: number) => boolean
}

/** The pushes of one client; outlives a load, because a push is repeated after the crash. */
export type Writer = {
  slot: Slot
  number: number
  pending: number | undefined
  attempts: number
  acknowledgedSentMs: number
}

export type Writers = { all: Writer[]; markers: Map<Slot | 'any', Iterator<number>> }

export function writersOf(slots: readonly Slot[]): Writers {
  const all = slots.flatMap((slot) =>
    Array.from({ length: slot.writers }, (_, number) => ({
      slot,
      number,
      pending: undefined,
      attempts: 0,
      acknowledgedSentMs: 0,
    })),
  )
  const markers = new Map<Slot | 'any', Iterator<number>>([['any', counted()]])
  for (const slot of slots) if (slot.winner === 'highest') markers.set(slot, shuffled())
  return { all, markers }
}

function* counted(): Generator<number> {
  for (let marker = 1; ; marker++) yield marker
}

const windowSize = 12

/** Every number once, but not in order: within a window any may come first. */
function* shuffled(): Generator<number> {
  for (let from = 1; ; from += windowSize) {
    const window = Array.from({ length: windowSize }, (_, index) => from + index)
    while (window.length > 0) {
      const [marker] = window.splice(Math.floor(Math.random() * window.length), 1)
      if (marker !== undefined) yield marker
    }
  }
}

function nextMarker({ markers }: Writers, slot: Slot): number {
  const next = (markers.get(slot) ?? markers.get('any'))?.next()
  if (next === undefined || next.done) throw new Error('markers have no end')
  return next.value
}

/** After a fault far shorter than the answer's Retry-After, so that the end of an outage is seen soon. */
const pauseMs = { betweenPushes: 6, afterFault: 80 }

/** One push of a writer: the one still to be acknowledged, or a new one. */
export async function pushOnce(
  writer: Writer,
  writers: Writers,
  client: Client,
  ledger: Ledger,
): Promise<Attempt> {
  const { slot } = writer
  const marker = writer.pending ?? nextMarker(writers, slot)
  const push = `${slot.name.replaceAll(' ', '_')}-${marker}`
  const requestId = `${push}-${++writer.attempts}.${writer.number}`
  const sentMs = performance.now()
  const answered = await client.send(slot.path, slot.body(marker, writer.number), {
    'x-request-id': requestId,
    ...(slot.isRepeated ? { 'idempotency-key': push } : {}),
  })
  const attempt: Attempt = {
    slot,
    marker,
    requestId,
    sentMs,
    endedMs: performance.now(),
    status: answered.isAnswered ? answered.status : undefined,
    isReplayed: answered.isAnswered && answered.headers['idempotency-replayed'] === 'true',
    retryAfter: answered.isAnswered ? answered.headers['retry-after'] : undefined,
    ...(answered.isAnswered
      ? toldBy(answered.text)
      : { why: answered.why, revision: undefined, cellsChanged: undefined }),
  }
  ledger.attempts.push(attempt)
  if (isAcknowledged(attempt)) writer.acknowledgedSentMs = sentMs
  writer.pending = slot.isRepeated && !isAcknowledged(attempt) ? marker : undefined
  return attempt
}

type Told = {
  revision?: number
  summary?: { cellsChanged: number }
  errors?: { type: string }[]
}

function toldBy(text: string): Pick<Attempt, 'why' | 'revision' | 'cellsChanged'> {
  let told: Told = {}
  try {
    told = JSON.parse(text)
  } catch {
    // It broke off; the client knows only the status.
  }
  return {
    why: told.errors?.[0]?.type ?? text.slice(0, 200),
    revision: told.revision,
    cellsChanged: told.summary?.cellsChanged,
  }
}

export type LoadNeeds = {
  /** One for each service; the writers are spread over them. */
  urls: readonly string[]
  apiKey: string
  slots: readonly Slot[]
  writers: Writers
  ledger: Ledger
  /** Values that readers saw although no push ever wrote them. */
  found: Finding[]
}

/** All writers, and a reader that reads every slot in turn. */
export function startLoad({ urls, apiKey, slots, writers, ledger, found }: LoadNeeds): Load {
  const clients = urls.map((url) => clientOf(url, apiKey))
  let isOver = false
  const write = async (writer: Writer, client: Client): Promise<void> => {
    while (!isOver) {
      const attempt = await pushOnce(writer, writers, client, ledger)
      const most = isAcknowledged(attempt) ? pauseMs.betweenPushes : pauseMs.afterFault
      await wait(Math.random() * most)
    }
  }
  const look = async (client: Client): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      const slot = slots[turn % slots.length]
      if (!slot) return
      const acknowledged = newestAcknowledged(ledger, slot)
      try {
        const read = await slot.read(client)
        const fault = faultIn(slot, read)
        if (fault) found.push({ kind: 'half-applied', text: `read under load: ${fault}` })
        const held = slot.markerIn(read) ?? 0
        if (acknowledged !== undefined && held < acknowledged) {
          found.push({
            kind: 'lost',
            text: `${slot.name} was read as ${held} after ${acknowledged} was acknowledged`,
          })
        }
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        await wait(pauseMs.afterFault)
      }
      await wait(Math.random() * pauseMs.betweenPushes)
    }
  }
  const running = [
    ...writers.all.flatMap((writer, index) => {
      const client = clients[index % clients.length]
      return client ? [write(writer, client)] : []
    }),
    ...clients.map(look),
  ]
  return {
    clients: writers.all.length,
    stop: async () => {
      isOver = true
      await Promise.all(running)
      for (const client of clients) client.close()
    },
    allAcknowledgedSince: (sinceMs) => writers.all.every((writer) => writer.acknowledgedSentMs >= sinceMs),
  }
}

const lookedBack = 400

/**
 * When one client pushes rising numbers, or the highest number wins, a later read can't show a smaller one.
 */
function newestAcknowledged(ledger: Ledger, slot: Slot): number | undefined {
  if (slot.writers > 1 && slot.winner === 'last') return undefined
  const markers = ledger.attempts
    .slice(-lookedBack)
    .filter((attempt) => attempt.slot === slot && isAcknowledged(attempt))
    .map(({ marker }) => marker)
  return markers.length === 0 ? undefined : Math.max(...markers)
}
