import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callbacks } from '../../src/openapi/callbacks.ts'
import { openapiDocument } from '../../src/openapi/document.ts'
import { validator } from '../../src/http/validation/validate.ts'
import {
  priceCheckNeeded,
  type PriceCheckAnswer,
  type PriceCheckNeeded,
} from '../../src/price-check/callback-contract.ts'

/** The shapes of the platform's messages to suppliers, and of their answers. */

test('the examples of the callbacks have the shapes that stand beside them', () => {
  for (const [name, { body, example, ...rest }] of Object.entries(callbacks)) {
    assert.deepEqual([name, validator(body).judge(example.request).problems], [name, []])
    if ('answer' in rest && 'answer' in example) {
      assert.deepEqual([name, validator(rest.answer).judge(example.answer).problems], [name, []])
    }
  }
})

test('the API reference has every callback, with its body, its signature and what the answer means', () => {
  const { webhooks } = JSON.parse(JSON.stringify(openapiDocument({ environment: 'sandbox' })))
  assert.deepEqual(Object.keys(webhooks), ['priceCheck', 'pushBooking', 'ping'])
  for (const [name, { example }] of Object.entries(callbacks)) {
    const { parameters, requestBody, responses } = webhooks[name].post
    assert.deepEqual(requestBody.content['application/json'].example, example.request)
    assert.deepEqual(
      parameters.map((one: { name: string }) => one.name),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'user-agent', 'x-request-id'],
    )
    assert.ok(responses.default)
  }
})

test('a price check is answered with codes, currency, inventory and amounts; what else is sent decides nothing', () => {
  const answer = validator(priceCheckNeeded)
  const needed: PriceCheckNeeded['roomRate'] = {
    roomId: 'DBL',
    rateId: 'BAR',
    currency: 'USD',
    inventory: 0,
    amountBeforeTax: [100, '110.50'],
    amountAfterTax: [110, 121.55],
  }
  const generous: PriceCheckAnswer = { roomRate: { ...needed, cancelPolicy: {} } }
  const accepted = [
    { roomRate: needed },
    generous,
    { roomRate: { ...needed, cancelPolicy: 7, mealPlan: null } },
    { roomRate: { ...needed, inventory: -1 } },
  ]
  assert.deepEqual(accepted.map(answer.matches), [true, true, true, true])
  const refused = [
    undefined,
    null,
    [],
    {},
    { roomRate: null },
    needed,
    ...Object.keys(needed).map((name) => ({ roomRate: { ...needed, [name]: undefined } })),
    ...[1.5, '4', null].map((inventory) => ({ roomRate: { ...needed, inventory } })),
    ...[[], [-1], ['1e3'], [null], 110, '110'].map((amountAfterTax) => ({
      roomRate: { ...needed, amountAfterTax },
    })),
    { roomRate: { ...needed, currency: 'usd' } },
  ]
  assert.deepEqual(refused.filter(answer.matches), [])
})
