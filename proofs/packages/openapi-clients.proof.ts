/**
 * Clients that integrators generate from /openapi.json compile, strictly, and match the service's answers.
 */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openapiDocument } from '../../src/openapi/document.ts'

const root = resolve(import.meta.dirname, '../..')
/** With their own compiler: the generators need one that can be called as a library. */
const packages = join(root, 'test/stage/openapi-clients/node_modules')
const programs = {
  openapiTypescript: join(packages, 'openapi-typescript/bin/cli.js'),
  heyApi: join(packages, '@hey-api/openapi-ts/bin/run.js'),
  tsc: join(packages, 'typescript/bin/tsc'),
}
const programTimeoutMs = 240_000
const strict = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
const bundled = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions']

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ari-openapi-'))
  const document = JSON.stringify(openapiDocument({ environment: 'production' }))
  writeFileSync(join(folder, 'openapi.json'), document)
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function run(program: keyof typeof programs, ...parameters: string[]): Promise<void> {
  const options = { cwd: folder, timeout: programTimeoutMs }
  try {
    await promisify(execFile)(process.execPath, [programs[program], ...parameters], options)
  } catch (error) {
    const { stdout, stderr } = Object(error)
    assert.fail(`${program} ${parameters.join(' ')}\n${String(stdout)}${String(stderr)}`)
  }
}

test('the document is what redocly lint takes without an error, and with no warning but of what is meant so', async () => {
  const rules = { 'info-license': 'off' } as const
  const config = await createConfig({ extends: ['recommended'], rules })
  const source = JSON.stringify(openapiDocument({ environment: 'sandbox' }))
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  // Examples of refusals break the shape on purpose.
  const meant = (pointer: string | undefined): boolean => pointer?.includes('/requestBody/') === true
  assert.deepEqual(
    problems
      .map(({ ruleId, message, location: [place] }) => [ruleId, message, place?.pointer])
      .filter(([, , pointer]) => !meant(pointer)),
    [],
  )
})

/** The client's use of answers and refusals, and of request types. */
const usesTypes = `
import type { components, operations, paths, webhooks } from './types.ts'

type Refused = paths['/push/ari']['post']['responses'][404]['content']['application/json']
export const statusOf = ({ results, errors }: Refused): string | undefined => results?.[0]?.status ?? errors[0]?.type
type Conflict = operations['createReservation']['responses'][409]['content']['application/json']
export const newTotal = ({ total, rules }: Conflict): string | undefined => total?.afterTax ?? rules?.[0]?.rule
export const query: NonNullable<operations['listPushes']['parameters']['query']> = { limit: 10, outcome: 'rejected' }
export const delivered = (body: webhooks['pushBooking']['post']): unknown => body
export const warned = (answer: components['schemas']['Problem']): string => answer.type
`

test('openapi-typescript writes types that the strict compiler takes, refusals and numbers among them', async () => {
  await run('openapiTypescript', 'openapi.json', '-o', 'types.ts')
  writeFileSync(join(folder, 'uses-types.ts'), usesTypes)
  await run('tsc', ...strict, ...bundled, 'types.ts', 'uses-types.ts')
})

const usesSdk = `
import { getHotels, listPushes, pushAri } from './sdk'

export async function push(): Promise<number | undefined> {
  const { data } = await pushAri({ body: { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-04-15', inventory: 4 }] } })
  await listPushes({ query: { limit: 10 } })
  await getHotels({ body: { hotelIds: ['H1'] } })
  return data?.summary.cellsChanged
}
`

test('@hey-api/openapi-ts writes a client that the strict compiler takes', async () => {
  await run('heyApi', '-i', 'openapi.json', '-o', 'sdk', '-c', '@hey-api/client-fetch')
  writeFileSync(join(folder, 'uses-sdk.ts'), usesSdk)
  await run('tsc', ...strict, ...bundled, 'uses-sdk.ts')
})
