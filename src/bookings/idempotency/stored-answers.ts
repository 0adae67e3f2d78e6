import { sweep } from '../../postgres/connections/queryable.ts'
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { OwnedKey } from '../../http/calls/call.ts'
import type { Answer, Answered } from '../../http/calls/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { CardVault } from '../../cards/card-vault.ts'

/**
 * Stored answers to bookings (the platform's, and suppliers' test bookings) made under an Idempotency-Key: a
 * repeated call gets the answer of the first.
 */

const repeatableForMs = 24 * 60 * 60 * 1000

/**
 * A call that may be repeated: its owner, its key, and hashes of its request; the hash by the present vault
 * key comes first.
 */
export type Repeatable = {
  ownedKey: OwnedKey
  requestHashes: readonly [Buffer, ...Buffer[]]
}

/**
 * Undefined when the call has no key. The body may contain a card: hashing it with the vault's key keeps the
 * hash from revealing the card; without a vault, cards are neither kept nor hashed. A call from before a
 * vault key rotation is recognized by the previous key.
 */
export function repeatable(
  ownedKey: OwnedKey | undefined,
  call: { route: string; reservationId: string | undefined; body: Record<string, unknown> | undefined },
  vault: CardVault,
): Repeatable | undefined {
  if (!ownedKey) return undefined
  const card = call.body && isRecord(call.body['payment']) ? call.body['payment']['card'] : undefined
  const fingerprints = card === undefined ? [] : vault.fingerprints(JSON.stringify(card))
  const hashBy = (fingerprint: string | null): Buffer => {
    const text = JSON.stringify(call, (name, value: unknown) => (name === 'card' ? fingerprint : value))
    return createHash('sha256').update(text).digest()
  }
  const [first = null, ...others] = fingerprints
  return { ownedKey, requestHashes: [hashBy(first), ...others.map(hashBy)] }
}

/**
 * `token_id` is the id of a platform token, or minus the number of a supplier's key, so that no two owners
 * share a row.
 */
function ownerColumn({ owner }: OwnedKey): number {
  return 'tokenId' in owner ? owner.tokenId : -owner.keyId
}

type StoredAnswer = { requestHash: Buffer; status: number; answer: string }

/** The stored answer to a call that was answered within 24 hours; refuses the key if the request differs. */
export async function selectStoredAnswer<Body>(
  db: Queryable,
  request: Repeatable,
  nowMs: number,
): Promise<Answered<Body> | undefined> {
  const { rows } = await db.query<StoredAnswer>({
    name: 'select-kept-answer',
    text: `select request_hash as "requestHash", status, answer from booking_answer
      where token_id = $1 and idempotency_key = $2 and at > instant($3)`,
    values: [ownerColumn(request.ownedKey), request.ownedKey.key, nowMs - repeatableForMs],
  })
  const [stored] = rows
  return stored && answerOf(stored, request)
}

/** A call that its process doesn't renew any more, because the process died, is forgotten after this time. */
const callForgottenAfter = '15 seconds'
export const callRenewedEveryMs = 5_000

/**
 * Begins a call, unless it was answered within 24 hours or another process is working on it: then its answer is
 * returned, or 409 thrown. Beside an unfinished first call, a repeat could be refused for a stay that is being booked.
 */
export async function beginCall<Body>(
  db: Queryable,
  request: Repeatable,
  {
    callId,
    left,
    nowMs,
  }: {
    /** Ends the call. */
    callId: string
    /** Calls under the key that have ended, whether or not the store knows it. */
    left: readonly string[]
    nowMs: number
  },
): Promise<Answered<Body> | undefined> {
  const { ownedKey } = request
  const { rows } = await db.query<Partial<StoredAnswer> & { isBegun: boolean }>({
    name: 'begin-booking-call',
    text: `with answered as (
        select request_hash, status, answer from booking_answer
        where token_id = $1 and idempotency_key = $2 and at > instant($3)
      ), begun as (
        insert into booking_call as present (token_id, idempotency_key, call, at)
        select $1, $2, $4, now() where not exists (select from answered)
        on conflict (token_id, idempotency_key) do update set call = excluded.call, at = excluded.at
          where present.at < now() - interval '${callForgottenAfter}' or present.call = any($5)
        returning call
      )
      select exists (select from begun) as "isBegun", request_hash as "requestHash", status, answer
      from (select) as one left join answered on true`,
    values: [ownerColumn(ownedKey), ownedKey.key, nowMs - repeatableForMs, callId, left],
  })
  const [found] = rows
  const { requestHash, status, answer } = found ?? {}
  if (requestHash && typeof status === 'number' && typeof answer === 'string')
    return answerOf({ requestHash, status, answer }, request)
  if (found?.isBegun !== true) throw keyInUse()
  return undefined
}

/** Tells that a call is still under way. */
export async function renewCall(db: Queryable, { ownedKey }: Repeatable, callId: string): Promise<void> {
  await db.query({
    name: 'renew-booking-call',
    text: 'update booking_call set at = now() where token_id = $1 and idempotency_key = $2 and call = $3',
    values: [ownerColumn(ownedKey), ownedKey.key, callId],
  })
}

/** Ends calls that were refused or failed: they may be repeated at once. An answered one ends with its answer. */
export async function endCall(
  db: Queryable,
  { ownedKey }: Repeatable,
  callIds: readonly string[],
): Promise<void> {
  await db.query({
    name: 'end-booking-call',
    text: 'delete from booking_call where token_id = $1 and idempotency_key = $2 and call = any($3)',
    values: [ownerColumn(ownedKey), ownedKey.key, callIds],
  })
}

function answerOf<Body>(stored: StoredAnswer, { requestHashes }: Repeatable): Answered<Body> {
  if (!requestHashes.some((hash) => stored.requestHash.equals(hash))) {
    throw new Rejected(422, {
      type: 'IDEMPOTENCY_KEY_REUSED',
      message: 'Idempotency-Key was used before with another body',
      path: 'idempotency-key',
      hint: 'Use a new key for a new request',
    })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: what the same route answered, as it was kept.
  const body = JSON.parse(stored.answer) as Body
  return { status: stored.status, body, json: stored.answer, headers: { 'idempotency-replayed': 'true' } }
}

/**
 * Stores an answer with the ids it concerns, as the last step before the commit. A second transaction that
 * answers the same key fails here and is rolled back.
 */
export async function storeAnswer(
  connection: Queryable,
  { ownedKey, requestHashes: [requestHash] }: Repeatable,
  { status, json }: Answer,
  nowMs: number,
): Promise<void> {
  try {
    await connection.query({
      name: 'keep-answer',
      // A row older than 24 hours counts as deleted. For a newer row the status becomes null, which the table
      // refuses: the statement itself must fail, because the commit has already been sent.
      text: `with ended as (delete from booking_call where token_id = $1 and idempotency_key = $2)
        insert into booking_answer as present (token_id, idempotency_key, request_hash, at, status, answer)
        values ($1, $2, $3, instant($4), $5, $6)
        on conflict (token_id, idempotency_key) do update
          set request_hash = excluded.request_hash, at = excluded.at, answer = excluded.answer,
            status = case when present.at <= instant($7) then excluded.status end`,
      values: [
        ownerColumn(ownedKey),
        ownedKey.key,
        requestHash,
        nowMs,
        status,
        json,
        nowMs - repeatableForMs,
      ],
    })
  } catch (cause) {
    throw isAnsweredAlready(cause) ? keyInUse() : cause
  }
}

function isAnsweredAlready(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23502' && error.table === 'booking_answer'
}

export function keyInUse(): Rejected {
  return new Rejected(
    409,
    {
      type: 'IDEMPOTENCY_KEY_IN_USE',
      message: 'A request with this Idempotency-Key is being processed',
      path: 'idempotency-key',
      hint: 'Send the same request again: the stored answer will be returned',
    },
    { headers: { 'retry-after': '1' } },
  )
}

export async function deleteOldAnswers(db: Queryable, nowMs: number): Promise<number> {
  await db.query(`delete from booking_call where at < now() - interval '${callForgottenAfter}'`)
  return sweep(
    db,
    `delete from booking_answer where ctid = any(array(
       select ctid from booking_answer where at <= instant($1) limit $2))`,
    nowMs - repeatableForMs,
  )
}
