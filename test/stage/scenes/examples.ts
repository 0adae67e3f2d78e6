import { furtherExamples } from '../../../src/openapi/further-examples.ts'
import { routes, type RouteName } from '../../../src/contract.ts'
import type { Example, PublicRoute } from '../../../src/http/route.ts'
import { client, type Reply, type TestClient, type TestGateway } from '../harness.ts'
import type { OutboundRules } from '../../../src/outbound/vet-url.ts'
import { goodCertificate, testAuthority } from '../servers/certificates.ts'
import { httpAnswer, startReceiver, type Behaviour, type Receiver } from '../servers/receiver.ts'

/** The examples of the API reference, sent to a service as one story. */

type Sent = { name: RouteName; index: number; example: Example; status: number; answer: unknown }

const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes

export function examplesOf(name: RouteName): readonly Example[] {
  return [...routeByName[name].examples, ...(furtherExamples[name] ?? [])]
}

/** They change what all other calls find. */
const lastOnes: readonly RouteName[] = ['advanceClock', 'getClock', 'resetSandbox']

/** Pushes first, in the order of the contract, then reads, then removals. */
export function storyOrder(): RouteName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
  const names = (Object.keys(routes) as RouteName[]).filter((name) => !lastOnes.includes(name))
  const removals = names.filter((name) => routeByName[name].method === 'DELETE')
  const pushes = names.filter((name) => routeByName[name].pushKind !== undefined && !removals.includes(name))
  const reads = names.filter((name) => !pushes.includes(name) && !removals.includes(name))
  return [...pushes, ...reads, ...removals, ...lastOnes]
}

/** The supplier's examples are sent with its key, the platform's with a token. */
export async function sendExamples(gateway: TestGateway): Promise<Sent[]> {
  const supplier = await gateway.supplier('Docs')
  const platform = client(gateway.url, { authorization: `Bearer ${await gateway.token('platform')}` })
  const sent: Sent[] = []
  for (const name of storyOrder()) {
    for (const [index, example] of examplesOf(name).entries()) {
      const headers = { 'x-request-id': `example-${name}-${index + 1}` }
      const caller = routeByName[name].access === 'platform' ? platform : supplier
      const reply = await sendExample(caller, routeByName[name], example, headers)
      sent.push({ name, index, example, status: reply.status, answer: steady(reply.body) })
    }
  }
  return sent
}

function sendExample(
  caller: TestClient,
  { method, path }: PublicRoute,
  { request, params }: Example,
  headers: Record<string, string>,
): Promise<Reply> {
  if (method === 'GET') return caller.get(filled(path, { ...Object(request), ...Object(params) }), headers)
  if (method === 'DELETE') return caller.delete(filled(path, request), headers)
  if (method === 'PUT') return caller.put(filled(path, params), request, headers)
  return caller.post(filled(path, params), request, headers)
}

function filled(path: string, request: unknown): string {
  const members = new Map(Object.entries(request ?? {}).map(([name, value]) => [name, String(value)]))
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = members.get(name) ?? ''
    members.delete(name)
    return encodeURIComponent(value)
  })
  return members.size === 0 ? filledPath : `${filledPath}?${new URLSearchParams([...members]).toString()}`
}

const listElementsShown = 3
const cutLists = new Set(['pushes', 'roomTypes', 'mealPlans', 'currencies', 'cancelCodes'])

/** The answer without values that differ from run to run, and with long lists cut. */
function steady(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const shown = cutLists.has(name) ? value.slice(0, listElementsShown) : value
    return shown.map((element) => steady(element))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, steady(member, key)]))
  }
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return '2027-03-01T12:00:00.000Z'
    if (name === 'signingSecret') return 'whsec_…'
    if (name === 'nextCursor') return 'MTcz'
    if (name === 'priceCheckId' || name === 'jobId') return steadyUuid
    // Its end names the epoch of the store.
    if (name === 'planId') return value.replace(/[0-9a-f]{8}$/, 'a9b732fd')
    if (name === 'webhookId') return value.replace(/(?<=^[a-z]{3}_).*$/, steadyUuid)
    if (name === 'cursor') return 'Y2hhbmdlIDkyOCA0MQ'
    if (name.startsWith('platform') && name.endsWith('Id')) return steadyIds[name] ?? value
  }
  if (name === 'durationMs') return 4
  if (name === 'keyId') return 1
  return value
}

const steadyUuid = '7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11'
const steadyIds: Readonly<Record<string, string>> = {}

/**
 * The server behind https://pms.example.com and https://supplier.example, whatever those names resolve to.
 * Price checks are answered with the prices that the examples of the API reference push: 125.00 a night
 * including 10 % VAT.
 */
export type ExampleSupplier = Receiver & { outbound: Required<Pick<OutboundRules, 'authorities' | 'reach'>> }

export async function startExampleSupplier(behave: Behaviour = asPushed): Promise<ExampleSupplier> {
  const receiver = await startReceiver(behave, { certificate: goodCertificate })
  const { port } = receiver
  return {
    ...receiver,
    outbound: {
      authorities: [testAuthority],
      reach: ({ host }) => ({ host, port, addresses: ['127.0.0.1'] }),
    },
  }
}

const asPushed: Behaviour = (socket, { body }) => {
  const { roomId, rateId, checkin, checkout } = JSON.parse(body.toString())
  const nights = (Date.parse(checkout) - Date.parse(checkin)) / 86_400_000
  if (roomId === undefined) return void socket.write(httpAnswer(200, '{}'))
  const roomRate = {
    roomId,
    rateId,
    currency: 'USD',
    inventory: 5,
    amountBeforeTax: Array.from({ length: nights }, (_, night) => (night === 0 ? '113.63' : '113.64')),
    amountAfterTax: Array.from({ length: nights }, () => '125.00'),
  }
  socket.write(httpAnswer(200, JSON.stringify({ roomRate })))
}
