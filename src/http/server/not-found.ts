import type { FastifyRequest } from 'fastify'
import { withoutCardNumbers } from '../../base/card-number.ts'
import type { Mounted } from '../calls/mount.ts'
import { Rejected } from '../rejected.ts'
import { basePathOf, type Route } from '../route.ts'
import { editDistance, plainName } from '../validation/spelling.ts'
import { tradeNamesOf } from '../validation/trade-names.ts'

/** The refusal of a path that no route has, or of a method that the path's routes don't have. */
export function notFound(mounted: readonly Mounted[], request: FastifyRequest): Rejected {
  const path = request.url.split('?')[0] ?? ''
  const readable = readablePath(path)
  const here = mounted.filter(({ route }) => pathPattern(route).test(path)).map(({ route }) => route.method)
  const [first] = here
  if (first === undefined) {
    return new Rejected(404, {
      type: 'NO_SUCH_ENDPOINT',
      message: `There is no endpoint ${readable}`,
      hint: meantEndpoint(mounted, request.method, path) ?? 'See /docs/reference for the endpoints',
    })
  }
  const allow = [...new Set(here)].join(', ')
  return new Rejected(
    405,
    {
      type: 'METHOD_NOT_ALLOWED',
      message: `${request.method} is not allowed on ${readable}`,
      hint: `Use ${allow}`,
    },
    { headers: { allow } },
  )
}

/** Longer paths are no typing mistakes. */
const segmentsMax = 8
const segmentCharactersMax = 64
/** One letter in so many may be wrong. */
const lettersForTypo = 3
/** The first parts of paths that callers forget. */
const firstSegments = ['push', 'booking']

/**
 * The endpoint that a path comes nearest to: version, slashes, case and spelling may be wrong, its first part missing, or
 * a part named as elsewhere in the trade.
 */
function meantEndpoint(mounted: readonly Mounted[], method: string, path: string): string | undefined {
  const sent = sentSegments(path)
  if (sent.every(({ segments }) => segments.length === 0 || segments.length > segmentsMax)) return undefined
  const routes = mounted.map(({ route }) => route).filter(({ isConsole }) => isConsole !== true)
  const [nearest] = sent
    .flatMap((one) => [one, ...firstSegments.map((first) => added(first, one))])
    .flatMap((one) => routes.flatMap((route) => candidate(one, route) ?? []))
    .toSorted((one, other) => rankOf(one, method) - rankOf(other, method))
  if (!nearest) return undefined
  const names = routeSegments(nearest.route)
  const filled = names.map((name, at) => (isParameter(name) ? nearest.segments[at] || name : name))
  const others = routes.filter(({ path: same }) => same === nearest.route.path)
  const methods = others.some((route) => route.method === method) ? [method] : others.map((one) => one.method)
  const named = `${methods.join(' or ')} ${readablePath(`/v1/${filled.join('/')}`)}`
  return nearest.typos > 0 || nearest.isAdded || nearest.isTradeName
    ? `Did you mean ${named}?`
    : `Send it to ${named}: paths begin with /v1 once, have no doubled or trailing slash, and are case-sensitive`
}

/** `isJoined`: nothing between two slashes was left out, where a parameter may have been meant. */
type Sent = { segments: readonly string[]; isAdded: boolean; isJoined: boolean }

/** The segments of a path without its version, however often that is there: with those that are empty, and without. */
function sentSegments(path: string): Sent[] {
  const all = path.replaceAll(/%2f/gi, '/').split('/', 3 * segmentsMax)
  const trimmed = all.slice(all.findIndex(isMeant), 1 + all.findLastIndex((segment) => segment !== ''))
  const segments = all.some(isMeant) ? trimmed : []
  const joined = segments.filter((segment) => segment !== '')
  const kept = joined.length === segments.length ? [] : [{ segments, isAdded: false, isJoined: false }]
  return [{ segments: joined, isAdded: false, isJoined: kept.length > 0 }, ...kept]
}

function isMeant(segment: string): boolean {
  return segment !== '' && !/^v\d$/i.test(segment)
}

function added(first: string, { segments, ...sent }: Sent): Sent {
  return { ...sent, segments: [first, ...segments], isAdded: true }
}

const routeSegments = ({ path }: Route): string[] => path.split('/').slice(1)
const isParameter = (segment: string): boolean => segment.startsWith('{')

type Candidate = Sent & { route: Route; /** Wrong letters. */ typos: number; isTradeName: boolean }

/** Undefined if there are too many wrong letters for a typing mistake. */
function candidate(sent: Sent, route: Route): Candidate | undefined {
  const names = routeSegments(route)
  if (names.length !== sent.segments.length) return undefined
  let typos = 0
  let isTradeName = false
  for (const [at, name] of names.entries()) {
    const segment = sent.segments[at] ?? ''
    if (isParameter(name)) continue
    if (segment.length > segmentCharactersMax) return undefined
    const own = wrongLetters(name, segment)
    const wrong =
      own ?? Math.min(...tradeNamesOf(name).map((other) => wrongLetters(other, segment) ?? Infinity))
    if (wrong === Infinity) return undefined
    typos += wrong
    isTradeName ||= own === undefined
  }
  return { ...sent, route, typos, isTradeName }
}

function wrongLetters(name: string, segment: string): number | undefined {
  const most = Math.floor(name.length / lettersForTypo)
  if (Math.abs(segment.length - name.length) > most) return undefined
  const wrong = editDistance(plainName(name), plainName(segment))
  return wrong > most ? undefined : wrong
}

/**
 * The fewest wrong letters first; then a path that is complete, has fewer parameters, and the method that was sent. An
 * empty part is a parameter that was forgotten rather than a slash too many.
 */
function rankOf({ route, typos, isAdded, isJoined, isTradeName }: Candidate, method: string): number {
  const parameters = routeSegments(route).filter(isParameter).length
  const faults = 1_000 * typos + (isAdded ? 100 : 0) + (isTradeName ? 50 : 0)
  return faults + 10 * parameters + (isJoined ? 2 : 0) + (route.method === method ? 0 : 1)
}

const readablePathMax = 200

function readablePath(path: string): string {
  return withoutCardNumbers(path.slice(0, 2 * readablePathMax)).slice(0, readablePathMax)
}

function pathPattern(route: Route): RegExp {
  return new RegExp(`^${basePathOf(route)}${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
