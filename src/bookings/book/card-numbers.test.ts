import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  ada,
  bookingBody,
  expectStatus,
  idOf,
  openShop,
  room,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, problemsOf } from '../../../test/stage/story.ts'
import { setAccount } from '../../keys/suppliers.ts'

/** Card numbers where no card is expected. */

const number = '4111111111111111'
const removed = '[card number removed]'

let shop: Shop
const gateway = await gatewayForTests({ vaultKey: Buffer.alloc(32, 7) })
before(async () => {
  shop = await openShop(gateway, 'Acme', { inventory: 99 })
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
})

async function read(id: string): Promise<Record<string, unknown>> {
  return Object(expectOk(await shop.platform.get(`/booking/reservations/${id}`)).body['reservation'])
}

/** Every place that could have stored a text of a booking or a request id. */
async function storedWith(text: string): Promise<string[]> {
  const { rows: tables } = await gateway.db.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await gateway.db.query(`select from ${name} where ${name}::text like $1 limit 1`, [
      `%${text}%`,
    ])
    if (rows.length > 0) found.push(name)
  }
  return found
}

function isNotRepeated({ text, headers }: Reply, pattern: RegExp = /4111/): void {
  const { requestId } = JSON.parse(text)
  assert.doesNotMatch(text.replaceAll(String(requestId), ''), pattern)
  assert.doesNotMatch(JSON.stringify([...headers].filter(([name]) => name !== 'date')), /4111111/)
}

describe('remarks', () => {
  test('keep line breaks and tabs, to the supplier and back', async () => {
    const remarks = 'Late arrival:\n\t23:00\r\nTwo cots, please'
    const id = idOf(await shop.book({ customer: { ...ada, remarks } }))
    assert.equal(Object((await read(id))['customer']).remarks, remarks)
    const retrieved = expectOk(
      await shop.supplier.get(`/push/webhook/pushbook/retrieve?reservation_id=${id}`),
    )
    const [first] = Object(retrieved.body['data'])
    assert.equal(first.reservations.reservation[0].customer.remarks, remarks)
    const tried = await shop.supplier.post('/push/sandbox/booking', {
      hotelId: 'H1',
      checkin: '2027-04-20',
      checkout: '2027-04-21',
      rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 1 }],
      remarks,
    })
    assert.equal(Object((await read(idOf(tried)))['customer']).remarks, remarks)
  })

  test('have other control characters refused, and a name has them all', async () => {
    for (const remarks of ['a\u0000b', 'a\u001Bb', 'a\u007Fb', 'a\u0085b', 'a\uD800b'])
      expectStatus(await shop.book({ customer: { ...ada, remarks } }), 400)
    expectStatus(await shop.book({ customer: { ...ada, firstName: 'A\nB' } }), 400)
  })

  test('lose the number of a card, with a warning, by booking, modification and test booking', async () => {
    const warning = {
      type: 'CARD_NUMBER_REMOVED',
      message: 'A card number was removed from the remarks',
      path: '/customer/remarks',
      hint: 'Send a card only in payment.card, where it is encrypted',
    }
    const sent = { customer: { ...ada, remarks: `Charge\n4111 1111-1111.1111 01/30, or ${number}!` } }
    const kept = `Charge\n${removed} 01/30, or ${removed}!`
    const headers = { 'idempotency-key': 'remarks' }
    const booked = await shop.book(sent, headers)
    const id = idOf(booked)
    assert.deepEqual(booked.body['warnings'], [warning])
    assert.equal(idOf(await shop.book(sent, headers)), id)
    assert.equal(Object((await read(id))['customer']).remarks, kept)

    const other = { customer: { ...ada, remarks: `Now 5555-5555-5555-4444` } }
    const modified = await shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', other))
    assert.deepEqual(expectOk(modified).body['warnings'], [warning])
    assert.equal(Object((await read(id))['customer']).remarks, `Now ${removed}`)

    const tried = await shop.supplier.post('/push/sandbox/booking', {
      hotelId: 'H1',
      checkin: '2027-04-20',
      checkout: '2027-04-21',
      rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 1 }],
      remarks: `Card ${number}`,
    })
    assert.deepEqual(tried.body['warnings'], [warning])
    assert.equal(Object((await read(idOf(tried)))['customer']).remarks, `Card ${removed}`)
    for (const text of [number, '4111 1111', '5555-5555']) assert.deepEqual(await storedWith(text), [])
  })
})

describe('remarks lose', () => {
  const written = [
    '4111    1111    1111    1111',
    '4111\n\n\n\n\n1111 ----- 1111 ..... 1111',
    '4111a1111a1111a1111',
    '4111 x 1111 x 1111 x 1111',
    '4222222222222',
    '4222-2222-22222',
    '3056 930902 5904',
    '6799 9901 0000 0000 019',
    '4111&nbsp;1111&nbsp;1111&nbsp;1111',
    '4111&#160;1111&#xA0;1111&amp;nbsp;1111',
    '4111%201111%201111%C2%A01111',
    '4111+1111+1111+1111',
    String.raw`4111\u00A01111\n1111<br>1111`,
    '&#52;111%2D1111%2D1111%2D111%31',
  ]
  test('a number of 13 digits and more in any grouping, with single letters too', async () => {
    for (const text of written) {
      const booked = await shop.book({ customer: { ...ada, remarks: `Charge ${text}, please` } })
      const { remarks } = Object((await read(idOf(booked)))['customer'])
      assert.equal(remarks, `Charge ${removed}, please`, text)
      assert.equal(Object(Object(booked.body['warnings'])[0]).type, 'CARD_NUMBER_REMOVED')
    }
  })

  test('a number behind a + that is longer than telephone numbers are', async () => {
    for (const text of [
      '+4111111111111111',
      '＋4111 1111 1111 1111',
      '+4111+1111+1111+1111',
      '%2B4111111111111111',
    ]) {
      const booked = await shop.book({ customer: { ...ada, remarks: `Tel. ${text}, please` } })
      const { remarks } = Object((await read(idOf(booked)))['customer'])
      assert.match(String(remarks), /^Tel\. (?:\+|＋|%2B)\[card number removed\], please$/)
    }
  })

  test('a security code that is named beside a number, before or after it', async () => {
    const codes = [
      [`${number} cvv 123`, `${removed} cvv ${removed}`],
      [`${number}, 01/30, CVC: 123`, `${removed}, 01/30, CVC: ${removed}`],
      [`sec code 1234; ${number}`, `sec code ${removed}; ${removed}`],
      [`Security code is 123. ${number} exp 01/2030`, `Security code is ${removed}. ${removed} exp 01/2030`],
      [`${number} (123 CVV2)`, `${removed} (${removed} CVV2)`],
      [`${number} exp 2030 cvv 1 2 3`, `${removed} exp 2030 cvv ${removed}`],
      [`cvv123 ${number}`, `cvv${removed} ${removed}`],
      [`cvv: ${number}`, `cvv: ${removed}`],
      [`${number} Prüfziffer １２３`, `${removed} Prüfziffer ${removed}`],
    ]
    for (const [remarks, kept] of codes) {
      const id = idOf(await shop.book({ customer: { ...ada, remarks } }))
      assert.equal(Object((await read(id))['customer']).remarks, kept)
    }
  })

  test('nothing else: telephones, dates, identifiers, codes of doors', async () => {
    const others = [
      'Tel. +4915112345678 or +49 30 12345678903, +4222222222222',
      'See https://hotel.example/?q=late%20arrival&amp;n=2 &#8211; thanks',
      'From 2027-04-20 18:00 to 2027-04-22 11:00, two rooms',
      'Reference 41111111-1111-4111-a111-111111111111 or 4222222222223',
      'Security code 123 for the gate, room 204',
      `${number.slice(0, 12)} cvv 123`,
    ]
    for (const remarks of others) {
      const booked = await shop.book({ customer: { ...ada, remarks } })
      assert.deepEqual(
        [Object((await read(idOf(booked)))['customer']).remarks, booked.body['warnings']],
        [remarks, []],
      )
    }
    const far = `${number}. ${'The gate is beside the church. '.repeat(2)}Security code 123`
    const id = idOf(await shop.book({ customer: { ...ada, remarks: far } }))
    assert.equal(Object((await read(id))['customer']).remarks, far.replace(number, removed))
  })
})

describe('a card number in another member is refused, and neither repeated nor stored', () => {
  const card = { holderName: 'Ada', type: 'VI', number, expiry: '01/2030' }
  const paying = (more: object) => ({ payment: { type: 'Channel Collect', card: { ...card, ...more } } })
  const places: readonly (readonly [path: string, more: Record<string, unknown>])[] = [
    ['/customer/firstName', { customer: { ...ada, firstName: number } }],
    ['/customer/lastName', { customer: { ...ada, lastName: `Lovelace 4111 1111 1111 1111` } }],
    ['/customer/email', { customer: { ...ada, email: `${number}@guest.example` } }],
    ['/customer/phone', { customer: { ...ada, phone: '4111-1111-1111-1111' } }],
    ['/rooms/0/guest/firstName', { rooms: [room({ guest: { ...ada, firstName: number } })] }],
    ['/rooms/0/guest/lastName', { rooms: [room({ guest: { ...ada, lastName: number } })] }],
    ['/payment/card/type', paying({ type: number })],
    ['/payment/card/holderName', paying({ holderName: number })],
  ]
  const isRefused = (path: string, more: Record<string, unknown>) =>
    test(`at ${path}`, async () => {
      const problem = [path, 'CARD_NUMBER_MISPLACED', 'A card number is not allowed here']
      const id = idOf(await shop.book())
      const replies = [
        await shop.book(more),
        await shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more)),
      ]
      for (const reply of replies) {
        assert.deepEqual(problemsOf(expectStatus(reply, 400)), [problem])
        isNotRepeated(reply)
      }
      assert.deepEqual(await storedWith(number), [])
    })
  for (const [path, more] of places) void isRefused(path, more)

  const split = { firstName: '4111 1111', lastName: '1111 1111' }
  const parts = ['4111', '1111', '1111', '1111']
  const splits: readonly (readonly [path: string, more: Record<string, unknown>])[] = [
    ['/customer/firstName', { customer: { ...ada, ...split } }],
    ['/customer/lastName', { customer: { firstName: '1111-1111', lastName: 'Visa 4111-1111' } }],
    ['/rooms/0/guest/firstName', { rooms: [room({ guest: split })] }],
    [
      '/rooms/0/guest/firstName',
      {
        rooms: [
          room({ guest: { firstName: parts[0], lastName: parts[1] } }),
          room({ guest: { firstName: parts[2], lastName: `${parts[3]} Lovelace` } }),
        ],
      },
    ],
    [
      '/customer/lastName',
      {
        customer: { firstName: 'Ada', lastName: '4111 1111' },
        rooms: [room({ guest: { firstName: '11111111', lastName: 'L' } })],
      },
    ],
    ['/customer/lastName', { customer: { firstName: 'Ada', lastName: '4111 1111', phone: '1111 1111' } }],
    [
      '/customer/firstName',
      { customer: { firstName: '41111111', lastName: 'L', email: '11111111@guest.example' } },
    ],
    [
      '/customer/lastName',
      { customer: { firstName: 'Ada', lastName: 'L 41111111', remarks: '1111 1111, please' } },
    ],
    [
      '/customer/firstName',
      { customer: { firstName: '11111111 Ada', lastName: 'L', remarks: 'Charge 4111 1111' } },
    ],
  ]
  const isFound = (path: string, more: Record<string, unknown>, index: number) =>
    test(`split over several, ${index + 1}: at ${path}`, async () => {
      const id = idOf(await shop.book())
      for (const reply of [
        await shop.book(more),
        await shop.platform.put(`/booking/reservations/${id}`, bookingBody('Acme', more)),
      ]) {
        assert.deepEqual(problemsOf(expectStatus(reply, 400)), [
          [path, 'CARD_NUMBER_MISPLACED', 'A card number is not allowed here'],
        ])
        isNotRepeated(reply)
      }
    })
  for (const [index, [path, more]] of splits.entries()) void isFound(path, more, index)

  test('in a test booking of the sandbox', async () => {
    const customer = { ...ada, lastName: number }
    const reply = await shop.supplier.post('/push/sandbox/booking', {
      hotelId: 'H1',
      checkin: '2027-04-20',
      checkout: '2027-04-21',
      rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 1 }],
      customer,
    })
    assert.deepEqual(problemsOf(expectStatus(reply, 400)), [
      ['/customer/lastName', 'CARD_NUMBER_MISPLACED', 'A card number is not allowed here'],
    ])
    isNotRepeated(reply)
    assert.deepEqual(await storedWith(number), [])
  })

  test('as a code, a reservation id, a date or a member of the wrong type', async () => {
    const replies = [
      await shop.book({ hotel: { supplier: 'Acme', hotelId: number } }),
      await shop.book({ hotel: { platformHotelId: number } }),
      await shop.book({ rooms: [room({ roomId: number })] }),
      await shop.book({ rooms: [room({ rateId: number })] }),
      await shop.book({ checkin: number }),
      await shop.book({ checkout: Number(number) }),
      await shop.book({ customer: Number(number) }),
      await shop.book({ expectedTotal: { afterTax: number } }),
      await shop.platform.get(`/booking/reservations/${number}`),
      await shop.platform.post(`/booking/reservations/${number}/cancel`, {}),
      await shop.platform.get(`/booking/reservations?cursor=${number}&arrivalFrom=${number}`),
      await shop.platform.get(`/nothing/${number}`),
      await shop.supplier.get(`/push/log/${number}`),
      await shop.supplier.post('/push/webhook/booking', { hotelId: 'H1', reservation_id: number }),
      await shop.supplier.post('/push/sandbox/booking', { hotelId: number }),
    ]
    for (const reply of replies) {
      assert.ok(reply.status >= 400 && reply.status < 500, reply.text)
      isNotRepeated(reply)
    }
    assert.deepEqual(await storedWith(number), [])
  })

  test('as an Idempotency-Key or x-request-id, by platform and supplier', async () => {
    const ids = [number, '4111-1111-1111-1111', `b_${number}`]
    for (const name of ['idempotency-key', 'x-request-id'])
      for (const id of ids) {
        const headers = { [name]: id }
        const replies = [
          await shop.book({}, headers),
          await shop.supplier.post('/push/ari', { hotelId: 'H1', ari: [] }, headers),
          await shop.supplier.post('/push/sandbox/booking', { hotelId: 'H1' }, headers),
        ]
        for (const reply of replies) {
          assert.deepEqual(
            problemsOf(expectStatus(reply, 400)).map((problem) => Object.values(Object(problem)).slice(0, 2)),
            [[name, 'CARD_NUMBER_IN_ID']],
          )
          isNotRepeated(reply)
        }
      }
    assert.deepEqual(await storedWith(number), [])
    assert.deepEqual(await storedWith('4111-1111'), [])
  })
})

test('names with numbers beside other numbers are stored unchanged', async () => {
  const customer = {
    firstName: 'Group 4111',
    lastName: '1111 1111 1112',
    phone: '+49 4111 1111',
    remarks: '2 adults, 1111 Vienna',
  }
  const rooms = [room({ guest: { firstName: 'Guest 1', lastName: 'of 2' } })]
  const booked = await shop.book({ customer, rooms })
  assert.deepEqual(booked.body['warnings'], [])
  assert.deepEqual((await read(idOf(booked)))['customer'], customer)
})

test('other numbers, and telephone numbers with a +, are stored unchanged', async () => {
  const customer = {
    ...ada,
    phone: '+4111111111111111',
    email: 'ada-4111111111111112@guest.example',
    remarks: 'Reference 4111111111111112, tel. +49 30 1234567890',
  }
  const booked = await shop.book(
    { customer },
    { 'x-request-id': 'a-4111111111111112', 'idempotency-key': 'k-1' },
  )
  assert.deepEqual(booked.body['warnings'], [])
  assert.deepEqual((await read(idOf(booked)))['customer'], customer)
})

describe('a body that no endpoint expects', () => {
  test('is refused member by member at a cancellation, and nothing of it is repeated or stored', async () => {
    const id = idOf(expectStatus(await shop.book(), 201))
    const another = '5555555555554444'
    const sent = { reason: 'changed plans', card: { number: another, cvv: 'CvvCanary' }, [another]: true }
    const reply = await shop.platform.post(`/booking/reservations/${id}/cancel`, sent)
    assert.equal(reply.status, 400, reply.text)
    const errors = Array.from(Object(reply.body)['errors']).map(Object)
    assert.deepEqual(
      errors.map(({ type, path, value }) => [type, path, value]),
      [
        ['UNKNOWN_FIELD', '/reason', undefined],
        ['UNKNOWN_FIELD', '/card', undefined],
        ['UNKNOWN_FIELD', '/…', undefined],
      ],
    )
    isNotRepeated(reply, /5555/)
    assert.deepEqual(await storedWith(another), [])
    assert.deepEqual(await storedWith('CvvCanary'), [])
    assert.equal((await read(id))['status'], 'Confirm')
  })

  test('may be absent at a cancellation; one that is not JSON is refused, and nothing of it is repeated', async () => {
    const id = idOf(expectStatus(await shop.book(), 201))
    for (const body of ['{"reason 5555555555554444"', '[]', '"5555555555554444"'])
      isNotRepeated(
        expectStatus(await shop.platform.post(`/booking/reservations/${id}/cancel`, body), 400),
        /5555/,
      )
    expectOk(await shop.platform.post(`/booking/reservations/${id}/cancel`, ''))
  })
})
