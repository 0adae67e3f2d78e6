import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bookingBody, changeAsAsked, idOf, openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { callWithinMs, until } from '../../../test/stage/scenes/deliveries.ts'
import { startGateway, type TestGateway } from '../../../test/stage/harness.ts'
import { startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'
import type { DeliveryWorker } from '../worker/worker.ts'

/** Suppliers whose answers repeat a card in some code. */

const card = { holderName: 'Zoe Quux', type: 'VI', number: '4111111111111111', expiry: '01/2030', cvv: '739' }
const { number, cvv } = card
const notStored = '[not stored: the answer repeats a card]'

let gateway: TestGateway
let shop: Shop
let receiver: Receiver
let worker: DeliveryWorker
/** The answer to the next calls. */
let answered: Buffer
before(async () => {
  gateway = await startGateway({
    allowPrivate: true,
    outbound: { reach: (to) => to },
    vaultKey: Buffer.alloc(32, 7),
    callWithinMs,
  })
  shop = await openShop(gateway, 'Acme', { inventory: 999 })
  receiver = await startReceiver((socket) => {
    socket.write(`HTTP/1.1 200 X\r\ncontent-length: ${answered.length}\r\n\r\n`)
    socket.write(answered)
  })
  answered = Buffer.from('{}')
  const webhook = `http://127.0.0.1:${receiver.port}/reservations`
  expectOk(await shop.supplier.post('/push/webhook/pushbook', { webhook }))
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  worker = gateway.app.startDeliveries()
})
after(async () => {
  await worker.close()
  await gateway.stop()
  await receiver.close()
})

/** The stored answer to a version of a reservation. */
async function storedAnswer(id: string, version = 1): Promise<unknown> {
  const read = async (): Promise<unknown[]> => {
    const { rows } = await gateway.db.query<{ answer: unknown }>(
      `select answer from delivery_attempt join delivery on delivery.id = delivery_id
       where reservation_id = $1 and version = $2`,
      [id, version],
    )
    return rows.map(({ answer }) => answer)
  }
  await until('it is answered', async () => (await read()).length > 0)
  const shown = expectOk(await shop.supplier.get(`/push/deliveries?reservation_id=${id}`)).text
  const [answer] = await read()
  assert.ok(shown.includes(JSON.stringify(answer)), shown)
  return answer
}

async function storedAfter(answer: string | Buffer): Promise<unknown> {
  answered = Buffer.from(answer)
  const id = idOf(await shop.book({ payment: { type: 'Channel Collect', card } }))
  return storedAnswer(id)
}

const body = JSON.stringify({ received: number, cvv, from: 'a channel manager' })
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le')
const big = (text: string): Buffer => wide(text).swap16()
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const digits = [...number]
const written = (write: (digit: string) => string): string => digits.map(write).join('')
/** What is stored of `body`. */
const masked = '{"received":"***","cvv":"***","from":"a channel manager"}'

const echoes: readonly (readonly [how: string, answer: string | Buffer, stored: string])[] = [
  ['UTF-16, little-endian', wide(body), masked],
  ['UTF-16, big-endian', big(body), masked],
  ['UTF-16, little-endian, with a mark', wide(`\uFEFF${body}`), masked],
  ['UTF-16, big-endian, with a mark', big(`\uFEFF${body}`), masked],
  ['base64', `{"card":"${base64(number)}"}`, notStored],
  ['base64 of the whole answer', base64(body), notStored],
  ['base64 in lines', base64(body).replaceAll(/.{20}/g, '$&\r\n'), notStored],
  ['base64 of base64', base64(base64(body)), notStored],
  ['base64url in a path', `/echo/${Buffer.from(body).toString('base64url')}`, notStored],
  ['hex', Buffer.from(number).toString('hex'), notStored],
  ['hex of the whole answer', Buffer.from(body).toString('hex').toUpperCase(), notStored],
  ['bytes', JSON.stringify(Buffer.from(number)), notStored],
  ['percent-encoding', `card=${written((digit) => `%3${digit}`)}`, 'card=***'],
  ['HTML entities', `<p>${written((digit) => `&#${48 + Number(digit)};`)}</p>`, '<p>***</p>'],
  ['hexadecimal HTML entities', written((digit) => `&#x3${digit};`), '***'],
  ['JSON escapes', `{"card":"${written((digit) => String.raw`\u003${digit}`)}"}`, '{"card":"***"}'],
  ['single digits', digits.join(' '), '***'],
  ['one digit a line', digits.join('\r\n\r\n'), notStored],
  ['a list of digits', JSON.stringify(digits.map(Number)), notStored],
  ['an indented list', JSON.stringify(digits, null, 8), notStored],
  ['an object of digits', JSON.stringify({ ...digits }), notStored],
  ['words between digits', digits.join(' and '), notStored],
  ['digits of another script', written((digit) => String.fromCodePoint(0xff10 + Number(digit))), notStored],
  ['the CVV in UTF-16', wide('{"cvv":"739"}'), '{"cvv":"***"}'],
  ['the CVV in base64', `{"cvv":"${base64(cvv)}"}`, '{"cvv":"***"}'],
  ['base64 of an answer with the CVV', base64('{"cvv":"739"}'), notStored],
  ['the CVV in percent-encoding', 'cvv=%37%33%39', 'cvv=***'],
  ['the CVV as entities', 'cvv &#55;&#51;&#57;', 'cvv ***'],
  ['the CVV as a list', '{"cvv":[7,3,9]}', '{"cvv":[***]}'],
]

test('a card that the answer to its delivery repeats in any code is not stored', async () => {
  const stored: unknown[] = []
  for (const [how, answer] of echoes) stored.push([how, await storedAfter(answer)])
  assert.deepEqual(
    stored,
    echoes.map(([how, , wanted]) => [how, wanted]),
  )
})

test('nor one that came with an earlier version', async () => {
  const id = idOf(await shop.book({ payment: { type: 'Channel Collect', card } }))
  await storedAnswer(id)
  await setAccount(gateway.db, 'Acme', { deliversCards: false })
  const stored: unknown[] = []
  const again = [base64(body), Buffer.from(body).toString('hex'), JSON.stringify(digits, null, 8)]
  for (const [index, answer] of again.entries()) {
    answered = Buffer.from(answer)
    const later = bookingBody('Acme', {
      checkout: `2027-04-2${4 + index}`,
      payment: { type: 'Channel Collect' },
    })
    expectOk(await changeAsAsked(shop.platform, id, later))
    stored.push(await storedAnswer(id, 2 + index))
  }
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  assert.deepEqual(stored, [notStored, notStored, notStored])
})

test('an ordinary answer is stored as it came', async () => {
  const ordinary = [
    '{"status":"ok","id":"b7e1c2a4-9a3c-4d2e-8b1f-0c9d8e7f6a5b","rooms":[1,2,3]}',
    `{"token":"${base64('a session of the channel manager')}"}`,
    '<ok>caf\u00E9 &amp; bar, 50% off</ok>',
    '',
  ]
  const stored: unknown[] = []
  for (const answer of ordinary) stored.push(await storedAfter(answer))
  assert.deepEqual(stored, ordinary)
})

test('nor one that the answer to a price check repeats: in the check, its warning and the calls of the sandbox', async () => {
  const webhook = `http://127.0.0.1:${receiver.port}/checks`
  expectOk(await shop.supplier.post('/push/webhook/availability', { webhook }))
  const operator = await gateway.operator('operator')
  const stay = { hotel: { supplier: 'Acme', hotelId: 'H1' }, roomId: 'DBL', rateId: 'BAR' }
  const nights = { checkin: '2027-04-20', checkout: '2027-04-21', roomCount: 1, adultCount: 2, childAges: [] }
  const prices = { amountBeforeTax: [100], amountAfterTax: [110], currency: 'USD', inventory: 5 }
  const seen: unknown[] = []
  for (const mealPlan of [number, base64(number), digits.join(', ')]) {
    const roomRate = { roomId: 'DBL', rateId: 'BAR', ...prices, mealPlan }
    answered = Buffer.from(JSON.stringify({ roomRate }))
    const checked = expectOk(await shop.platform.post('/booking/priceCheck', { ...stay, ...nights }))
    assert.equal(checked.body['outcome'], 'available')
    const { rows } = await gateway.db.query<{ id: number }>('select id from supplier')
    const calls = `/sandbox/${rows[0]?.id}/calls`
    await until('the call is listed', async () => {
      const listed = Object(expectOk(await operator.get(calls)).body['calls'])
      return listed[0]?.requestId !== seen.at(-1) && listed[0]?.calls === 'priceCheck'
    })
    const [newest] = Object(expectOk(await operator.get(calls)).body['calls'])
    seen.push(newest.requestId)
    const call = expectOk(await operator.get(`${calls}/${newest.id}`)).text
    const { rows: checks } = await gateway.db.query('select * from price_check')
    const shown = [checked.text, call, JSON.stringify(checks)].join('\n')
    for (const secret of [number, base64(number).slice(0, 16), '1, 1, 1, 1'])
      assert.ok(!shown.includes(secret), `${mealPlan}: ${checked.text}`)
  }
})
