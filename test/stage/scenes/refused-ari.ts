import assert from 'node:assert/strict'
import type { TestClient, TestGateway } from '../harness.ts'
import { expectOk, problemsOf, pushStoryHotel } from '../story.ts'

/** Pushes of ARI that are refused: each with its name, its items, its problems, and other members of its body. */

export type Fields = Record<string, unknown>
export type Problem = [path: string, type: string, message: string]
export type Refusal = [name: string, items: Fields | Fields[], problems: Problem[], body?: Fields]

export const night = (item: Fields): Fields => ({ roomId: 'DBL', date: '2027-04-01', ...item })
export const bar = (line: Fields): Fields => night({ rates: [{ rateId: 'BAR', ...line }] })
export const guest = (line: Fields): Fields =>
  bar({ prices: [{ ageCategory: 'adult', guests: 1, amount: 90, ...line }] })

/**
 * Pushes each as a supplier with only hotel H1, and asserts that nothing was applied; the model is `guest` unless the body
 * says otherwise.
 */
export async function refuse(
  gateway: TestGateway,
  refusals: readonly Refusal[],
  status = 400,
): Promise<void> {
  const supplier = await gateway.supplier(`refused with ${status}: ${refusals[0]?.[0]}`)
  await pushStoryHotel(supplier)
  for (const [name, items, problems, body] of refusals) {
    const ari = [items].flat()
    const reply = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'guest', ari, ...body })
    assert.equal(reply.status, status, `${name}: ${reply.text}`)
    assert.deepEqual(problemsOf(reply), problems, name)
    assert.equal(reply.body['message'], problems[0]?.[2], name)
    assert.equal(reply.body['code'], String(status), name)
  }
  assert.deepEqual(await stored(supplier), [2, []])
}

/** The revision and all ARI; if nothing was applied, as right after pushing the hotel and its products. */
async function stored(supplier: TestClient): Promise<unknown[]> {
  const { body } = expectOk(
    await supplier.post('/push/getAri', { hotelId: 'H1', startDate: '2027-02-01', endDate: '2029-04-10' }),
  )
  return [body['revision'], body['ari']]
}
