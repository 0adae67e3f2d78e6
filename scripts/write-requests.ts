/**
 * Writes docs/requests/ari-gateway.http: every operation with the contract's examples, for the HTTP clients
 * of JetBrains' editors and of VS Code (REST Client). A test sends the whole file to a service, in its order.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { routes, type RouteName } from '../src/contract.ts'
import type { Example, PublicRoute } from '../src/http/route.ts'
import { root } from './project-files.ts'

export const requestsPath = 'docs/requests/ari-gateway.http'

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes

/** Used where an example contains an id that the service assigned. */
const variables = {
  platformHotelId: 'platformHotelId of POST /push/getHotels',
  reservationId: 'reservationId of POST /booking/reservations',
} as const

const head = `# Every operation of the ARI gateway, with the examples of its API reference.
# For the HTTP clients of JetBrains' editors and of VS Code (extension "REST Client"). Set the first three variables and send the
# requests from top to bottom: the later ones rest on what the earlier ones push. "# expect" says the status of the answer.
# Tools that import OpenAPI (Postman, Insomnia, Bruno, Hoppscotch) take {{host}}/openapi.json instead.
# Written by scripts/write-requests.ts.

@host = http://127.0.0.1:8080
@apiKey = ari_sbx_...
@token = ari_tok_platform_sbx_...

# ${variables.platformHotelId}
@platformHotelId = 1
# ${variables.reservationId}
@reservationId = 1
`

export function requestCollection(): string {
  return [
    head,
    ...inOrder().flatMap((name) => routeByName[name].examples.map((example) => request(name, example))),
  ].join('\n')
}

/** Pushes first, then reads and bookings, then removals. */
function inOrder(): RouteName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
  const names = Object.keys(routes) as RouteName[]
  const rank = (name: RouteName): number => {
    const { method, pushKind } = routeByName[name]
    if (name === 'advanceClock' || name === 'getClock' || name === 'resetSandbox') return 3
    if (method === 'DELETE' || name === 'cancelReservation') return 2
    return pushKind === undefined ? 1 : 0
  }
  return names.toSorted((left, right) => rank(left) - rank(right))
}

function request(name: RouteName, { summary, request: sent, params, answer }: Example): string {
  const { method, path, access, tag, body } = routeByName[name]
  const isInPath = body === undefined && params === undefined
  const { target, rest } = filled(path, isInPath ? sent : params)
  const query = Object.entries(isInPath ? rest : {})
    .map(([member, value]) => `${encodeURIComponent(member)}=${written(member, value)}`)
    .join('&')
  const hasBody = method === 'POST' || method === 'PUT'
  const lines = [
    `### ${tag}: ${summary}`,
    `# expect ${answer.status}`,
    `${method} {{host}}/v1${target}${query === '' ? '' : `?${query}`}`,
    access === 'platform' ? 'Authorization: Bearer {{token}}' : 'x-api-key: {{apiKey}}',
    `x-request-id: example-${name}-${routeByName[name].examples.findIndex((one) => one.summary === summary) + 1}`,
    ...(hasBody ? ['Content-Type: application/json', '', written('', sent, 2)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function filled(path: string, members: unknown): { target: string; rest: Record<string, unknown> } {
  const rest = new Map<string, unknown>(Object.entries(members ?? {}))
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return written(name, value)
  })
  return { target, rest: Object.fromEntries(rest) }
}

/** A value as written to the file: identifiers assigned by the service become variables. */
function written(name: string, value: unknown, indent?: number): string {
  if (value === '1' && name === 'id') return '{{reservationId}}'
  if (value === '1' && name === 'hotel') return '{{platformHotelId}}'
  if (indent === undefined) return encodeURIComponent(String(value))
  return JSON.stringify(
    value,
    (member, inner: unknown) => {
      if (inner === '1' && member === 'platformHotelId') return '{{platformHotelId}}'
      if (inner === '1' && member === 'reservation_id') return '{{reservationId}}'
      return inner
    },
    indent,
  )
}

if (import.meta.main) {
  mkdirSync(dirname(join(root, requestsPath)), { recursive: true })
  writeFileSync(join(root, requestsPath), requestCollection())
  process.stdout.write(`${requestsPath} is written\n`)
}
