import type { FastifyRequest } from 'fastify'
import { withoutCardNumbers } from '../../base/card-number.ts'
import type { Mounted } from '../calls/mount.ts'
import { Rejected } from '../rejected.ts'
import { basePathOf, type Route } from '../route.ts'
import { editDistance, plainName } from '../validation/spelling.ts'

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

/** The endpoint that a path comes nearest to: version, slashes, case and spelling may be wrong, or its first part missing. */
function meantEndpoint(mounted: readonly Mounted[], method: string, path: string): string | undefined {
  const sent = segmentsOf(path)
  if (sent.length === 0 || sent.length > segmentsMax) return undefined
  const routes = mounted.map(({ route }) => route).filter(({ isConsole }) => isConsole !== true)
  const nearest = [sent, ...firstSegments.map((first) => [first, ...sent])]
    .flatMap((segments, added) =>
      routes.flatMap((route) => {
        const typos = distance(segments, route)
        return typos === undefined ? [] : [{ route, segments, typos, isAdded: added > 0 }]
      }),
    )
    .toSorted((one, other) => rankOf(one, method) - rankOf(other, method))[0]
  if (!nearest) return undefined
  const names = routeSegments(nearest.route)
  const filled = names.map((name, at) => (isParameter(name) ? (nearest.segments[at] ?? name) : name))
  const others = routes.filter(({ path: same }) => same === nearest.route.path)
  const methods = others.some((route) => route.method === method) ? [method] : others.map((one) => one.method)
  const named = `${methods.join(' or ')} ${readablePath(`/v1/${filled.join('/')}`)}`
  return nearest.typos > 0 || nearest.isAdded
    ? `Did you mean ${named}?`
    : `Send it to ${named}: paths begin with /v1 once, have no doubled or trailing slash, and are case-sensitive`
}

/** The segments of a path without its version, however often that is there. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/', 3 * segmentsMax).filter((segment) => segment !== '')
  const first = segments.findIndex((segment) => !/^v\d$/i.test(segment))
  return first === -1 ? [] : segments.slice(first)
}

const routeSegments = ({ path }: Route): string[] => path.split('/').slice(1)
const isParameter = (segment: string): boolean => segment.startsWith('{')

/** The number of wrong letters; undefined if there are too many for a typing mistake. */
function distance(segments: readonly string[], route: Route): number | undefined {
  const names = routeSegments(route)
  if (names.length !== segments.length) return undefined
  let typos = 0
  for (const [at, name] of names.entries()) {
    const segment = segments[at] ?? ''
    if (isParameter(name)) continue
    if (segment.length > segmentCharactersMax) return undefined
    const most = Math.floor(name.length / lettersForTypo)
    if (Math.abs(segment.length - name.length) > most) return undefined
    const wrong = editDistance(plainName(name), plainName(segment))
    if (wrong > most) return undefined
    typos += wrong
  }
  return typos
}

type Candidate = { route: Route; typos: number; isAdded: boolean }

/** The fewest wrong letters first; then a path that is complete, has fewer parameters, and the method that was sent. */
function rankOf({ route, typos, isAdded }: Candidate, method: string): number {
  const parameters = routeSegments(route).filter(isParameter).length
  return 1_000 * typos + (isAdded ? 100 : 0) + 10 * parameters + (route.method === method ? 0 : 1)
}

const readablePathMax = 200

function readablePath(path: string): string {
  return withoutCardNumbers(path.slice(0, 2 * readablePathMax)).slice(0, readablePathMax)
}

function pathPattern(route: Route): RegExp {
  return new RegExp(`^${basePathOf(route)}${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
