import { withoutCardNumbers } from '../base/card-number.ts'
import { answerNotStored, repeatsCard, textOf } from '../outbound/repeated-cards.ts'
import { sqlIsoMillis, type Needs, type Queryable } from '../postgres/postgres.ts'
import type { Called } from '../outbound/call.ts'
import type { CallbackPurpose } from './callback-contract.ts'

/**
 * Stores calls of suppliers' URLs in the sandbox, so that suppliers can watch them arrive. Calls are
 * collected and written together a moment later: no call waits for that, and calls that can't be written are
 * dropped.
 */
export type CallbackWatch = {
  record: (call: WatchedCall) => void
  /** Resolves when all calls so far can be read. */
  written: () => Promise<void>
  close: () => Promise<void>
}

export type WatchedCall = {
  keyId: number
  calls: CallbackPurpose
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
const answerBytesRead = 2 * answerCharactersMax

export function callbackWatch({ db, log }: Pick<Needs, 'db' | 'log'>): CallbackWatch {
  let waiting: RecordedCall[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    if (batch.length === 0) return writing
    writing = writing
      .then(() => insertRecordedCalls(db, batch))
      .catch((error: unknown) => log.warn({ err: error }, 'calls of the sandbox could not be stored'))
    return writing
  }
  return {
    record: (call) => {
      if (waiting.length >= callsPerWriteMax) return
      waiting.push(recordedCall(call))
      timer ??= setTimeout(() => void write(), writeAfterMs).unref()
    },
    written: write,
    close: write,
  }
}

function recordedCall({ body, called, ...call }: WatchedCall): RecordedCall {
  const { text, carriesCard } = withoutCard(body.toString())
  const isAnswered = called.kind === 'answered'
  const answered = isAnswered ? textOf(called.body.subarray(0, answerBytesRead)) : called.message
  return {
    ...call,
    request: storable(text, requestCharactersMax),
    outcome: isAnswered ? 'answered' : called.reason,
    httpStatus: isAnswered ? called.status : null,
    // The answer may repeat the card that was sent.
    answer: carriesCard ? null : storableAnswer(answered),
    durationMs: called.durationMs,
  }
}

/** The answer may also repeat a card that an earlier call carried, in any code. */
function storableAnswer(text: string): string {
  return repeatsCard(text) ? answerNotStored : storable(text, answerCharactersMax)
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
function storable(text: string, charactersMax: number): string {
  return withoutCardNumbers(text.slice(0, charactersMax + charactersBeyond))
    .slice(0, charactersMax)
    .toWellFormed()
    .replaceAll('\u0000', '\uFFFD')
}

/** A call of a supplier's URL, as stored in the sandbox. */
export type RecordedCall = {
  keyId: number
  calls: CallbackPurpose
  url: string
  requestId: string
  webhookId: string
  atMs: number
  request: string
  outcome: string
  httpStatus: number | null
  /** Null if it could repeat a card. */
  answer: string | null
  durationMs: number
}

/** For all suppliers together. */
const callsStoredMax = 5_000

export async function insertRecordedCalls(db: Queryable, batch: readonly RecordedCall[]): Promise<void> {
  await db.query(
    `with kept as (
       insert into sandbox_callback (at, key_id, calls, url, request_id, webhook_id, request, outcome, http_status,
         answer, duration_ms)
       select instant("atMs"), "keyId", calls, url, "requestId", "webhookId", request, outcome,
         "httpStatus", answer, "durationMs"
       from jsonb_to_recordset($1) as seen ("atMs" float8, "keyId" int, calls text, url text, "requestId" text,
         "webhookId" text, request text, outcome text, "httpStatus" int2, answer text, "durationMs" int)
       returning id
     )
     delete from sandbox_callback where id <= (select max(id) from kept) - $2`,
    [JSON.stringify(batch), callsStoredMax],
  )
}

export type ListedCall = Omit<RecordedCall, 'atMs' | 'request' | 'answer' | 'keyId'> & {
  id: number
  at: string
}

const listedColumns = `id, ${sqlIsoMillis('at')} as at, calls, url,
  request_id as "requestId", webhook_id as "webhookId", outcome, http_status as "httpStatus",
  duration_ms as "durationMs"`

/** The newest calls of a supplier's URLs, newest first. */
export async function selectRecordedCalls(
  db: Queryable,
  supplierId: number,
  limit: number,
): Promise<ListedCall[]> {
  const { rows } = await db.query<ListedCall>(
    `select ${listedColumns} from sandbox_callback
     where key_id = any(array(select id from api_key where supplier_id = $1)) order by id desc limit $2`,
    [supplierId, limit],
  )
  return rows
}

export async function selectOptionalRecordedCall(
  db: Queryable,
  supplierId: number,
  id: number,
): Promise<(ListedCall & Pick<RecordedCall, 'request' | 'answer'>) | undefined> {
  const { rows } = await db.query<ListedCall & Pick<RecordedCall, 'request' | 'answer'>>(
    `select ${listedColumns}, request, answer from sandbox_callback
     where id = $2 and key_id = any(array(select id from api_key where supplier_id = $1))`,
    [supplierId, id],
  )
  return rows[0]
}
