import { withoutCardNumbers } from '../base/card-number.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Called } from '../outbound/call.ts'
import { keepSeenCalls, type SeenCall } from './callback-watch-store.ts'
import type { SeenCalls } from './faults-contract.ts'

/**
 * Calls of suppliers' URLs in the sandbox, kept for those who watch them arrive. What is seen is gathered and written
 * together a moment later: no call waits for it, and what can't be written is let go.
 */
export type CallbackWatch = {
  saw: (call: WatchedCall) => void
  /** Comes back when what was seen until now can be read. */
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
/** Of one write; a flood of calls is not what anybody can watch. */
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
    // It may repeat the card that it got.
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

/** Read beyond what is kept, so that no number of a card is cut in two and so mistaken for none. */
const charactersBeyond = 100

/** What PostgreSQL keeps. */
function kept(text: string, charactersMax: number): string {
  return withoutCardNumbers(text.slice(0, charactersMax + charactersBeyond))
    .slice(0, charactersMax)
    .toWellFormed()
    .replaceAll('\u0000', '\uFFFD')
}
