import Type from 'typebox'
import { raiseCatalogVersion } from '../../hotels/store.ts'
import { Rejected, rejectIfAny } from '../../http/rejected.ts'
import { validator } from '../../http/validation/validate.ts'
import {
  cancelPenaltiesPerPolicyMax,
  cancelPenalty,
  type CancelPenalty,
} from '../../reference/cancel-penalty-contract.ts'
import { cancelPolicyProblems } from './policy-rules.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import type { CancelCode } from '../../reference/cancel-codes.ts'
import { putCancelCode } from '../../reference/store.ts'

/**
 * Adds a code for cancellation policies, or changes it. Products that have the code without penalties of their own are
 * sold on its terms from then on.
 */
export async function addCancelCode(connection: Transaction, entry: CancelCode): Promise<void> {
  const hotels = await selectHotelsWithCode(connection, entry.code)
  await putCancelCode(connection, entry, () => Promise.resolve(hotels.length > 0))
  for (const hotelId of hotels) await raiseCatalogVersion(connection, hotelId, 'products')
}

async function selectHotelsWithCode(connection: Transaction, code: string): Promise<number[]> {
  const { rows } = await connection.query<{ id: number }>(
    `select id from hotel
     where id in (select hotel_id from room_rate where cancel_policies @> $1::jsonb)
     order by id for no key update`,
    [JSON.stringify([{ code }])],
  )
  return rows.map(({ id }) => id)
}

const penaltiesShape = validator(Type.Array(cancelPenalty, { maxItems: cancelPenaltiesPerPolicyMax }))

/** The penalties of a code from their JSON: those of a policy, without amounts, which belong to a currency. */
export function penaltiesOfCode(json: string): CancelPenalty[] {
  const penalties = parsed(json)
  const { problems } = penaltiesShape.judge(penalties)
  rejectIfAny(problems)
  rejectIfAny(cancelPolicyProblems([{ cancelPenalties: penalties }], '', undefined))
  if (!penaltiesShape.matches(penalties)) throw new TypeError('penalties without a problem are penalties')
  const index = penalties.findIndex(({ penaltyCharge: { amount } }) => Number(amount ?? 0) > 0)
  if (index === -1) return penalties
  throw new Rejected(400, {
    type: 'PENALTY_INVALID',
    message: 'A code has no amounts of money: they would be of one currency',
    path: `/${index}/penaltyCharge/amount`,
    hint: 'Send percent or nights',
  })
}

function parsed(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json)
    return value
  } catch {
    throw new Rejected(400, {
      type: 'INVALID_JSON',
      message: 'The penalties are not JSON',
      hint: `For example '[{"penaltyCharge":{"chargeBase":"FullStay","percent":50}}]'`,
    })
  }
}
