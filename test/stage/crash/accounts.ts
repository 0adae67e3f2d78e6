/**
 * Accounts of a sandbox whose hotels are pushed to, booked, reset and moved in time at once, and the comparison
 * of the answers with the data found after a crash. In each account one client pushes, resets and moves the
 * clock, one call after another; others book and cancel meanwhile.
 */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { runAri } from '../programs/programs.ts'
import { startReceiver, type Receiver } from '../servers/receiver.ts'
import { nightAhead } from '../nights.ts'
import { clientOf, type Answered, type Broken, type Client } from './http.ts'
import { Unreadable } from './slots.ts'

/** What the account's own client has done so far. */
type State = {
  /** How far the hotel is set up: pushed hotels, products and ARI; without all of them it can't be booked. */
  step: 0 | 1 | 2 | 3
  priceCents: number
  aheadSeconds: number
}

type Span = { sentMs: number; endedMs: number }
type Reset = Span & { isAcknowledged: boolean }
type Booking = Span & {
  /** The guest's name, by which it is recognized. */
  guest: string
  /** Undefined: not acknowledged. */
  reservationId: string | undefined
  isCancelAcknowledged: boolean
}

export type Account = {
  name: string
  apiKey: string
  /** The states that the answers allow: several after a call without an answer. */
  states: State[]
  resets: Reset[]
  /** Those that may still be stored. */
  bookings: Booking[]
  isOnSale: boolean
  guests: number
}

export type Accounts = {
  all: Account[]
  authorization: string
  receiver: Receiver
  /** Answers that no call should have had. */
  oddAnswers: string[]
  reservationIds: Set<string>
  resetsAcknowledged: number
  calls: { acknowledged: number; open: number }
}

const accountsCount = 3
const bookersOfAccount = 3
const units = 90_000
const hotelId = 'H'
const stay = { checkin: nightAhead(41), checkout: nightAhead(43) }
const range = { startDate: nightAhead(40), endDate: nightAhead(44) }
const advance = { duration: 'PT7M', seconds: 420 }
const pauseMs = 15

export async function openAccounts(
  environ: Readonly<Record<string, string>>,
  url: string,
): Promise<Accounts> {
  const token = await runAri(environ, 'token', 'create', '--role', 'platform')
  assert.equal(token.code, 0, token.stderr)
  const { token: secret }: { token: string } = JSON.parse(token.stdout)
  const receiver = await startReceiver()
  const all: Account[] = []
  for (let index = 0; index < accountsCount; index++) {
    const name = `account ${index}`
    const made = await runAri(environ, 'key', 'create', '--supplier', name, '--rate-limit', '0')
    assert.equal(made.code, 0, made.stderr)
    const { apiKey }: { apiKey: string } = JSON.parse(made.stdout)
    const client = clientOf(url, apiKey)
    const webhook = `http://127.0.0.1:${receiver.port}/${index}`
    const registered = await client.send('/push/webhook/pushbook', { webhook })
    assert.ok(registered.isAnswered && registered.status === 200, JSON.stringify(registered))
    client.close()
    const states: State[] = [{ step: 0, priceCents: 0, aheadSeconds: 0 }]
    all.push({ name, apiKey, states, resets: [], bookings: [], isOnSale: false, guests: 0 })
  }
  const calls = { acknowledged: 0, open: 0 }
  const authorization = `Bearer ${secret}`
  const none = { oddAnswers: [], reservationIds: new Set<string>(), resetsAcknowledged: 0 }
  return { all, authorization, receiver, ...none, calls }
}

/** Keeps all clients calling until it is stopped; a client whose call gets no answer ends. */
export function useAccounts(accounts: Accounts, url: string): { stop: () => Promise<void> } {
  const life = { isOver: false }
  const clients: Client[] = []
  const running = accounts.all.map(async (account) => {
    const client = clientOf(url, account.apiKey)
    clients.push(client)
    const [state] = account.states
    account.isOnSale = state?.step === 3
    if (!account.isOnSale && !(await setUp(accounts, account, client, life))) return
    await Promise.all([
      own(accounts, account, client, life),
      ...Array.from({ length: bookersOfAccount }, () => bookAndCancel(accounts, account, client, life)),
    ])
  })
  return {
    stop: async () => {
      life.isOver = true
      await Promise.all(running)
      for (const client of clients) client.close()
    },
  }
}

type Life = { isOver: boolean }

/** Acknowledged, or whether it was carried out is not known. */
function isAcknowledged(
  accounts: Accounts,
  what: string,
  answered: Answered | Broken,
  alsoUsual: readonly number[] = [],
): boolean {
  const status = answered.isAnswered ? answered.status : undefined
  if (status !== undefined && status < 300) {
    accounts.calls.acknowledged++
    return true
  }
  if (status === undefined) accounts.calls.open++
  else if (!alsoUsual.includes(status))
    accounts.oddAnswers.push(`${what}: ${status} ${answered.isAnswered ? answered.text : ''}`)
  return false
}

/** One call that changes the account's state; false if it got no answer. */
async function change(
  accounts: Accounts,
  account: Account,
  call: () => Promise<Answered | Broken>,
  after: (before: State) => State,
): Promise<boolean> {
  const [before] = account.states
  assert.ok(before && account.states.length === 1)
  const then = after(before)
  account.states = [before, then]
  const answered = await call()
  if (!isAcknowledged(accounts, `${account.name} ${JSON.stringify(then)}`, answered)) return false
  account.states = [then]
  return true
}

/** Resets the account and pushes its hotel anew, so that every unit of it is either free or booked. */
async function setUp(accounts: Accounts, account: Account, client: Client, life: Life): Promise<boolean> {
  account.isOnSale = false
  const reset: Reset = { sentMs: performance.now(), endedMs: Infinity, isAcknowledged: false }
  account.resets.push(reset)
  const isReset = await change(
    accounts,
    account,
    () => client.send('/push/sandbox/reset', undefined, {}, 'POST'),
    () => ({ step: 0, priceCents: 0, aheadSeconds: 0 }),
  )
  reset.endedMs = performance.now()
  reset.isAcknowledged = isReset
  if (!isReset) return false
  accounts.resetsAcknowledged++
  const open = { isAvailable: true }
  const hotel = { hotelId, hotelName: 'Hotel', currency: 'USD', timezone: 'UTC', ...open }
  const room = { roomId: 'DBL', roomType: 'Double', roomName: 'Double', occupancy: { maxOccupancy: 2 } }
  const product = { ...room, ...open, rateId: 'BAR', rateName: 'BAR' }
  const ari = [{ roomId: 'DBL', ...range, inventory: units, rates: [{ rateId: 'BAR', price: '1.00' }] }]
  const pushes = [
    ['/push/hotels', [{ ...hotel, minChildAge: 2, maxChildAge: 12 }], { step: 1 }],
    ['/push/products', { hotelId, products: [product] }, { step: 2 }],
    ['/push/ari', { hotelId, pricingModel: 'unit', ari }, { step: 3, priceCents: 100 }],
  ] as const
  for (const [path, body, done] of pushes) {
    if (life.isOver) return false
    const call = () => client.send(path, body)
    if (!(await change(accounts, account, call, (before) => ({ ...before, ...done })))) return false
  }
  account.isOnSale = true
  return true
}

async function own(accounts: Accounts, account: Account, client: Client, life: Life): Promise<void> {
  while (!life.isOver) {
    const chance = Math.random()
    const isAnswered =
      chance < 0.7
        ? await pushPrice(accounts, account, client)
        : chance < 0.94
          ? await advanceClock(accounts, account, client)
          : await setUp(accounts, account, client, life)
    if (!isAnswered) return
    await wait(Math.random() * pauseMs)
  }
}

function pushPrice(accounts: Accounts, account: Account, client: Client): Promise<boolean> {
  const priceCents = (account.states[0]?.priceCents ?? 0) + 1
  const rates = [{ rateId: 'BAR', price: (priceCents / 100).toFixed(2) }]
  const body = { hotelId, pricingModel: 'unit', ari: [{ roomId: 'DBL', ...range, rates }] }
  const call = () => client.send('/push/ari', body)
  return change(accounts, account, call, (before) => ({ ...before, priceCents }))
}

function advanceClock(accounts: Accounts, account: Account, client: Client): Promise<boolean> {
  const call = () => client.send('/push/sandbox/clock', { advanceBy: advance.duration })
  return change(accounts, account, call, (before) => ({
    ...before,
    aheadSeconds: before.aheadSeconds + advance.seconds,
  }))
}

async function bookAndCancel(
  accounts: Accounts,
  account: Account,
  client: Client,
  life: Life,
): Promise<void> {
  while (!life.isOver) {
    const made = account.bookings.filter(
      (one) => one.reservationId !== undefined && !one.isCancelAcknowledged,
    )
    const chosen = made[Math.floor(Math.random() * made.length)]
    if (chosen && Math.random() < 0.3) {
      if (!(await cancel(accounts, chosen, client)).isAnswered) return
    } else if (account.isOnSale) {
      const guest = `${account.name.replaceAll(' ', '-')}-${++account.guests}`
      const sentMs = performance.now()
      const booking: Booking = {
        guest,
        sentMs,
        endedMs: Infinity,
        reservationId: undefined,
        isCancelAcknowledged: false,
      }
      account.bookings.push(booking)
      if (!(await book(accounts, account, booking, client)).isAnswered) return
    }
    await wait(Math.random() * pauseMs)
  }
}

/** While a reset is under way there is no hotel, or none for sale. */
const usualWhileReset = [404, 409]

async function book(
  accounts: Accounts,
  account: Account,
  booking: Booking,
  client: Client,
): Promise<Answered | Broken> {
  const { guest } = booking
  const named = { firstName: 'Ada', lastName: guest }
  const body = {
    hotel: { supplier: account.name, hotelId },
    ...stay,
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2, childAges: [], guest: named }],
    customer: named,
    payment: { type: 'Channel Collect' },
  }
  const { authorization } = accounts
  const headers = { authorization, 'idempotency-key': guest }
  const answered = await client.send('/booking/reservations', body, headers)
  booking.endedMs = performance.now()
  if (isAcknowledged(accounts, `booking ${guest}`, answered, usualWhileReset) && answered.isAnswered) {
    booking.reservationId = /"reservationId":"(\d+)"/.exec(answered.text)?.[1]
    // An answer that broke off after its status: only the guest's name tells which it is.
    if (booking.reservationId === undefined) return answered
    const isReplayed = answered.headers['idempotency-replayed'] === 'true'
    if (accounts.reservationIds.has(booking.reservationId) && !isReplayed)
      accounts.oddAnswers.push(`booking ${guest}: reservation ${booking.reservationId} exists already`)
    accounts.reservationIds.add(booking.reservationId)
  }
  return answered
}

async function cancel(accounts: Accounts, booking: Booking, client: Client): Promise<Answered | Broken> {
  const { authorization } = accounts
  const path = `/booking/reservations/${booking.reservationId}/cancel`
  const answered = await client.send(path, undefined, { authorization }, 'POST')
  if (isAcknowledged(accounts, `cancelling ${booking.guest}`, answered, usualWhileReset))
    booking.isCancelAcknowledged = true
  return answered
}

/** Compares every account with the answers; returns what contradicts them. */
export async function compareAccounts(accounts: Accounts, url: string): Promise<string[]> {
  const found = accounts.oddAnswers.splice(0)
  for (const account of accounts.all) {
    const client = clientOf(url, account.apiKey)
    try {
      found.push(...(await compareAccount(accounts, account, client)))
    } finally {
      client.close()
    }
  }
  return found
}

type Stored = { reservationId: string; version: number; status: string; guest: string }

async function compareAccount(accounts: Accounts, account: Account, client: Client): Promise<string[]> {
  const { name, states, resets, bookings } = account
  const found: string[] = []
  const { state, unitsByNight } = await readState(client)
  if (!states.some((allowed) => sameState(allowed, state)))
    found.push(`${name} is ${JSON.stringify(state)}, and by its answers ${JSON.stringify(states)}`)
  account.states = [state]
  const last = resets.at(-1)
  // Not answered, and not carried out: the hotel is there.
  if (last && !last.isAcknowledged && state.step > 0) resets.pop()

  const stored = await readReservations(accounts, account, client)
  const storedByGuest = Map.groupBy(stored, ({ guest }) => guest)
  for (const [guest, same] of storedByGuest)
    if (same.length > 1) found.push(`${guest} was booked ${same.length} times`)
  const known = new Set(bookings.map(({ guest }) => guest))
  for (const { guest } of stored) if (!known.has(guest)) found.push(`${guest} was removed, and is back`)
  for (const booking of bookings)
    found.push(...contradictions(booking, resets, storedByGuest.get(booking.guest)))

  const nights = Object.entries(unitsByNight)
  const booked = (night: string): number =>
    night >= stay.checkin && night < stay.checkout ? stored.length : 0
  for (const [night, left] of nights)
    if (left !== units - booked(night))
      found.push(`${name} has ${left} units on ${night}, with ${stored.length} reservations`)

  const open = bookings.filter(({ reservationId }) => reservationId === undefined)
  for (const booking of open)
    found.push(...(await repeat(accounts, account, booking, storedByGuest.get(booking.guest)?.[0], client)))
  const present = new Set((await readReservations(accounts, account, client)).map(({ guest }) => guest))
  account.bookings = bookings.filter(({ guest }) => present.has(guest))
  account.resets = []
  return found
}

function sameState(left: State, right: State): boolean {
  return (
    left.step === right.step &&
    left.priceCents === right.priceCents &&
    left.aheadSeconds === right.aheadSeconds
  )
}

function contradictions(
  booking: Booking,
  resets: readonly Reset[],
  stored: readonly Stored[] = [],
): string[] {
  const { guest, reservationId, sentMs, endedMs, isCancelAcknowledged } = booking
  const [one] = stored
  const mayBeRemoved = resets.some((reset) => reset.endedMs >= sentMs)
  const mustBeRemoved = resets.some((reset) => reset.isAcknowledged && reset.sentMs >= endedMs)
  if (!one)
    return reservationId === undefined || mayBeRemoved ? [] : [`${guest} was acknowledged, and is lost`]
  const isOther = reservationId !== undefined && reservationId !== one.reservationId
  return [
    ...(mustBeRemoved ? [`${guest} was booked before a reset, and is still there`] : []),
    ...(isOther ? [`${guest} was acknowledged as ${reservationId}, and is ${one.reservationId}`] : []),
    ...(isCancelAcknowledged && one.status !== 'Cancel'
      ? [`${guest} was cancelled, and is ${one.status}`]
      : []),
  ]
}

/** Only the same call under the same key tells whether a booking without an answer was made. */
async function repeat(
  accounts: Accounts,
  account: Account,
  booking: Booking,
  before: Stored | undefined,
  client: Client,
): Promise<string[]> {
  const { guest } = booking
  const answered = await book(accounts, account, booking, client)
  const status = answered.isAnswered ? answered.status : answered.why
  const after = (await readReservations(accounts, account, client)).filter((one) => one.guest === guest)
  const isReplayed = answered.isAnswered && answered.headers['idempotency-replayed'] === 'true'
  const told = `${guest}, ${before ? 'stored' : 'not stored'}, was answered ${status} when repeated`
  if (after.length > 1) return [`${told}, and is stored ${after.length} times`]
  const [one] = after
  if (before && (!isReplayed || one?.reservationId !== before.reservationId))
    return [`${told}, and is made anew`]
  // A reset may have removed what a stored answer tells of.
  if (!before && !one && status === 201 && !isReplayed) return [`${told}, and is lost`]
  return []
}

/** Every present reservation has reached the supplier in its last version, or will. */
export async function undelivered(accounts: Accounts, url: string): Promise<string[]> {
  const arrived = new Set(arrivals(accounts).map(({ id, version }) => `${id}.${version}`))
  const missing: string[] = []
  for (const account of accounts.all) {
    const client = clientOf(url, account.apiKey)
    for (const { reservationId, version, guest } of await readReservations(accounts, account, client))
      if (!arrived.has(`${reservationId}.${version}`)) missing.push(`${guest}: ${reservationId}.${version}`)
    client.close()
  }
  return missing
}

/** Reservations of which an older version arrived after a newer one. */
export function disordered(accounts: Accounts): string[] {
  const latest = new Map<string, number>()
  const found: string[] = []
  for (const { id, version } of arrivals(accounts)) {
    const before = latest.get(id) ?? 0
    if (version < before) found.push(`${id}.${version} arrived after ${id}.${before}`)
    latest.set(id, Math.max(before, version))
  }
  return found
}

function arrivals({ receiver }: Accounts): { id: string; version: number }[] {
  type Body = { reservations: { reservation: { reservation_id: string; reservation_version: string }[] } }
  return receiver.calls.flatMap(({ body }) => {
    const { reservations }: Body = JSON.parse(body.toString())
    return reservations.reservation.map((one) => ({
      id: one.reservation_id,
      version: Number(one.reservation_version),
    }))
  })
}

async function readState(client: Client): Promise<{ state: State; unitsByNight: Record<string, number> }> {
  const { clock } = await read<{ clock: { aheadBy: string } }>(client, '/push/sandbox/clock')
  const aheadSeconds = Temporal.Duration.from(clock.aheadBy).total('seconds')
  const { hotels } = await read<{ hotels: { productCount: number }[] }>(client, '/push/getHotels', {
    hotelIds: [hotelId],
  })
  const [hotel] = hotels
  if (!hotel) return { state: { step: 0, priceCents: 0, aheadSeconds }, unitsByNight: {} }
  if (hotel.productCount === 0) return { state: { step: 1, priceCents: 0, aheadSeconds }, unitsByNight: {} }
  type Item = {
    startDate: string
    endDate: string
    inventory?: number
    rates?: { prices?: { amount: number }[] }[]
  }
  const { ari } = await read<{ ari: Item[] }>(client, '/push/getAri', { hotelId, ...range })
  if (ari.length === 0) return { state: { step: 2, priceCents: 0, aheadSeconds }, unitsByNight: {} }
  const amounts = new Set(
    ari.flatMap(({ rates = [] }) => rates.flatMap(({ prices = [] }) => prices.map(({ amount }) => amount))),
  )
  assert.equal(amounts.size, 1, `the prices of ${[...amounts].join(' and ')} are stored side by side`)
  const [amount = 0] = amounts
  const unitsByNight: Record<string, number> = {}
  for (const { startDate, endDate, inventory } of ari) {
    const last = Temporal.PlainDate.from(endDate)
    for (
      let day = Temporal.PlainDate.from(startDate);
      Temporal.PlainDate.compare(day, last) <= 0;
      day = day.add({ days: 1 })
    )
      if (inventory !== undefined) unitsByNight[day.toString()] = inventory
  }
  return { state: { step: 3, priceCents: Math.round(Number(amount) * 100), aheadSeconds }, unitsByNight }
}

async function readReservations(accounts: Accounts, account: Account, client: Client): Promise<Stored[]> {
  type Listed = { reservationId: string; version: number; status: string; customer: { lastName: string } }
  type Page = { reservations: Listed[]; nextCursor: string | null }
  const stored: Stored[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`
    const path = `/booking/reservations?supplier=${encodeURIComponent(account.name)}&limit=100${from}`
    const page: Page = await read<Page>(client, path, undefined, { authorization: accounts.authorization })
    for (const { reservationId, version, status, customer } of page.reservations)
      stored.push({ reservationId, version, status, guest: customer.lastName })
    cursor = page.nextCursor
  }
  return stored
}

async function read<Body>(
  client: Client,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Body> {
  const answered = await client.send(path, body, headers)
  if (!answered.isAnswered) throw new Unreadable(`${path}: ${answered.why}`)
  if (answered.status !== 200) throw new Unreadable(`${path}: ${answered.status} ${answered.text}`)
  return JSON.parse(answered.text)
}
