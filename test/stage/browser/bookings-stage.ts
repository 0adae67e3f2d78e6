import { after } from 'node:test'
import { setAccount } from '../../../src/keys/suppliers.ts'
import { changeAsAsked, idOf, openShop, pushNights, bookingBody, room, type Shop } from '../scenes/booking.ts'
import { until } from '../scenes/deliveries.ts'
import { gatewayForTests, type TestGateway } from '../harness.ts'
import { httpAnswer, startReceiver, type Receiver } from '../servers/receiver.ts'
import { expectOk } from '../story.ts'

/** Two suppliers, of which one takes no reservations at first, and some that were booked. */

export const card = {
  holderName: 'Ada Lovelace',
  type: 'VI',
  number: '4111111111111111',
  expiry: '01/2030',
  cvv: '837',
}
export const evilName = '<img src=x onerror="window.evil=1">'

export type BookingsStage = {
  gateway: TestGateway
  acme: Shop
  /** Of acme: its reservations and its price checks. */
  receiver: Receiver
  /** Whether acme takes reservations; it does not at first. */
  mend: (isMended: boolean) => void
  /** Arrived, with a card, in two versions. */
  arrived: string
  /** Failing, with a guest of that name. */
  failing: string
  /** Failing too, for what is sent by the keyboard. */
  other: string
  /** And one more. */
  late: string
  /** Of a supplier without a URL. */
  nowhere: string
}

export async function stageBookings(): Promise<BookingsStage> {
  const gateway = await gatewayForTests({
    allowPrivate: true,
    outbound: { reach: (to) => to },
    vaultKey: Buffer.alloc(32, 7),
  })
  const acme = await openShop(gateway, 'Acme', { inventory: 99 })
  const beta = await openShop(gateway, 'Beta', { inventory: 99 })
  await setAccount(gateway.db, 'Acme', { deliversCards: true })
  let isMended = true
  const receiver = await startReceiver((socket, { line, body }) => {
    const answer = line.includes('/check') ? liveAnswer(body) : { taken: isMended }
    socket.write(httpAnswer(line.includes('/check') || isMended ? 200 : 503, JSON.stringify(answer)))
  })
  after(() => receiver.close())
  const url = `http://127.0.0.1:${receiver.port}`
  expectOk(await acme.supplier.post('/push/webhook/pushbook', { webhook: `${url}/book?key=theirs` }))
  gateway.app.startDeliveries()
  const arrived = idOf(await acme.book({ payment: { type: 'Channel Collect', card } }))
  const later = bookingBody('Acme', { checkout: '2027-04-23' })
  expectOk(await changeAsAsked(acme.platform, arrived, later))
  await until('it arrived', async () => (await statusOf(gateway, arrived)).at(-1) === 'delivered')
  isMended = false
  const evil = { firstName: evilName, lastName: 'Lovelace' }
  const failing = idOf(await acme.book({ customer: evil, rooms: [room({ guest: evil })] }))
  const other = idOf(await acme.book())
  const late = idOf(await acme.book())
  const nowhere = idOf(await beta.book())
  for (const id of [failing, other, late])
    await until('it failed', async () => (await attemptsOf(gateway, id)) === 1)
  await drift(acme, `${url}/check`)
  return {
    gateway,
    acme,
    receiver,
    mend: (isSo) => {
      isMended = isSo
    },
    arrived,
    failing,
    other,
    late,
    nowhere,
  }
}

/** Nights on which the supplier says another price than the one it pushed. */
async function drift({ supplier, platform }: Shop, webhook: string): Promise<void> {
  expectOk(await supplier.post('/push/webhook/availability', { webhook }))
  await pushNights(supplier, { startDate: '2027-04-12', endDate: '2027-04-13', inventory: 7 })
  for (const checkin of ['2027-04-10', '2027-04-12', '2027-04-14'])
    expectOk(
      await platform.post('/booking/priceCheck', {
        hotel: { supplier: 'Acme', hotelId: 'H1' },
        roomId: 'DBL',
        rateId: 'BAR',
        checkin,
        checkout: `${checkin.slice(0, -1)}${Number(checkin.at(-1)) + 1}`,
        roomCount: 1,
        adultCount: 2,
        childAges: [],
      }),
    )
}

/** 132.00 a night where 110.00 is stored; as stored on the 14th. */
function liveAnswer(body: Buffer): object {
  const { roomId, rateId, checkin, checkout } = JSON.parse(body.toString() || '{}')
  const nights = (Date.parse(checkout) - Date.parse(checkin)) / 86_400_000
  const amount = checkin === '2027-04-14' ? 110 : 132
  const amounts = Array.from({ length: nights || 1 }, () => amount)
  return {
    roomRate: {
      roomId,
      rateId,
      currency: 'USD',
      inventory: 5,
      amountBeforeTax: amounts,
      amountAfterTax: amounts,
    },
  }
}

export async function statusOf(gateway: TestGateway, reservationId: string): Promise<string[]> {
  const { rows } = await gateway.db.query<{ status: string }>(
    'select status from delivery where reservation_id = $1 order by version, created_at',
    [reservationId],
  )
  return rows.map(({ status }) => status)
}

async function attemptsOf(gateway: TestGateway, reservationId: string): Promise<number> {
  const { rows } = await gateway.db.query<{ count: number }>(
    `select count(*)::int as count from delivery_attempt join delivery on delivery.id = delivery_id
     where reservation_id = $1`,
    [reservationId],
  )
  return rows[0]?.count ?? 0
}
