import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { idOf, openShop, type Shop } from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply, type TestOperator } from '../../../test/stage/harness.ts'
import { expectOk } from '../../../test/stage/story.ts'

let shop: Shop
let operator: TestOperator
const gateway = await gatewayForTests()
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 99 })
  operator = await gateway.operator('operator')
})

const write = (id: string, text: unknown): Promise<Reply> =>
  operator.post(`/reservations/${id}/notes`, { text })
const notesOf = async (id: string): Promise<unknown> =>
  Object(expectOk(await operator.get(`/reservations/${id}`)).body['reservation']).notes
const lastIn = async (list: 'reservations' | 'deliveries', id: string): Promise<unknown> => {
  const { body } = expectOk(await operator.get(`/${list}`))
  const rows: readonly { reservationId: number; lastNote: unknown }[] = Object(body[list])
  return rows.find(({ reservationId }) => String(reservationId) === id)?.lastNote
}

test('a reservation shows its notes, newest first, and lists show the latest one', async () => {
  const [id, other] = [idOf(await shop.book()), idOf(await shop.book())]
  const at = '2027-03-01T12:00:00.000Z'
  const first = await write(id, 'Called the hotel: nobody answers')
  assert.deepEqual(
    [first.status, first.body],
    [201, { note: { at, operator: operator.name, text: 'Called the hotel: nobody answers' } }],
  )
  gateway.clock.set('2027-03-01T12:30:00Z')
  await write(id, 'They have it: <b>by fax</b>')
  const last = {
    at: '2027-03-01T12:30:00.000Z',
    operator: operator.name,
    text: 'They have it: <b>by fax</b>',
  }
  assert.deepEqual(await notesOf(id), [
    last,
    { at, operator: operator.name, text: 'Called the hotel: nobody answers' },
  ])
  assert.deepEqual(await notesOf(other), [])
  assert.deepEqual(
    [await lastIn('reservations', id), await lastIn('deliveries', id), await lastIn('deliveries', other)],
    [last, last, null],
  )
  const { body } = expectOk(await operator.get('/audit'))
  const [entry] = Object(body['changes'])
  assert.deepEqual(
    [entry.action, entry.subject, entry.after],
    ['reservation.note', `reservation ${id}`, { text: last.text }],
  )
})

test('an invalid note, or one that may contain a card number, is refused and stored nowhere', async () => {
  const id = idOf(await shop.book())
  const refused = async (text: unknown) => {
    const reply = await write(id, text)
    const { errors = [] } = Object(reply.body)
    return [reply.status, Object(errors[0]).path, Object(errors[0]).type]
  }
  const card = [400, '/text', 'CARD_IN_NOTE']
  for (const text of [
    'card 4111111111111111',
    '4111 1111 1111 1111, says the guest',
    'amex 3782-822463-10005 exp 01/30',
    'x5555.5555.5555.4444x',
    '４１１１/1111/1111/1111',
  ])
    assert.deepEqual([text, await refused(text)], [text, card])
  assert.equal((await refused(''))[0], 400)
  assert.equal((await refused('two\nlines'))[0], 400)
  assert.equal((await refused('x'.repeat(501)))[0], 400)
  assert.deepEqual(await notesOf(id), [])
  // Telephone and reservation numbers are not card numbers.
  assert.equal((await write(id, 'Tel. +49 30 1234567890, reservation 4111111111111112')).status, 201)
  assert.equal((await write('999999', 'nothing')).status, 404)
})
