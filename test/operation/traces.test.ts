import { endedSpans, idOf, partOf, spanWhere, traceOf, type Span } from '../stage/spans.ts'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { openShop, platformOf, room } from '../stage/scenes/booking.ts'
import { gatewayForTests, type Reply } from '../stage/harness.ts'
import { minutes, until } from '../stage/pace.ts'
import { httpAnswer, startReceiver, type ReceivedCall } from '../stage/servers/receiver.ts'
import { expectOk } from '../stage/story.ts'

/** What a trace shows, by OpenTelemetry's own SDK, and what it never does. */

const internal = 0
const server = 1
const client = 2
const unset = 0
const failed = 2

const gateway = await gatewayForTests({
  allowPrivate: true,
  vaultKey: Buffer.alloc(32, 7),
  outbound: { reach: (to) => to, sendsTraceparent: true },
  checkBudgetMs: minutes(2),
  callWithinMs: minutes(2),
})
const supplierStatus = { check: 200, book: 200 }
const secretOfUrl = 'url-canary'
const receiver = await startReceiver((socket, { line, body }) => {
  const isCheck = line.includes('/check')
  const answer = isCheck ? liveAnswer(body) : {}
  socket.write(httpAnswer(isCheck ? supplierStatus.check : supplierStatus.book, JSON.stringify(answer)))
})
after(() => receiver.close())
const shop = await openShop(gateway, 'Acme', {
  inventory: 99,
  rates: [{ rateId: 'BAR', price: 734.21 }],
})
for (const [kind, path] of [
  ['availability', 'check'],
  ['pushbook', 'book'],
])
  expectOk(
    await shop.supplier.post(`/push/webhook/${kind}`, {
      webhook: `http://127.0.0.1:${receiver.port}/${path}?key=${secretOfUrl}`,
    }),
  )
gateway.app.startDeliveries()

function liveAnswer(body: Buffer): object {
  const { roomId, rateId } = JSON.parse(body.toString())
  return {
    roomRate: {
      roomId,
      rateId,
      currency: 'USD',
      inventory: 5,
      amountBeforeTax: [734.21, 734.21],
      amountAfterTax: [807.63, 807.63],
    },
  }
}

const hexId = (bytes: number): string => randomBytes(bytes).toString('hex')
const night = (inventory: number) => ({
  hotelId: 'H1',
  ari: [{ roomId: 'DBL', date: '2027-04-01', inventory }],
})
/** The span of the request that a reply answers. */
const requestSpan = ({ headers }: Reply): Promise<Span> =>
  spanWhere(
    ({ kind, attributes }) => kind === server && attributes['ari.request_id'] === headers.get('x-request-id'),
  )
const traceparentOf = (call: ReceivedCall | undefined) => call?.headers.get('traceparent')
const header = (span: Span): string => `00-${traceOf(span)}-${idOf(span)}-01`

test('a push is a part of its caller’s trace, and its commit a part of the push', async () => {
  const [trace, parent] = [hexId(16), hexId(8)]
  const reply = expectOk(
    await shop.supplier.post('/push/ari', night(50), { traceparent: `00-${trace}-${parent}-01` }),
  )
  const request = await requestSpan(reply)
  assert.deepEqual(
    [request.name, traceOf(request), request.parentSpanContext?.spanId, request.status.code],
    ['POST /v1/push/ari', trace, parent, unset],
  )
  assert.deepEqual(request.attributes, {
    'http.request.method': 'POST',
    'http.route': '/v1/push/ari',
    'http.response.status_code': 200,
    'ari.request_id': reply.headers.get('x-request-id'),
    'ari.supplier': 'Acme',
  })
  const push = await partOf(request, 'push.ari')
  assert.deepEqual(
    [push.kind, push.attributes],
    [
      internal,
      {
        'ari.request_id': reply.headers.get('x-request-id'),
        'ari.supplier': 'Acme',
        'ari.hotel': 'H1',
        'ari.items': 1,
        'ari.cells': 1,
      },
    ],
  )
  const group = await partOf(push, 'commit.group')
  assert.deepEqual([traceOf(group), group.attributes], [trace, { 'ari.pushes': 1 }])
})

test('pushes that are committed together are linked with the one commit, and it with them', async () => {
  const several = ({ name, attributes }: Span) =>
    name === 'commit.group' && Number(attributes['ari.pushes']) > 1
  await until(async () => {
    await Promise.all(Array.from({ length: 20 }, (_, at) => shop.supplier.post('/push/ari', night(10 + at))))
    return endedSpans().some(several)
  })
  const group = await spanWhere(several)
  assert.equal(group.links.length, Number(group.attributes['ari.pushes']) - 1)
  for (const { context } of group.links) {
    const push = await spanWhere((span) => idOf(span) === context.spanId)
    assert.deepEqual([push.name, push.links.map((link) => link.context.spanId)], ['push.ari', [idOf(group)]])
  }
})

test('requests of one connection are traces of their own', async () => {
  const spans = []
  for (const inventory of [31, 32, 33])
    spans.push(await requestSpan(expectOk(await shop.supplier.post('/push/ari', night(inventory)))))
  assert.equal(new Set(spans.map(traceOf)).size, 3)
  assert.deepEqual(
    spans.map(({ parentSpanContext }) => parentSpanContext),
    [undefined, undefined, undefined],
  )
})

test('a search is a span, a live price a call within its request, and the supplier is told of both', async () => {
  const platform = await platformOf(gateway)
  const hotel = { supplier: 'Acme', hotelId: 'H1' }
  const stay = { checkin: '2027-04-20', checkout: '2027-04-22' }
  const found = await platform.post('/booking/offers', { hotels: [hotel], ...stay, rooms: [{ adults: 2 }] })
  const offers = await partOf(await requestSpan(expectOk(found)), 'offers')
  assert.deepEqual(offers.attributes, { 'ari.hotels': 1 })

  const ask = () =>
    platform.post(
      '/booking/priceCheck',
      { hotel, ...stay, roomId: 'DBL', rateId: 'BAR', roomCount: 1, adultCount: 2 },
      { baggage: 'guest=Lovelace', tracestate: 'theirs=1' },
    )
  const checked = await ask()
  const call = await partOf(await requestSpan(expectOk(checked)), 'callback.priceCheck')
  assert.deepEqual(
    [call.kind, call.status.code, call.attributes],
    [
      client,
      unset,
      {
        'http.request.method': 'POST',
        'server.address': '127.0.0.1',
        'server.port': receiver.port,
        'http.response.status_code': 200,
      },
    ],
  )
  const received = receiver.calls.at(-1)
  assert.equal(traceparentOf(received), header(call))
  assert.deepEqual([received?.headers.has('baggage'), received?.headers.has('tracestate')], [false, false])

  supplierStatus.check = 500
  const refused = await partOf(await requestSpan(await ask()), 'callback.priceCheck')
  assert.deepEqual([refused.status.code, refused.attributes['error.type']], [failed, '500'])
  supplierStatus.check = 200
})

test('a delivery is a trace of its own, linked with the booking that caused it, and each attempt names it', async () => {
  supplierStatus.book = 503
  const card = {
    holderName: 'Ada Canary',
    type: 'VI',
    number: '4111111111111111',
    expiry: '01/2030',
    cvv: '837',
  }
  const guest = { firstName: 'Guesty', lastName: 'Canary' }
  const booked = await shop.book({
    rooms: [room({ guest })],
    customer: guest,
    payment: { type: 'Channel Collect', card },
  })
  assert.equal(booked.status, 201, booked.text)
  const booking = await requestSpan(booked)
  const isLinked = (span: Span) =>
    span.name === 'delivery' && span.links.some(({ context }) => context.spanId === idOf(booking))
  const delivery = await spanWhere(isLinked)
  assert.notEqual(traceOf(delivery), traceOf(booking))
  assert.equal(delivery.parentSpanContext, undefined)
  assert.deepEqual([delivery.attributes['ari.attempt'], delivery.attributes['ari.deliveries']], [1, 1])
  const call = await partOf(delivery, 'callback.pushBooking')
  assert.deepEqual([call.status.code, call.attributes['error.type']], [failed, '503'])
  assert.equal(traceparentOf(receiver.calls.at(-1)), header(call))
})

test('what the caller can fix is no error of the service; what fails here is', async () => {
  const refused = await shop.supplier.post('/push/ari', { hotelId: 'NONE-canary', ari: [] })
  const request = await requestSpan(refused)
  assert.deepEqual(
    [request.status.code, request.attributes['http.response.status_code']],
    [unset, refused.status],
  )
  const push = await partOf(request, 'push.ari')
  assert.deepEqual([push.status.code, push.attributes['ari.hotel']], [unset, undefined])
  const unknown = await shop.supplier.get('/push/none/4111111111111111')
  assert.equal((await requestSpan(unknown)).name, 'GET')
})

test('suppliers are not told where the setting says so', async () => {
  const silent = await gateway.second({ outbound: { reach: (to) => to, sendsTraceparent: false } })
  const platform = await platformOf(silent)
  const body = { hotel: { supplier: 'Acme', hotelId: 'H1' }, checkin: '2027-04-23', checkout: '2027-04-24' }
  const checked = await platform.post('/booking/priceCheck', {
    ...body,
    roomId: 'DBL',
    rateId: 'BAR',
    roomCount: 1,
    adultCount: 2,
  })
  await partOf(await requestSpan(checked), 'callback.priceCheck')
  assert.equal(traceparentOf(receiver.calls.at(-1)), undefined)
})

test('while the service stops, what it refuses is an error', async () => {
  const stopping = await gateway.second()
  stopping.app.drain()
  const { status, headers } = await fetch(`${stopping.url}/v1/push/limits`)
  const span = await spanWhere(
    ({ attributes }) => attributes['ari.request_id'] === headers.get('x-request-id'),
  )
  assert.deepEqual([status, span.status.code, span.attributes['error.type']], [503, failed, '503'])
})

test('no span has a price, a guest, a card, a secret, a body, or the text of an error', () => {
  const seen = endedSpans().map(({ name, attributes, links, status, events }) => ({
    name,
    attributes,
    status,
    events,
    links: links.map((link) => link.attributes),
  }))
  // Ids have any digits.
  const text = JSON.stringify(seen).replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')
  const canaries = [
    '734',
    '807',
    'anary',
    'Guesty',
    '4111111111111111',
    '"837"',
    'remark',
    'not found',
    'Bearer',
  ]
  const secrets = [secretOfUrl, shop.supplier.apiKey, 'whsec_']
  assert.ok(seen.length > 50)
  assert.deepEqual(
    [...canaries, ...secrets].filter((canary) => text.includes(canary)),
    [],
  )
  assert.deepEqual(
    seen.filter(({ status, events }) => status.message !== undefined || events.length > 0),
    [],
  )
})
