import { furtherExamples } from '../src/openapi/further-examples.ts'
import { routes, type RouteName } from '../src/contract.ts'
import type { Example, Route } from '../src/platform/route.ts'
import type { TestClient } from './harness.ts'

/** The examples of the API reference, sent to a service as one story. */

export type Sent = { name: RouteName; index: number; example: Example; status: number; answer: unknown }

const routeByName: Readonly<Record<RouteName, Route>> = routes

export function examplesOf(name: RouteName): readonly Example[] {
  return [...routeByName[name].examples, ...(furtherExamples[name] ?? [])]
}

/** Pushes first, in the order of the contract, then what reads. */
export function storyOrder(): RouteName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets what the table's type says.
  const names = Object.keys(routes) as RouteName[]
  const pushes = names.filter((name) => routeByName[name].pushKind !== undefined)
  return [...pushes, ...names.filter((name) => !pushes.includes(name))]
}

export async function sendExamples(client: TestClient): Promise<Sent[]> {
  const sent: Sent[] = []
  for (const name of storyOrder()) {
    for (const [index, example] of examplesOf(name).entries()) {
      const headers = { 'x-request-id': `example-${name}-${index + 1}` }
      const { method, path } = routeByName[name]
      const reply =
        method === 'GET'
          ? await client.get(filled(path, example.request), headers)
          : await client.post(path, example.request, headers)
      sent.push({ name, index, example, status: reply.status, answer: steady(reply.body) })
    }
  }
  return sent
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

/** The answer without what differs from run to run, and with long lists cut. */
export function steady(value: unknown, name = ''): unknown {
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
    if (name.startsWith('platform') && name.endsWith('Id')) return steadyIds[name] ?? value
  }
  if (name === 'durationMs') return 4
  if (name === 'keyId') return 1
  return value
}

const steadyIds: Readonly<Record<string, string>> = {}
