import { withoutCardNumbers } from '../base/card-number.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Called } from '../outbound/call.ts'
import { keepSeenCalls, type SeenCall } from './callback-watch-store.ts'
import type { SeenCalls } from './faults-contract.ts'

/**
 * Stores calls of suppliers' URLs in the sandbox, so that suppliers can watch them arrive. Calls are
 * collected and written together a moment later: no call waits for that, and calls that can't be written are
 * dropped.
 */
export type CallbackWatch = {
  saw: (call: WatchedCall) => void
  /** Resolves when all calls so far can be read. */
  written: () => Promise<void>
  close: () => Promise<void>
}

export type WatchedCall = {
  keyId: number
  calls: SeenCalls
  url: string
  requestId: string
  webhookId: string
  atMs: number
  body: Buffer
  called: Called
}

const writeAfterMs = 200
/** Per write; nobody can watch a flood of calls. */
const callsPerWriteMax = 50
const requestCharactersMax = 64 * 1024
const answerCharactersMax = 16 * 1024

export function callbackWatch({ db, log }: Pick<Needs, 'db' | 'log'>): CallbackWatch {
  let waiting: SeenCall[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const seen = waiting
    waiting = []
    if (seen.length === 0) return writing
    writing = writing
      .then(() => keepSeenCalls(db, seen))
      .catch((error: unknown) => log.warn({ err: error }, 'calls of the sandbox could not be kept'))
    return writing
  }
  return {
    saw: (call) => {
      if (waiting.length >= callsPerWriteMax) return
      waiting.push(seenCall(call))
      timer ??= setTimeout(() => void write(), writeAfterMs).unref()
    },
    written: write,
    close: write,
  }
}

function seenCall({ body, called, ...call }: WatchedCall): SeenCall {
  const { text, carriesCard } = withoutCard(body.toString())
  const isAnswered = called.kind === 'answered'
  const answered = isAnswered ? called.body.toString() : called.message
  return {
    ...call,
    request: kept(text, requestCharactersMax),
    outcome: isAnswered ? 'answered' : called.reason,
    httpStatus: isAnswered ? called.status : null,
    // The answer may repeat the card that was sent.
    answer: carriesCard ? null : kept(answered, answerCharactersMax),
    durationMs: called.durationMs,
  }
}

const cardMember = 'paymentcarddetail'

function withoutCard(text: string): { text: string; carriesCard: boolean } {
  if (!text.includes(`"${cardMember}"`)) return { text, carriesCard: false }
  const hidden = JSON.stringify(JSON.parse(text), (name: string, value: unknown) =>
    name === cardMember ? '[hidden]' : value,
  )
  return { text: hidden, carriesCard: true }
}

/** Extra text scanned beyond the stored part, so that a truncated card number is still recognised as one. */
const charactersBeyond = 100

/** Text that PostgreSQL can store. */
function kept(text: string, charactersMax: number): string {
  return withoutCardNumbers(text.slice(0, charactersMax + charactersBeyond))
    .slice(0, charactersMax)
    .toWellFormed()
    .replaceAll('\u0000', '\uFFFD')
}
