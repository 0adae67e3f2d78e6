import type { Push } from '../../http/calls/call.ts'
import type { Rejected } from '../../http/rejected.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { workOn } from '../bodies/body-work.ts'
import { selectHotelIds } from '../hotel-ids.ts'
import { readCodesNamed } from './codes-named.ts'
import { countPush, inShort, keepPushes, type Kept, type PushRecord } from './keep.ts'

/** A larger body isn't parsed again just to find out which hotel it named. */
const readAgainBytesMax = 1024 * 1024

/**
 * Logs a refused push under the hotels it named, so that a supplier finds it in the expected place. This has
 * its own transaction, because the push itself was rolled back.
 */
export async function keepRefused(
  needs: Needs,
  push: Push,
  rejected: Rejected,
  answerJson: string,
): Promise<void> {
  const record = await refusedRecord(needs.db, push, rejected, answerJson)
  await keepPushes(needs.db, [record], needs.clock.now())
  countPush(needs.telemetry, record)
}

export async function refusedRecord(
  db: Queryable,
  push: Push,
  { status, problems, unlisted }: Rejected,
  answerJson: string,
): Promise<PushRecord> {
  const kept: Kept = {
    outcome: 'rejected',
    problems: inShort(problems, unlisted),
    warnings: inShort(push.warnings.listed, push.warnings.unlisted),
    ...(await hotelsOf(db, push)),
  }
  // A repeated refusal is judged again: nothing is stored under its Idempotency-Key.
  return { push: { ...push, idempotencyKey: undefined }, answer: { status, json: answerJson }, kept }
}

async function hotelsOf(db: Queryable, push: Push): Promise<Partial<Kept>> {
  const codes = await codesIn(push)
  if (codes.length === 0) return {}
  const idByCode = await selectHotelIds(db, push.caller.supplierId, codes)
  const [only, ...others] = codes
  if (only !== undefined && others.length === 0) return { hotelCode: only, hotelId: idByCode.get(only) }
  return { hotelIds: [...idByCode.values()] }
}

async function codesIn({ rawBody, caller }: Push): Promise<string[]> {
  if (rawBody === undefined || rawBody.length > readAgainBytesMax) return []
  return workOn(readCodesNamed, caller.supplierId, [rawBody], undefined)
}
