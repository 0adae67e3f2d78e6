import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { client } from '../../../test/stage/harness.ts'
import { seconds } from '../../../test/stage/pace.ts'
import { bookingBody, room } from '../../../test/stage/scenes/booking.ts'
import {
  asPushed,
  outcomeOf,
  gatewayForPriceChecks,
  priceCheckStage,
  pushPrice,
  stay,
} from '../../../test/stage/scenes/price-checks.ts'
import { httpAnswer, type Behaviour } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** Answers that are wrong in one place and say something in another: a no is believed whatever else is wrong. */

const gateway = await gatewayForPriceChecks()
const { platform, supplierWith, check } = await priceCheckStage(gateway)

const full = (bytes: Buffer, head: Record<string, string> = {}, status = 200): Behaviour => {
  const headers = { 'content-length': String(bytes.length), ...head }
  return (socket) => void (socket.write(httpAnswer(status, '', headers)), socket.write(bytes))
}
const text = (body: string, status = 200): Behaviour => full(Buffer.from(body), {}, status)
const saying = (changed: Record<string, unknown>, status = 200): Behaviour =>
  text(JSON.stringify({ roomRate: { ...asPushed, ...changed } }), status)
const none = (changed: Record<string, unknown>): Behaviour => saying({ inventory: 0, ...changed })

/** A supplier that answers as `say` was last told to, whose account books at the stored price if a check fails. */
async function stored() {
  let behave: Behaviour = saying({})
  const { supplier } = await supplierWith((...call) => behave(...call))
  await setAccount(gateway.db, supplier.name, { onFailure: 'use_stored' })
  const guests = { adults: 2, childAges: [5] }
  const book = (more: Record<string, unknown> = {}) => {
    const { checkin, checkout } = stay
    return platform.post(
      '/booking/reservations',
      bookingBody(supplier.name, { checkin, checkout, rooms: [room(guests)], ...more }),
    )
  }
  const say = (next: Behaviour) => void (behave = next)
  return { supplier, say, book, guests }
}

/** What a check and a booking make of each answer: the outcome, its reason, and whether it is booked. */
async function judged(cases: Readonly<Record<string, Behaviour>>): Promise<Record<string, string>> {
  const { supplier, say, book } = await stored()
  const found: Record<string, string> = {}
  for (const [what, behave] of Object.entries(cases)) {
    say(behave)
    const { outcome, bookable, failed } = Object(outcomeOf(expectOk(await check(supplier))))
    const { status, body } = await book()
    const booked = status === 201 ? 'booked' : Object(Object(body['errors'])[0]).type
    assert.equal(bookable, status === 201, what)
    found[what] = [outcome, failed ?? 'valid', booked].join(' ')
    await pushPrice(supplier, 100)
  }
  return found
}

test('units are read first and by themselves: fewer than asked is sold out whatever else is wrong', async () => {
  const right = { roomRate: { ...asPushed, inventory: 0 } }
  const malformed = JSON.stringify(right)
  const found = await judged({
    'with the price': none({}),
    'empty amounts': none({ amountBeforeTax: [], amountAfterTax: [] }),
    'amounts null': none({ amountBeforeTax: null, amountAfterTax: null }),
    'no amounts': none({ amountBeforeTax: undefined, amountAfterTax: undefined }),
    'odd amounts': none({ amountBeforeTax: ['n/a'], amountAfterTax: [-1] }),
    'no currency': none({ currency: undefined }),
    'nothing but units': text('{"roomRate":{"inventory":0}}'),
    'as text': saying({ inventory: '0' }),
    'as text with blanks': saying({ inventory: ' 0.0 ' }),
    'half a unit': saying({ inventory: 0.5 }),
    'another room': none({ roomId: 'TWN' }),
    'another number of nights': none({ amountBeforeTax: [0], amountAfterTax: [0] }),
    'no frame': text(JSON.stringify(right.roomRate)),
    'a list': text(JSON.stringify({ roomRate: [right.roomRate] })),
    'a list without a frame': text(JSON.stringify([right])),
    'cut short': text(malformed.slice(0, malformed.indexOf('100'))),
    'amounts that are no numbers': text(malformed.replace('[100,100]', '[NaN,NaN]')),
    twice: text(malformed.replace('"inventory":0', '"inventory":0,"inventory":9')),
    'not UTF-8': full(Buffer.from(malformed.replace('USD', 'US\u00e9'), 'latin1')),
    'with an error': saying({ inventory: 0 }, 500),
    'not found': saying({ inventory: '0' }, 404),
  })
  const expected = {
    'with the price': 'valid',
    'another room': 'other_room',
    'another number of nights': 'other_nights',
    'cut short': 'malformed_json',
    'amounts that are no numbers': 'malformed_json',
    twice: 'malformed_json',
    'not UTF-8': 'malformed_json',
    'with an error': 'http_status',
    'not found': 'http_status',
  }
  assert.deepEqual(
    found,
    Object.fromEntries(
      Object.keys(found).map((what) => [
        what,
        `sold_out ${new Map(Object.entries(expected)).get(what) ?? 'wrong_shape'} SOLD_OUT`,
      ]),
    ),
  )
})

test('a no is believed in whatever frame it comes, and in an answer that broke or was too large', async () => {
  const noUnits = JSON.stringify({ roomRate: { ...asPushed, inventory: 0 } })
  const cut =
    (bytes: string, more: number): Behaviour =>
    (socket) => {
      const headers = { 'content-length': String(bytes.length + more) }
      socket.write(httpAnswer(200, bytes, headers))
      setImmediate(() => socket.destroy())
    }
  const found = await judged({
    'deeper in it': text(`{"data":${noUnits}}`),
    'another name of the frame': text(noUnits.replace('roomRate', 'roomRates')),
    'other capitals': text(noUnits.replace('inventory', 'Inventory')),
    'JSON within a text': text(JSON.stringify(noUnits)),
    'JSON within a member': text(JSON.stringify({ roomRate: JSON.stringify({ inventory: 0 }) })),
  })
  // Five failed calls in a row would pause the URL.
  const broken = await judged({
    'broken at its end': cut(noUnits, 50),
    'broken in its middle': cut('{"roomRate":{"inventory":0,', 500),
  })
  const large = await judged({
    'too large': text(`{"roomRate":{"inventory":0,"x":"${'a'.repeat(300_000)}"}}`),
  })
  assert.deepEqual(
    { ...found, ...broken, ...large },
    {
      'deeper in it': 'sold_out wrong_shape SOLD_OUT',
      'another name of the frame': 'sold_out wrong_shape SOLD_OUT',
      'other capitals': 'sold_out wrong_shape SOLD_OUT',
      'JSON within a text': 'sold_out wrong_shape SOLD_OUT',
      'JSON within a member': 'sold_out wrong_shape SOLD_OUT',
      'broken at its end': 'sold_out reset SOLD_OUT',
      'broken in its middle': 'sold_out reset SOLD_OUT',
      'too large': 'sold_out too_large SOLD_OUT',
    },
  )
})

test('a no is believed in an answer that never ends', async () => {
  const noUnits = JSON.stringify({ roomRate: { ...asPushed, inventory: 0 } })
  const { supplier, say } = await stored()
  say(
    (socket) => void socket.write(httpAnswer(200, noUnits, { 'content-length': String(noUnits.length + 1) })),
  )
  const { url } = await gateway.second({ checkBudgetMs: seconds(4) })
  const hurried = client(url, { authorization: `Bearer ${await gateway.token('platform')}` })
  const { outcome, bookable, failed } = Object(outcomeOf(expectOk(await check(supplier, {}, hurried))))
  assert.deepEqual([outcome, bookable, failed], ['sold_out', false, 'timeout'])
})

test('what was said is not replaced by the stored price; what said nothing is', async () => {
  const right = JSON.stringify({ roomRate: asPushed })
  assert.deepEqual(
    await judged({
      'another room': saying({ roomId: 'TWN' }),
      'another rate': saying({ rateId: 'NRF' }),
      'another currency': saying({ currency: 'EUR' }),
      'another room and nothing else': text('{"roomRate":{"roomId":"TWN"}}'),
      'a price for another number of nights': saying({ amountBeforeTax: [200], amountAfterTax: [220] }),
      'a price that is none': saying({ amountAfterTax: [110, 'n/a'] }),
      'less after tax': saying({ amountAfterTax: [110, 99] }),
      'units alone': saying({ amountBeforeTax: undefined, amountAfterTax: undefined }),
      'units that are no number': saying({ inventory: 'few' }),
      'a price alone': saying({ inventory: undefined }),
      compressed: full(gzipSync(right), { 'content-encoding': 'gzip' }),
      'compressed, with an error': full(gzipSync(right), { 'content-encoding': 'gzip' }, 500),
      'compressed without a word': full(brotliCompressSync(right)),
      nothing: full(Buffer.alloc(0)),
      'an empty object': text('{}'),
      'an empty room-rate': text('{"roomRate":{}}'),
      'nulls and empty lists': text(
        '{"roomRate":{"roomId":"DBL","inventory":null,"amountBeforeTax":[],"amountAfterTax":null}}',
      ),
      'a page': text('<html>'),
      'an error': saying({}, 500),
    }),
    {
      'another room': 'invalid_response other_room PRICE_CHECK_FAILED',
      'another rate': 'invalid_response other_rate PRICE_CHECK_FAILED',
      'another currency': 'invalid_response other_currency PRICE_CHECK_FAILED',
      'another room and nothing else': 'invalid_response other_room PRICE_CHECK_FAILED',
      'a price for another number of nights': 'invalid_response other_nights PRICE_CHECK_FAILED',
      'a price that is none': 'invalid_response wrong_shape PRICE_CHECK_FAILED',
      'less after tax': 'invalid_response wrong_amount PRICE_CHECK_FAILED',
      'units alone': 'invalid_response wrong_shape PRICE_CHECK_FAILED',
      'units that are no number': 'invalid_response wrong_shape PRICE_CHECK_FAILED',
      'a price alone': 'invalid_response wrong_shape PRICE_CHECK_FAILED',
      compressed: 'invalid_response malformed_json PRICE_CHECK_FAILED',
      'compressed, with an error': 'supplier_error http_status PRICE_CHECK_FAILED',
      'compressed without a word': 'invalid_response malformed_json PRICE_CHECK_FAILED',
      nothing: 'invalid_response malformed_json booked',
      'an empty object': 'invalid_response wrong_shape booked',
      'an empty room-rate': 'invalid_response wrong_shape booked',
      'nulls and empty lists': 'invalid_response wrong_shape booked',
      'a page': 'invalid_response malformed_json booked',
      'an error': 'supplier_error http_status booked',
    },
  )
})

test('none left is said by units alone: other words for it say nothing, and the stored price is sold', async () => {
  const found = await judged({
    'not available': text('{"available":false}'),
    'an error that says sold out': text('{"error":"sold out"}'),
    'a room-rate that is null': text('{"roomRate":null}'),
    'no room-rates': text('{"roomRates":[]}'),
    'no content': text('', 204),
    'not found': text('{"error":"sold out"}', 404),
  })
  assert.deepEqual(Object.values(found), [
    ...Array.from({ length: 4 }, () => 'invalid_response wrong_shape booked'),
    'invalid_response malformed_json booked',
    'supplier_error http_status booked',
  ])
})

test('two parties need two units, also if the answer that says one is broken', async () => {
  const { say, book, guests } = await stored()
  say(saying({ inventory: 1 }, 500))
  const rooms = [room(guests), room({ ...guests, childAges: [] })]
  const { status, body } = await book({ rooms })
  assert.deepEqual([status, body['message']], [409, 'Sold out'])
})

test('a sold-out that is broken otherwise is kept with its reason, and counts as sold out in the drift', async () => {
  const { supplier, say } = await stored()
  say(none({ amountAfterTax: [] }))
  const { live, failure } = Object(expectOk(await check(supplier)).body)
  assert.deepEqual(
    [live, failure],
    [
      null,
      {
        reason: 'wrong_shape',
        message: '/roomRate/amountAfterTax: amountAfterTax must have at least 1 element',
        httpStatus: 200,
      },
    ],
  )
  const { body } = expectOk(await supplier.get('/push/priceChecks?hotelId=H1'))
  const [kept] = Object(body['priceChecks'])
  const { checks, soldOut, differing } = Object(body['drift'])
  assert.deepEqual(
    [kept.outcome, kept.bookable, kept.live, kept.failure.reason],
    ['sold_out', false, null, 'wrong_shape'],
  )
  assert.deepEqual({ checks, soldOut, differing }, { checks: 2, soldOut: 2, differing: 0 })
})

test('an answer may begin with a byte order mark; one that is compressed or not UTF-8 says so', async () => {
  const { supplier, say } = await stored()
  const right = JSON.stringify({ roomRate: asPushed })
  const found = async (behave: Behaviour): Promise<unknown[]> => {
    say(behave)
    const { outcome, failure } = Object(expectOk(await check(supplier)).body)
    return [outcome, failure?.message]
  }
  const asked = 'although the call asks for none (accept-encoding: identity)'
  assert.deepEqual(
    [
      await found(text(`\uFEFF${right}`)),
      await found(full(gzipSync(right), { 'content-encoding': 'gzip' })),
      await found(full(gzipSync(right))),
      await found(full(brotliCompressSync(right), { 'content-encoding': 'br' })),
      await found(full(Buffer.from(right), { 'content-encoding': 'identity' })),
      await found(full(Buffer.from(right.replace('USD', 'US\u00e9'), 'latin1'))),
      await found(full(Buffer.from(right, 'utf16le'))),
      await found(text('{')),
    ],
    [
      ['available', undefined],
      ['invalid_response', `the answer is compressed with gzip, ${asked}`],
      ['invalid_response', `the answer is compressed with gzip, ${asked}`],
      ['invalid_response', `the answer is compressed with br, ${asked}`],
      ['available', undefined],
      ['invalid_response', 'the answer is not encoded as UTF-8'],
      ['invalid_response', 'the answer is not encoded as UTF-8'],
      ['invalid_response', 'the answer cannot be read as JSON: MALFORMED_JSON'],
    ],
  )
})
