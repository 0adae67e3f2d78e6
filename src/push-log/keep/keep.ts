import { createHash } from 'node:crypto'
import pg from 'pg'
import { type Needs, numberArray, textArray, type Queryable } from '../../postgres/postgres.ts'
import { overloaded, Rejected, type Problem } from '../../http/rejected.ts'
import type { Push } from '../../http/calls/call.ts'
import type { Answer } from '../../http/calls/mount.ts'
import type { Telemetry } from '../../base/telemetry.ts'
import { transaction } from '../../postgres/transaction.ts'
import { withWarnings } from '../../http/calls/warnings.ts'
import { Places } from './places.ts'
import { plainEncoding } from '../bodies/plain-answer.ts'
import { isUuid } from '../request-ids.ts'
import { inBatch } from '../bodies/stored-bytes.ts'
import { type PushOutcome, type PushProblems, problemMessageMax, problemTypesMax } from '../contract.ts'

const repeatableForMs = 24 * 60 * 60 * 1000

/** The outcome of a push, besides its answer. */
export type Kept = {
  outcome: PushOutcome
  /** Absent for pushes that name no known hotel, and for those of several hotels. */
  hotelId?: number | undefined
  /** The hotels of a push with several; `hotelId` is then absent. */
  hotelIds?: readonly number[]
  hotelCode?: string | undefined
  /** The hotel's revision after the push. */
  revision?: number | undefined
  cellsChanged?: number
  /** The same for each item, if the answer is the plain one and consists of nothing else. */
  cellsByItem?: readonly number[] | undefined
  /** The values of ARI that the push replaced, encoded. */
  before?: Buffer | undefined
  problems?: PushProblems | undefined
  /** Warnings of the answer. Defaults to those at the top level of the answer. */
  warnings?: PushProblems | undefined
}

export type PushRecord = { push: Push; answer: Answer; kept: Kept }

/** A push with further work for the transaction that applies it. */
export type PushToApply = Push & {
  alongside?: (connection: Queryable, record: PushRecord) => Promise<void>
}

/** In place of a key: the platform has none, and its pushes are logged without. */
export const noKeyId = 0

/** A logged push with its sender; the platform's own changes have no key. */
type LoggedRecord = Omit<PushRecord, 'push'> & {
  push: Pick<Push, 'kind' | 'requestId' | 'rawBody' | 'startedMs'> & {
    caller: { supplierId: number; keyId: number | null }
  }
}

/**
 * Logs pushes and their answers inside the transaction that applies them: acknowledged pushes are in the log,
 * rolled-back ones are not. One statement for any number; long bodies and answers are sent as one byte string that the
 * server splits, because arrays of bytes would be sent as text. Short ones stay one byte string, a batch.
 */
export async function keepPushes(
  connection: Queryable,
  records: readonly LoggedRecord[],
  nowMs: number,
): Promise<void> {
  const places = new Places()
  const bodies = records.map(({ push }) => places.place(push.rawBody ?? Buffer.alloc(0)))
  const answers = records.map((record) => places.placeAnswer(record))
  const befores = records.map(({ kept }) => places.placeBytes(kept.before))
  const numbers = (read: (record: LoggedRecord) => number | null | undefined): string =>
    numberArray(records.map((record) => read(record) ?? null))
  const texts = (read: (record: LoggedRecord) => string | null | undefined): string =>
    textArray(records.map((record) => read(record) ?? null))
  await connection.query({
    name: 'keep-pushes',
    text: keepPushesStatement,
    values: [
      nowMs,
      places.batch(),
      places.others(),
      numbers(({ push }) => push.caller.supplierId),
      numbers(({ push }) => push.caller.keyId || null),
      texts(({ push }) => (isUuid(push.requestId) ? push.requestId : null)),
      texts(({ push }) => (isUuid(push.requestId) ? null : push.requestId)),
      texts(({ push }) => push.kind),
      numbers(({ kept }) => kept.hotelId),
      texts(({ kept }) => kept.hotelCode),
      texts(({ kept }) => kept.outcome),
      numbers(({ answer }) => answer.status),
      numbers(({ kept }) => kept.revision),
      numbers(({ kept }) => kept.cellsChanged ?? 0),
      numbers(({ push }) => Math.max(0, Math.round(performance.now() - push.startedMs))),
      numbers(({ push }) => push.rawBody?.length ?? 0),
      textArray(bodies.map(({ encoding }) => encoding)),
      numberArray(bodies.map(({ start }) => start)),
      numberArray(bodies.map(({ length }) => length)),
      textArray(answers.map(({ encoding }) => encoding)),
      numberArray(answers.map(({ start }) => start)),
      numberArray(answers.map(({ length }) => length)),
      texts(({ kept }) => (kept.hotelIds ? numberArray(kept.hotelIds) : null)),
      texts(({ kept }) => storedSummary(kept.problems)),
      texts(({ kept, answer }) => storedSummary(kept.warnings ?? inShort(answer.warnings ?? []))),
      numberArray(befores.map(({ start }) => start)),
      numberArray(befores.map(({ length }) => length)),
    ],
  })
}

const keepPushesStatement = `
  with made as (
    insert into push_body_batch (at, bytes) select instant($1), $2::bytea where octet_length($2::bytea) > 0 returning batch
  )
  insert into push_log (at, supplier_id, key_id, request_uuid, request_text, kind, hotel_id, hotel_ids, hotel_code, outcome,
    problems, warnings, status, revision, cells_changed, duration_ms, body_bytes, body_encoding, body, answer_encoding, answer,
    batch, body_from, answer_from, answer_length, before)
  select instant($1), supplier_id, key_id, request_uuid, request_text, kind, hotel_id,
    -- unnest can't split a list of lists, so each list of hotels is sent as text.
    hotel_ids::int[], hotel_code, outcome, problems::jsonb, warnings::jsonb, nullif(status, 200), revision, cells_changed,
    duration_ms, body_bytes,
    nullif(body_encoding, '${inBatch}'),
    case when body_encoding <> '${inBatch}' then substring($3::bytea from body_start + 1 for body_length) end,
    case when answer_encoding not in ('${inBatch}', '${plainEncoding}') then answer_encoding end,
    case when answer_encoding <> '${inBatch}' and answer_length > 0
      then substring($3::bytea from answer_start + 1 for answer_length) end,
    case when '${inBatch}' in (body_encoding, answer_encoding) then (select batch from made) end,
    case when body_encoding = '${inBatch}' then body_start end,
    case when answer_encoding = '${inBatch}' then answer_start end,
    case when answer_encoding = '${inBatch}' then answer_length end,
    case when before_length > 0 then substring($3::bytea from before_start + 1 for before_length) end
  from unnest($4::int[], $5::int[], $6::uuid[], $7::text[], $8::push_kind[], $9::int[], $10::text[], $11::push_outcome[],
    $12::int[], $13::int8[], $14::int[], $15::int[], $16::int[], $17::text[], $18::int[], $19::int[], $20::text[], $21::int[],
    $22::int[], $23::text[], $24::text[], $25::text[], $26::int[], $27::int[])
    as pushed (supplier_id, key_id, request_uuid, request_text, kind, hotel_id, hotel_code, outcome, status, revision,
      cells_changed, duration_ms, body_bytes, body_encoding, body_start, body_length, answer_encoding, answer_start,
      answer_length, hotel_ids, problems, warnings, before_start, before_length)`

/**
 * Stores the answers of accepted pushes with an Idempotency-Key, for repeats. If two transactions answer the
 * same key, the later one fails here and is rolled back, and its caller gets 409. In a pipelined transaction
 * this is the last statement before the commit, so that its failure makes no later statement fail.
 */
export async function keepAnswers(
  connection: Queryable,
  records: readonly PushRecord[],
  nowMs: number,
): Promise<void> {
  const repeatable = records.filter(
    ({ push, answer }) => push.idempotencyKey !== undefined && answer.status < 300,
  )
  if (repeatable.length === 0) return
  try {
    await connection.query(
      // A row older than 24 hours counts as deleted. For any other row the status becomes null, which the
      // table refuses: the statement itself must fail, because a pipelined commit is already on its way.
      `insert into idempotency as held (key_id, idempotency_key, body_hash, at, status, answer)
       select key_id, idempotency_key, decode(body_hash, 'hex'), instant($1), status, convert_to(answer, 'UTF8')
       from unnest($3::int[], $4::text[], $5::text[], $6::int[], $7::text[])
         as answered (key_id, idempotency_key, body_hash, status, answer)
       on conflict (key_id, idempotency_key) do update
         set body_hash = excluded.body_hash, at = excluded.at, answer = excluded.answer,
           status = case when held.at <= instant($2) then excluded.status end`,
      [
        nowMs,
        nowMs - repeatableForMs,
        repeatable.map(({ push }) => push.caller.keyId),
        repeatable.map(({ push }) => push.idempotencyKey),
        repeatable.map(({ push }) => bodyHash(push).toString('hex')),
        repeatable.map(({ answer }) => answer.status),
        repeatable.map(({ answer }) => answer.json),
      ],
    )
  } catch (cause) {
    if (repeatable.length === 1 && isAnsweredAlready(cause)) throw keyInUse()
    throw cause
  }
}

function isAnsweredAlready(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23502' && error.table === 'idempotency'
}

function keyInUse(): Rejected {
  return new Rejected(409, {
    type: 'IDEMPOTENCY_KEY_IN_USE',
    message: 'A push with this Idempotency-Key is being processed',
    path: 'idempotency-key',
    hint: 'Send the same request again: the stored answer will be returned',
  })
}

function bodyHash(push: Push): Buffer {
  return createHash('sha256')
    .update(`${push.kind}\n`)
    .update(push.rawBody ?? Buffer.alloc(0))
    .digest()
}

/**
 * The stored answer of an earlier push with the same Idempotency-Key, within 24 hours. Reusing the key with
 * another body or for another endpoint is refused. Only answers to accepted pushes are stored: a refused push
 * changed nothing and is judged again.
 */
export async function replayedAnswer(db: Queryable, push: Push): Promise<Answer | undefined> {
  const { rows } = await db.query<{ body_hash: Buffer; status: number; answer: Buffer }>(
    `select body_hash, status, answer from idempotency
     where key_id = $1 and idempotency_key = $2 and at > instant($3)`,
    [push.caller.keyId, push.idempotencyKey, push.receivedAtMs - repeatableForMs],
  )
  const [stored] = rows
  if (!stored) return undefined
  if (!stored.body_hash.equals(bodyHash(push))) {
    throw new Rejected(422, {
      type: 'IDEMPOTENCY_KEY_REUSED',
      message: 'Idempotency-Key was used before with another body',
      path: 'idempotency-key',
      hint: 'Use a new key for a new push',
    })
  }
  return {
    status: stored.status,
    json: stored.answer.toString(),
    headers: { 'idempotency-replayed': 'true' },
  }
}

/**
 * Applies a push and logs it with its answer, in one transaction. `work` returns the answer; if it throws,
 * everything is rolled back. A key has few transactions at a time; its other pushes wait without a
 * connection.
 */
export async function applyAndLog(
  needs: Needs,
  push: PushToApply,
  work: (connection: Queryable) => Promise<Omit<PushRecord, 'push'>>,
): Promise<Answer> {
  const { writes } = needs.db
  const { keyId } = push.caller
  const turn = writes.enter(keyId)
  if (!turn) {
    needs.telemetry.limited.inc({ limit: 'writes_of_key' })
    throw overloaded()
  }
  await turn
  try {
    const record = await transaction(needs.db, async (connection) => {
      const { answer, kept } = push.isRehearsed ? await rehearsed(connection, work) : await work(connection)
      const done = { push, answer: withWarnings(answer, push.warnings), kept }
      await keepPushes(connection, [done], needs.clock.now())
      await keepAnswers(connection, [done], needs.clock.now())
      await push.alongside?.(connection, done)
      return done
    })
    countPush(needs.telemetry, record)
    return record.answer
  } finally {
    writes.leave(keyId)
  }
}

/** The answer of work that is undone. Its hotel may not exist, so the log names none. */
async function rehearsed(
  connection: Queryable,
  work: (connection: Queryable) => Promise<Omit<PushRecord, 'push'>>,
): Promise<Omit<PushRecord, 'push'>> {
  await connection.query('savepoint rehearsal')
  const { answer, kept } = await work(connection)
  await connection.query('rollback to savepoint rehearsal')
  return { answer, kept: { outcome: 'dryRun', hotelCode: kept.hotelCode } }
}

export function countPush(telemetry: Telemetry, { push, kept }: PushRecord): void {
  telemetry.pushes.inc({ kind: push.kind, outcome: kept.outcome })
  if (kept.cellsChanged) telemetry.cells.inc(kept.cellsChanged)
}

/**
 * The summary of a push's problems that the log stores besides its answer, for lists and searches; undefined
 * if there were none. `unlisted`: number of problems beyond the given ones.
 */
export function inShort(problems: readonly Problem[], unlisted = 0): PushProblems | undefined {
  const [first] = problems
  if (!first) return undefined
  const types = new Set<string>()
  for (const { type } of problems) if (types.size < problemTypesMax) types.add(type)
  return { count: problems.length + unlisted, types: [...types], message: storable(first.message) }
}

/** Without the names of members, which take as much as a type. */
function storedSummary(problems: PushProblems | undefined): string | null {
  return problems ? JSON.stringify([problems.count, problems.types, problems.message]) : null
}

/** A message may quote arbitrary input; PostgreSQL stores neither NUL nor half a surrogate pair. */
function storable(message: string): string {
  return message
    .slice(0, problemMessageMax)
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
}
