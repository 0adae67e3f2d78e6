import assert from 'node:assert/strict'
import { client, type TestClient } from '../stage/harness.ts'
import { expectOk } from '../stage/story.ts'
import type { Callers } from './scenario.ts'

/** What a release answered about its data, and whether a later version still says so. */

type Caller = keyof Callers
export type Question = { as: Caller; path: string; body?: unknown }
export type Recorded = { callers: Callers; answers: { question: Question; answer: unknown }[] }

export function clientsOf(url: string, callers: Callers): Record<Caller, TestClient> {
  const key = (apiKey: string): TestClient => client(url, { 'x-api-key': apiKey })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    alpha: key(callers.alpha),
    beta: key(callers.beta),
    gamma: key(callers.gamma),
    platform: client(url, bearer(callers.platform)),
    operator: client(url, bearer(callers.operator), '/console/api'),
  }
}

export async function ask(url: string, callers: Callers, { as, path, body }: Question): Promise<unknown> {
  const caller = clientsOf(url, callers)[as]
  const { status, body: said } = await (body === undefined ? caller.get(path) : caller.post(path, body))
  return { status, body: said }
}

/** Everything that can be read of the scenario's data, by everybody who may. */
export async function questionsAbout(url: string, callers: Callers): Promise<Question[]> {
  const clients = clientsOf(url, callers)
  const list = async (as: Caller, path: string, name: string): Promise<Record<string, unknown>[]> => {
    const found = expectOk(await clients[as].get(path)).body[name]
    assert.ok(Array.isArray(found) && found.length > 0, `${path} lists no ${name}`)
    return found
  }
  const questions: Question[] = []
  for (const as of ['alpha', 'beta', 'gamma'] as const) {
    questions.push(...supplierQuestions(as, as === 'alpha' ? ['H1', 'H2', 'H3', 'H4', 'H5'] : ['H1']))
    for (const { requestId } of await list(as, '/push/log?limit=100', 'pushes'))
      questions.push({ as, path: `/push/log/${String(requestId)}` })
  }
  questions.push(...platformQuestions())
  for (const { reservationId } of await list('operator', '/reservations', 'reservations')) {
    questions.push({ as: 'platform', path: `/booking/reservations/${String(reservationId)}` })
    questions.push({ as: 'operator', path: `/reservations/${String(reservationId)}` })
  }
  for (const { hotelId } of await list('operator', '/hotels', 'hotels'))
    questions.push(
      { as: 'operator', path: `/hotels/${String(hotelId)}` },
      { as: 'operator', path: `/hotels/${String(hotelId)}/calendar?from=2027-03-06&to=2027-06-05` },
    )
  for (const { supplierId } of await list('operator', '/suppliers', 'suppliers'))
    for (const part of ['', '/people', '/guard', '/alert-channels'])
      questions.push({ as: 'operator', path: `/suppliers/${String(supplierId)}${part}` })
  const pages = ['/alerts', '/audit', '/deliveries', '/drift', '/guard', '/holds', '/price-checks']
  for (const path of [
    ...pages,
    '/pushes',
    '/reference?list=roomTypes',
    '/stop-sells?state=active',
    '/stop-sells?state=ended',
    '/work',
  ])
    questions.push({ as: 'operator', path })
  return questions
}

function supplierQuestions(as: Caller, hotelIds: readonly string[]): Question[] {
  const nights = { startDate: '2027-03-06', endDate: '2027-06-30' }
  const cell = { roomId: 'DBL', rateId: 'BAR' }
  const digest = { from: nights.startDate, to: nights.endDate }
  const questions: Question[] = [
    { as, path: '/push/getHotels', body: hotelIds },
    ...['/push/log?limit=100', '/push/webhook', '/push/deliveries', '/push/priceChecks', '/push/limits'].map(
      (path) => ({ as, path }),
    ),
    ...['/push/guard', '/push/alerts/settings', '/push/sandbox/faults'].map((path) => ({ as, path })),
    { as, path: '/push/alerts', body: {} },
    { as, path: '/push/guard/holds', body: { hotelId: 'H1' } },
  ]
  for (const hotelId of hotelIds)
    questions.push(
      { as, path: '/push/getProducts', body: { hotelId } },
      { as, path: '/push/getTaxes', body: { hotelId } },
      { as, path: '/push/getAri', body: { hotelId, ...nights } },
      ...['month', 'day'].map((level) => ({
        as,
        path: '/push/getAriDigest',
        body: { hotelId, ...digest, level },
      })),
      { as, path: '/push/getAriDiff', body: { hotelId, from: { revision: 0 } } },
      { as, path: '/push/getAri', body: { hotelId, ...nights, asOf: { time: '2027-03-01T12:00:00Z' } } },
      ...(hotelId === 'H4' ? [] : ['2027-03-20', '2027-04-01', '2027-04-20', '2027-05-05']).map((date) => ({
        as,
        path: '/push/getCellHistory',
        body: { hotelId, ...cell, date },
      })),
    )
  return questions
}

function platformQuestions(): Question[] {
  const as = 'platform' as const
  const stays = [
    ['2027-03-15', '2027-03-18'],
    ['2027-04-02', '2027-04-05'],
    ['2027-04-20', '2027-04-22'],
    ['2027-05-11', '2027-05-13'],
  ] as const
  const hotels = ['H1', 'H2', 'H3', 'H4', 'H5'].map((hotelId) => ({ supplier: 'Alpha PMS', hotelId }))
  const others = ['Beta Channels', 'Gamma'].map((supplier) => ({ supplier, hotelId: 'H1' }))
  const parties = [{ adults: 2 }, { adults: 1, childAges: [5] }]
  return [
    ...stays.flatMap(([checkin, checkout]) =>
      parties.map((party) => ({
        as,
        path: '/booking/offers',
        body: { hotels: [...hotels, ...others], checkin, checkout, rooms: [party], explain: true },
      })),
    ),
    ...['Alpha%20PMS', 'Beta%20Channels', 'Gamma'].map((supplier) => ({
      as,
      path: `/booking/reservations?supplier=${supplier}`,
    })),
  ]
}

/** Of each call, or each epoch of the store. */
const ownOfEachRun = /^\/body\/(?:requestId|nextCursor)$|\/lastUsedAt$/
/** What people read may be said better in a later version. */
const forPeople = /\/remedy$/

/**
 * An explained stay may have gained rules that hold, because a later version has more restrictions; nothing that a
 * release stored sets them.
 */
function withoutLaterRules(was: readonly unknown[], is: unknown): unknown {
  if (!Array.isArray(is)) return is
  const recorded = new Set(was.map((one) => Object(one).rule))
  if (recorded.has(undefined)) return is
  const isLater = (one: unknown): boolean => {
    const { rule, pass, held } = Object(one)
    return pass === true && (held === null || held === false) && !recorded.has(rule)
  }
  return is.filter((one) => !isLater(one))
}

/** What was recorded and is not so any more. Answers may have gained members, and explained stays rules. */
export function differences(was: unknown, is: unknown, path = ''): string[] {
  if (Array.isArray(was)) {
    const known = withoutLaterRules(was, is)
    if (!Array.isArray(known) || known.length !== was.length)
      return [`${path}: ${was.length} elements became ${brief(is)}`]
    return was.flatMap((one, index) => differences(one, known[index], `${path}/${index}`))
  }
  if (typeof was === 'object' && was !== null) {
    const members = new Map(Object.entries(is ?? {}))
    return Object.entries(was).flatMap(([name, one]) =>
      ownOfEachRun.test(`${path}/${name}`) || forPeople.test(`${path}/${name}`)
        ? []
        : differences(one, members.get(name), `${path}/${name}`),
    )
  }
  return Object.is(was, is) ? [] : [`${path}: ${brief(was)} became ${brief(is)}`]
}

function brief(value: unknown): string {
  return (value === undefined ? 'nothing' : JSON.stringify(value)).slice(0, 100)
}
