import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { validate } from '@scalar/openapi-parser'
import { routes, type RouteName } from '../../src/contract.ts'
import { openapiDocument } from '../../src/openapi/document.ts'
import { commonAnswers } from '../../src/openapi/common.ts'
import { keyOf } from '../../src/openapi/further-examples.ts'
import type { PublicRoute } from '../../src/http/route.ts'
import {
  startExampleSupplier,
  type ExampleSupplier,
  examplesOf,
  sendExamples,
  storyOrder,
} from '../stage/scenes/examples.ts'
import { client, gatewayForTests, startGateway, type TestGateway } from '../stage/harness.ts'
import { launchChromium } from '../stage/browser/chromium.ts'
import { minutes } from '../stage/pace.ts'

const root = resolve(import.meta.dirname, '../..')
const routeByName: Readonly<Record<RouteName, PublicRoute>> = routes
let supplier: ExampleSupplier
let gateway: TestGateway

before(async () => {
  supplier = await startExampleSupplier()
  gateway = await startGateway(supplier)
})
after(async () => {
  await gateway.stop()
  await supplier.close()
})

describe('the OpenAPI document', () => {
  // Serialized and parsed, as every other reader gets it.
  const document = JSON.parse(JSON.stringify(openapiDocument({ environment: 'sandbox' })))

  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors, version } = await validate(document)
    assert.deepEqual({ valid, errors, version }, { valid: true, errors: [], version: '3.1' })
  })

  test('names every operation and every callback once', () => {
    const items: Record<string, unknown>[] = [
      ...Object.values(document.paths),
      ...Object.values(document.webhooks),
    ].map(Object)
    const ids = items.flatMap((item) => Object.values(item).map((one) => Object(one).operationId))
    assert.deepEqual([...new Set(ids)], ids)
  })

  test('shows what a refusal holds beside its problems, and numbers as numbers', () => {
    const membersOf = (path: string, status: number): string[] => {
      const { schema } = document.paths[path].post.responses[status].content['application/json']
      return Object.keys(schema.properties)
    }
    for (const member of ['summary', 'results', 'revision', 'warnings'])
      for (const status of [400, 404]) assert.ok(membersOf('/push/ari', status).includes(member), member)
    for (const member of ['rules', 'total', 'currency', 'priceChecks'])
      for (const path of ['/booking/reservations', '/push/sandbox/booking'])
        assert.ok(membersOf(path, 409).includes(member), member)
    const limits = Object.values(document.paths).flatMap((methods) =>
      Object.values(Object(methods)).flatMap((one) =>
        Object(one).parameters.filter(({ name }: { name?: string }) => name === 'limit' || name === 'wait'),
      ),
    )
    assert.deepEqual(
      [limits.length > 4, new Set(limits.map(({ schema }) => schema.type))],
      [true, new Set(['integer'])],
    )
  })

  test('is what the service gives at /openapi.json, to readers of any host', async () => {
    const response = await fetch(`${gateway.url}/openapi.json`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.deepEqual(await response.json(), document)
    for (const encoding of ['gzip', 'br', 'identity']) {
      const again = await fetch(`${gateway.url}/openapi.json`, { headers: { 'accept-encoding': encoding } })
      assert.equal(again.headers.get('content-encoding') ?? 'identity', encoding)
      assert.deepEqual(await again.json(), document)
    }
  })

  test('has every route, each with words, examples, security and answers', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(
        ([method, operation]) => `${method.toUpperCase()} ${path} ${Object(operation).operationId}`,
      ),
    )
    const expected = Object.entries(routeByName).map(
      ([name, { method, path }]) => `${method} ${path} ${name}`,
    )
    assert.deepEqual(described.sort(), expected.sort())
    const tags = new Set(document.tags.map((tag: { name: string }) => tag.name))
    for (const [name, { method, path, tag, access, status: success = 200 }] of Object.entries(routeByName)) {
      const operation = document.paths[path][method.toLowerCase()]
      assert.ok(operation.summary.length > 0 && operation.description.length > 0, name)
      assert.ok(tags.has(tag), `${tag} is described`)
      const security = access === 'supplier' ? 'apiKey' : 'platformToken'
      assert.deepEqual(operation.security, [{ [security]: [] }])
      for (const status of [String(success), '401', '500', '503', ...(access === 'supplier' ? ['429'] : [])])
        assert.ok(operation.responses[status], `${name} ${status}`)
    }
  })

  test('has no keyword of ours', () => {
    const text = JSON.stringify(document)
    for (const keyword of ['"printable":', '"night":', '"decimal":', String(Number.MAX_SAFE_INTEGER)]) {
      assert.ok(!text.includes(keyword), keyword)
    }
  })

  test('lists with each operation every message that its shape can give', () => {
    for (const name of ['pushHotels', 'pushProducts', 'pushTaxes', 'getTaxes', 'pushAri'] as const) {
      const { path } = routeByName[name]
      const { description } = document.paths[path].post
      for (const message of specifiedMessages[name])
        assert.ok(description.includes(message), `${name}: ${message}`)
    }
  })

  test('says of each operation of a hotel that there may be no such hotel, or no such reservation of it', () => {
    const silent = Object.values(document.paths).flatMap((item) => {
      const { post } = Object(item)
      const { properties } = Object(post?.requestBody?.content['application/json']?.schema)
      const names = Object.keys(properties ?? {})
      return names.includes('hotelId') &&
        !/HOTEL_NOT_FOUND|RESERVATION_NOT_FOUND|Hotel not found/.test(post.description)
        ? [post.operationId]
        : []
    })
    assert.deepEqual(silent, [], 'see errorsBeyondShape in src/openapi/route-errors.ts')
  })

  test('names with the ARI operations every fault that the source of the feature can find', () => {
    const source = globSync('src/ari/**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('')
    const general = new Set(['REQUIRED', 'HOTEL_ID_REQUIRED'])
    const types = [
      ...new Set([...source.matchAll(/\btype: '([A-Z]+_[A-Z_]+)'/g)].map((match) => match[1] ?? '')),
    ]
    const said = JSON.stringify(
      Object.entries(document.paths).filter(([path]) =>
        /^\/push\/(?:ari|getAri|getAriDigest|getAriDiff|undo|guard.*)$/.test(path),
      ),
    )
    assert.deepEqual(
      types.filter((type) => !general.has(type) && !said.includes(type)),
      [],
    )
  })
})

/** The specification's table of errors. */
const specifiedMessages = {
  pushHotels: [
    'Maximum 500 hotels can be updated at a time',
    'Validation failure on minChildAge or maxChildAge',
  ],
  pushProducts: ['Hotel ID is not found', 'RoomType is not valid', 'MealPlan is not valid'],
  pushTaxes: [
    'hotelId is required',
    'at least one of taxes or products is required',
    'each product entry requires at least one of roomId or rateId',
    'room id not found',
    'rate id not found',
    'Hotel not found',
  ],
  getTaxes: ['hotelId is required', 'Hotel not found'],
  pushAri: ['RoomID not found', 'RateID not found'],
} as const

describe('the examples of the document', () => {
  test('are answered by a running service as they say, and as npm run record:answers has recorded', async (t) => {
    const sent = await sendExamples(gateway)
    for (const { name, index, example, status, answer } of sent) {
      const where = `${name}, example ${index + 1}`
      assert.equal(status, example.answer.status, where)
      const { code, message } = example.answer.body
      const said = Object(answer)
      assert.deepEqual({ code: said.code, message: said.message }, { code, message }, where)
    }
    const answersByName = Object.fromEntries(
      storyOrder().map((name) => [name, sent.filter((one) => one.name === name).map(({ answer }) => answer)]),
    )
    const file = join(root, 'src/openapi/sample-answers.json')
    try {
      t.assert.fileSnapshot(answersByName, file)
    } catch {
      // The difference of the whole file would fill the screen.
      const recorded = JSON.parse(readFileSync(file, 'utf8'))
      const differing = Object.entries(answersByName).flatMap(([name, answers]) =>
        JSON.stringify(answers) === JSON.stringify(recorded[name]) ? [] : [name],
      )
      assert.fail(`${differing.join(', ') || 'names'}: not as recorded; npm run record:answers records anew`)
    }
  })

  test('have a name of their own in each operation', () => {
    for (const name of storyOrder()) {
      const keys = examplesOf(name).map(keyOf)
      assert.deepEqual([...new Set(keys)], keys)
    }
  })

  test('of the answers that all operations share are what the service says', async () => {
    const { apiKey } = await gateway.supplier('Common')
    const post = (body: string, headers: Record<string, string>) =>
      client(gateway.url).post('/push/getTaxes', body, headers)
    const withKey = { 'x-api-key': apiKey }
    const got = {
      Unauthorized: await post('{}', {}),
      BadRequest: await post('{"hotelId":5}', withKey),
      UnsupportedMediaType: await post('<hotel/>', { ...withKey, 'content-type': 'application/xml' }),
      BodyTooLarge: await post(' '.repeat(10 * 1024 * 1024 + 1), withKey),
    }
    for (const [name, reply] of Object.entries(got)) {
      const { example } = Object(commonAnswers[name]).content['application/json']
      assert.deepEqual({ ...reply.body, requestId: '' }, { ...example, requestId: '' }, name)
      assert.equal(String(reply.status), example.code)
    }
  })
})

describe('the API reference', () => {
  const policy =
    "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;font-src 'self' data:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'"

  test('is one click from /docs, to which / leads, and has a strict content security policy, which the API has not', async () => {
    const front = await fetch(gateway.url)
    assert.equal(front.url, `${gateway.url}/docs`)
    assert.match(await front.text(), /<a href="\/docs\/reference">API reference<\/a>/)
    const response = await fetch(`${gateway.url}/docs/reference`)
    assert.equal(response.headers.get('content-security-policy'), policy)
    assert.equal(response.headers.get('strict-transport-security'), null)
    assert.doesNotMatch(await response.text(), /<script>|https?:\/\/(?!www\.w3\.org)/)
    const api = await fetch(`${gateway.url}/v1/push/limits`)
    assert.equal(api.headers.get('content-security-policy'), null)
  })

  test('does not offer to send requests in production', async () => {
    const production = await gatewayForTests({ environment: 'production' })
    const text = async (url: string) => (await fetch(`${url}/docs/start.js`)).text()
    assert.match(await text(production.url), /"hideTestRequestButton": true/)
    assert.match(await text(gateway.url), /"hideTestRequestButton": false/)
  })

  test('shows every operation, asks no other host and breaks no policy', async () => {
    const browser = await launchChromium()
    try {
      const page = await browser.newPage()
      page.setDefaultTimeout(minutes(2))
      const complaints: string[] = []
      const hosts = new Set<string>()
      page.on(
        'request',
        (request) => void (request.url().startsWith('data:') || hosts.add(new URL(request.url()).origin)),
      )
      page.on(
        'console',
        (message) => void (['error', 'warning'].includes(message.type()) && complaints.push(message.text())),
      )
      page.on('pageerror', (error) => void complaints.push(error.message))
      await page.goto(`${gateway.url}/docs/reference`)
      await page.getByRole('heading', { name: 'ARI gateway' }).waitFor()
      for (const tag of new Set(Object.values(routeByName).map((one) => one.tag))) {
        await page
          .getByRole('link', { name: tag, exact: true })
          .or(page.getByRole('button', { name: tag, exact: true }))
          .first()
          .waitFor()
      }
      // Where the reference was before: links to its operations still lead there.
      await page.goto(`${gateway.url}/docs#tag/ari/POST/push/ari`)
      await page.waitForURL(`${gateway.url}/docs/reference#tag/ari/POST/push/ari`)
      await page.getByText('Push availability, rates, inventory and restrictions').first().waitFor()
      await page.getByText('RoomID not found').first().waitFor()
      assert.deepEqual([...hosts], [gateway.url])
      assert.deepEqual(complaints, [])
    } finally {
      await browser.close()
    }
  })
})
