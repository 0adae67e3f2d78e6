import { openLog } from '../../../src/base/log.ts'
import { telemetry } from '../../../src/base/telemetry.ts'
import { watchOnce } from '../../../src/alerts/watch/watch.ts'
import { changesSettled, type Reply } from '../harness.ts'
import { exported } from '../scenes/exports.ts'
import { getChanges } from '../scenes/changes.ts'
import { expectOk } from '../story.ts'
import {
  adults,
  april,
  bar,
  bodyOf,
  bookOnce,
  pushAri,
  pushFirst,
  type Fields,
  type UnderWay,
} from './hotel.ts'

/** What each side reads of everything that is under way, one member a thing. Reading changes nothing. */
export type State = {
  prices: unknown
  /** What becomes of a push whose sequence is past, tried. */
  pastSequence: unknown
  holds: unknown
  /** What an undo of the mistake would do. */
  undo: unknown
  /** The total of the stay, or the rules that forbid it. */
  offer: unknown
  priceCheck: unknown
  /** Whether repeats of the first push and the booking get their answers. */
  keptAnswers: unknown
  /** The reservation, and what becomes of sending it again as it is. */
  reservation: unknown
  /** What cancelling would cost from when on. */
  penalties: unknown
  delivery: unknown
  card: unknown
  digest: unknown
  exported: unknown
  alerts: unknown
  drift: unknown
  history: unknown
  /** What the feed has told since all was under way. */
  feed: unknown
}

export async function stateOf(way: UnderWay): Promise<State> {
  const { supplier } = way
  const post = async (path: string, body: Fields): Promise<Fields> =>
    expectOk(await supplier.post(path, { hotelId: 'H1', ...body })).body
  const { ari: prices } = await post('/push/getAri', april)
  const digest = await post('/push/getAriDigest', {
    from: april.startDate,
    to: april.endDate,
    level: 'hotel',
  })
  const { holds } = await post('/push/guard/holds', {})
  const checks = expectOk(await supplier.get('/push/priceChecks?hotelId=H1&limit=1')).body
  const drift = Object(checks['drift'])
  return {
    prices,
    pastSequence: await pastSequence(way),
    holds: Object(holds).map(({ holdId, cells }: Fields) => [holdId === way.holdId, cells]),
    undo: undone(await supplier.post('/push/undo', { hotelId: 'H1', revision: way.mistake, dryRun: true })),
    offer: await offerOf(way),
    priceCheck: await priceCheckOf(way),
    keptAnswers: [
      (await pushFirst(way)).headers.get('idempotency-replayed'),
      (await bookOnce(way)).text === way.booked.text,
    ],
    ...(await reservationOf(way)),
    delivery: await deliveryOf(way),
    card: await cardOf(way),
    digest: digest['hotel'],
    exported: (await exported(supplier, { kind: 'ari', hotelIds: ['H1'] } as const)).text.replaceAll(
      /"revision":\d+/g,
      '',
    ),
    alerts: await alertsOf(way),
    drift: [drift.currency, drift.differingNights, drift.differing],
    history: historyOf(
      await supplier.post('/push/getCellHistory', {
        hotelId: 'H1',
        roomId: 'DBL',
        rateId: 'BAR',
        date: '2027-04-25',
        field: 'price',
      }),
    ),
    feed: await feedOf(way),
  }
}

async function pastSequence(way: UnderWay): Promise<unknown> {
  const item = { date: '2027-04-20', ...bar(adults(2, 120)) }
  const { body } = await pushAri(way, item, { sequence: 9, dryRun: true })
  return Object(body['results'])[0].status
}

function undone({ status, body }: Reply): unknown {
  const { summary, errors = [] } = Object(body)
  return [status, summary ?? errors[0].message.replace(/\d+/, 'N')]
}

/** BAR for two nights of a family from 20 April. */
export async function offerOf({ supplier, platform }: UnderWay, more: Fields = {}): Promise<unknown> {
  const hotels = [{ supplier: supplier.name, hotelId: 'H1' }]
  const rooms = [{ adults: 2, childAges: [5] }]
  const stay = { checkin: '2027-04-20', checkout: '2027-04-22', rooms }
  const { body } = expectOk(
    await platform.post('/booking/offers', { hotels, ...stay, explain: true, ...more }),
  )
  const [{ offers, unavailable }] = Object(body['hotels'])
  const isBar = ({ rateId }: Fields): boolean => rateId === 'BAR'
  const offer = offers.find(isBar)
  if (offer) return [offer.total.afterTax, offer.mealPlan, offer.cancelPolicy.penalties]
  return unavailable
    .find(isBar)
    ?.rules.filter(({ pass }: Fields) => pass === false)
    .map(({ rule, reason }: Fields) => [rule, reason ?? []].flat().join(' '))
}

async function priceCheckOf({ supplier, platform }: UnderWay): Promise<unknown> {
  const { body } = expectOk(
    await platform.post('/booking/priceCheck', {
      hotel: { supplier: supplier.name, hotelId: 'H1' },
      roomId: 'DBL',
      rateId: 'BAR',
      checkin: '2027-04-20',
      checkout: '2027-04-22',
      roomCount: 1,
      adultCount: 2,
      childAges: [5],
    }),
  )
  const { outcome, bookable, stored } = Object(body)
  return [outcome, bookable, stored.currency, stored.amountAfterTax]
}

export async function reservationOf(way: UnderWay): Promise<Pick<State, 'reservation' | 'penalties'>> {
  const { supplier, platform, reservationId } = way
  const again = await platform.put(`/booking/reservations/${reservationId}`, bodyOf(supplier))
  const { body } = expectOk(await platform.get(`/booking/reservations/${reservationId}`))
  const { version, status, currency, total, rooms } = Object(body['reservation'])
  return {
    reservation: [again.body['message'], version, status, currency, total.afterTax, rooms[0].mealPlan],
    penalties: rooms[0].cancelPolicy?.penalties,
  }
}

/** What cancelling the reservation costs from when on. */
export async function penaltiesOf({ platform, reservationId }: UnderWay): Promise<unknown> {
  const { body } = expectOk(await platform.get(`/booking/reservations/${reservationId}`))
  return Object(body['reservation']).rooms[0].cancelPolicy?.penalties
}

/** The body that the supplier's URL gets when the reservation is sent now. */
export async function deliveryOf({ supplier, receiver, reservationId }: UnderWay): Promise<unknown> {
  const sent = await supplier.post('/push/webhook/booking', {
    hotelId: 'H1',
    reservation_id: reservationId,
  })
  const { status } = Object(sent.body['delivery'])
  const last = receiver.calls.findLast(({ line }) => line.includes('/book'))
  return [status, JSON.parse(last?.body.toString() ?? 'null')]
}

export async function cardOf({ gateway, reservationId }: UnderWay): Promise<unknown> {
  const { rows } = await gateway.db.query(
    `select card is not null as "isKept", keep_until::text as until from reservation_card where reservation_id = $1`,
    [reservationId],
  )
  return rows
}

/** The kinds that are open after a look at everything. */
export async function alertsOf({ gateway, supplier }: UnderWay): Promise<unknown> {
  const { db, clock } = gateway
  await watchOnce({ db, clock, log: openLog('fatal'), telemetry: telemetry() })
  const { body } = expectOk(await supplier.post('/push/alerts', { states: ['open'] }))
  return Object(body['alerts'])
    .map(({ kind }: Fields) => String(kind))
    .sort()
}

function historyOf({ status, body }: Reply): unknown {
  const { changes = [] } = Object(body)
  return [status, ...changes.map(({ before, after }: Fields) => [before, after])]
}

async function feedOf({ gateway, platform, supplier, cursor }: UnderWay): Promise<unknown> {
  await changesSettled(gateway.db)
  const { body } = expectOk(await getChanges(platform, { after: cursor }))
  return (
    Object(body['changes'])
      .filter((change: Fields) => change['supplier'] === supplier.name)
      .map(({ kind }: Fields) => kind)
      // What a price check heard is written a moment after it.
      .filter((kind: unknown) => kind !== 'live')
  )
}
