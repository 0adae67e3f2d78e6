import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import {
  expiredCertificate,
  goodCertificate,
  otherCertificate,
  testAuthority,
} from '../../test/stage/servers/certificates.ts'
import {
  httpAnswer,
  startReceiver,
  type Behaviour,
  type ReceiverOptions,
} from '../../test/stage/servers/receiver.ts'
import { outboundCaller, type Called, type OutboundCall, type OutboundCaller } from './call.ts'
import type { OutboundRules } from './vet-url.ts'
import { telemetry } from '../base/telemetry.ts'
import { loopbackNetworks } from './vet-url.ts'
import { minutes, seconds, until } from '../../test/stage/pace.ts'

const closers: (() => unknown)[] = []
after(async () => {
  for (const close of closers) await close()
})

async function receiver(behave?: Behaviour, options?: ReceiverOptions) {
  const started = await startReceiver(behave, options)
  closers.push(started.close)
  return started
}

const local: OutboundRules = {
  privateNetworks: loopbackNetworks,
  resolve: async () => ['127.0.0.1'],
  authorities: [testAuthority],
}

function caller(rules: Partial<OutboundRules> = {}, connectionsPerHost = 4, metrics = telemetry()) {
  const made = outboundCaller({ ...local, ...rules }, metrics, { purpose: 'test', connectionsPerHost })
  closers.push(made.close)
  return made
}

const body = Buffer.from('{"type":"ping"}')

function call(url: string, more: Partial<OutboundCall> = {}): OutboundCall {
  const limits = { connectWithinMs: minutes(2), withinMs: minutes(2), answerBytesMax: 1_000 }
  return { url, body, headers: { 'content-type': 'application/json' }, ...limits, ...more }
}

/** The parts of an outcome on which a caller bases its decision. */
function told(called: Called): unknown[] {
  return called.kind === 'answered'
    ? [called.status, called.body.toString()]
    : [called.reason, called.bytesSent]
}

const post = async (by: OutboundCaller, ...given: Parameters<typeof call>) =>
  told(await by.post(call(...given)))

test('a call sends the body as it is with the headers given, and tells status, headers and body of the answer', async () => {
  const supplier = await receiver((socket) => socket.write(httpAnswer(418, 'short', { 'x-own': 'yes' })))
  const called = await caller().post(
    call(`http://supplier.example:${supplier.port}/ari?x=1`, { headers: { 'webhook-id': 'w1' } }),
  )
  assert.ok(called.kind === 'answered')
  assert.deepEqual(
    [called.status, called.body.toString(), called.headers['x-own'], Number.isInteger(called.durationMs)],
    [418, 'short', 'yes', true],
  )
  const [{ line, headers, body: sent } = assert.fail()] = supplier.calls
  assert.deepEqual(
    [line, sent.toString(), Object.fromEntries(headers)],
    [
      'POST /ari?x=1 HTTP/1.1',
      body.toString(),
      {
        'accept-encoding': 'identity',
        connection: 'keep-alive',
        'content-length': '15',
        host: `supplier.example:${supplier.port}`,
        'user-agent': 'ari-gateway',
        'webhook-id': 'w1',
      },
    ],
  )
})

test('connections are kept for the next call, of one host no more at once than allowed, and each purpose has its own', async () => {
  let open = 0
  let most = 0
  const supplier = await receiver((socket) => {
    most = Math.max(most, ++open)
    setTimeout(() => {
      open--
      socket.write(httpAnswer(200, '{}'))
    }, 5)
  })
  const url = `http://supplier.example:${supplier.port}/`
  const [one, other] = [caller({}, 3), caller({}, 3)]
  const answers = await Promise.all(Array.from({ length: 30 }, () => post(one, url)))
  assert.deepEqual(
    answers,
    Array.from({ length: 30 }, () => [200, '{}']),
  )
  assert.deepEqual([most, supplier.connections()], [3, 3])
  await post(other, url)
  assert.equal(supplier.connections(), 4)
})

test('calls that wait for a connection can run out of time, unsent, and those behind them get their turn', async () => {
  const supplier = await receiver((socket, _call, index) => {
    if (index > 0) socket.write(httpAnswer(200, '{}'))
  })
  const url = `http://supplier.example:${supplier.port}/`
  const one = caller({}, 1)
  const [hung, given, last] = await Promise.all([
    post(one, url, { withinMs: seconds(2) }),
    post(one, url, { withinMs: seconds(1) }),
    post(one, url),
  ])
  assert.deepEqual(
    { hung, given, last },
    { hung: ['timeout', true], given: ['timeout', false], last: [200, '{}'] },
  )
  assert.equal(supplier.calls.length, 2)
})

test('a connection that the other side has closed meanwhile is not used again', async () => {
  const closed: object[] = []
  const supplier = await receiver((socket) => {
    socket.once('close', () => closed.push(socket))
    socket.end(httpAnswer(200, '{}'))
  })
  const one = caller()
  for (let count = 1; count <= 3; count++) {
    assert.deepEqual(await post(one, `http://supplier.example:${supplier.port}/`), [200, '{}'])
    await until(() => closed.length === count)
  }
  assert.equal(supplier.connections(), 3)
})

const forever = (socket: Parameters<Behaviour>[0], piece: string, pauseMs: number): void => {
  const timer = setInterval(() => socket.write(piece), pauseMs)
  socket.on('close', () => clearInterval(timer))
}
const head = 'HTTP/1.1 200 OK\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`

/** Ways a supplier's server may misbehave after it got the request, with the outcome for the caller. */
const misbehaviours: Readonly<Record<string, [Behaviour, unknown[]]>> = {
  'nothing at all': [() => {}, ['timeout', true]],
  'a head that drips': [(socket) => forever(socket, 'x', 10), ['malformed', true]],
  'header fields that drip': [
    (socket) => {
      socket.write(head)
      forever(socket, 'a: b\r\n', 10)
    },
    ['timeout', true],
  ],
  'a body that drips': [
    (socket) => {
      socket.write(`${head}content-length: 1000\r\n\r\n`)
      forever(socket, 'x', 10)
    },
    ['timeout', true],
  ],
  'a body without end': [
    (socket) => {
      socket.write(`${head}\r\n`)
      forever(socket, 'x'.repeat(900), 1)
    },
    ['too_large', true],
  ],
  'a chunked body without end': [
    (socket) => {
      socket.write(chunked)
      forever(socket, `384\r\n${'x'.repeat(900)}\r\n`, 1)
    },
    ['too_large', true],
  ],
  'a body one byte too large': [
    (socket) => socket.write(`${head}content-length: 1002\r\n\r\n${'x'.repeat(1_001)}`),
    ['too_large', true],
  ],
  'a compressed body': [
    (socket) => socket.write(httpAnswer(200, 'x', { 'content-encoding': 'gzip' })),
    [200, 'x'],
  ],
  'a flood of header fields': [
    (socket) => socket.write(head + 'a: b\r\n'.repeat(20_000)),
    ['too_large', true],
  ],
  'one endless header field': [
    (socket) => {
      socket.write(`${head}a: `)
      forever(socket, 'x'.repeat(1_000), 1)
    },
    ['too_large', true],
  ],
  'a flood of trailers': [
    (socket) => socket.write(`${chunked}0\r\n${'a: b\r\n'.repeat(20_000)}`),
    ['too_large', true],
  ],
  'an endless chunk extension': [
    (socket) => socket.write(`${chunked}1;${'x'.repeat(100_000)}`),
    ['too_large', true],
  ],
  'interim answers without end': [
    (socket) => forever(socket, 'HTTP/1.1 103 X\r\n\r\n', 1),
    ['malformed', true],
  ],
  'a few interim answers': [
    (socket) => socket.write(`${'HTTP/1.1 102 X\r\n\r\n'.repeat(3)}${httpAnswer(200, '{}')}`),
    [200, '{}'],
  ],
  'another protocol': [
    (socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ['malformed', true],
  ],
  'what is not HTTP': [(socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'), ['malformed', true]],
  'a length and chunks': [
    (socket) => socket.write(`${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ['malformed', true],
  ],
  'another protocol that nobody named': [
    (socket) => socket.write(`HTTP/1.1 101 X\r\n\r\n${httpAnswer(200, '{}')}`),
    ['malformed', true],
  ],
  'a status below all others': [(socket) => socket.write(httpAnswer(99, '{}')), ['malformed', true]],
  'HTTP/1.0 that ends with its connection': [
    (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n{}'),
    [200, '{}'],
  ],
  'more than was announced': [
    (socket) => socket.write(`${httpAnswer(200, '{}')}and more`),
    ['malformed', true],
  ],
  'two lengths': [
    (socket) => socket.write(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`),
    ['malformed', true],
  ],
  'the end before the answer': [(socket) => socket.end(), ['reset', true]],
  'a reset before the answer': [
    (socket) => (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy()),
    ['reset', true],
  ],
  'the end within the head': [(socket) => socket.end(`${head}a: b`), ['reset', true]],
  'the end within the body': [(socket) => socket.end(`${head}content-length: 9\r\n\r\nx`), ['reset', true]],
  'the end within a chunked body': [(socket) => socket.end(`${chunked}5\r\nx`), ['reset', true]],
  'a redirect': [
    (socket) => socket.write(httpAnswer(307, '', { location: 'http://169.254.169.254/latest/meta-data' })),
    [307, ''],
  ],
}

for (const certificate of [undefined, goodCertificate]) {
  const scheme = certificate ? 'https' : 'http'
  test(`over ${scheme}, whatever the other side does is reported for what it is, and the connection is not reused`, async () => {
    const by = caller()
    const found = Object.entries(misbehaviours).map(async ([what, [behave, expected]]) => {
      const supplier = await receiver(behave, certificate ? { certificate } : {})
      let attempts = 0
      let outcome: unknown
      // On a loaded machine the time may run out before the call reaches the other side: allow more.
      for (
        let withinMs = expected[0] === 'timeout' ? 500 : minutes(2);
        withinMs <= minutes(2);
        withinMs *= 2
      ) {
        attempts++
        outcome = await post(by, `${scheme}://supplier.example:${supplier.port}/`, { withinMs })
        if (supplier.calls.length > 0) break
      }
      assert.deepEqual([what, outcome], [what, expected])
      assert.ok(supplier.calls.length >= 1 && supplier.calls.length <= attempts, what)
      const isAnswer = typeof expected[0] === 'number'
      while (!isAnswer && supplier.openConnections() > 0) await wait(5)
    })
    await Promise.all(found)
  })
}

test('an answer in a great many pieces is not put together', async () => {
  const pieces = (count: number) => `${chunked}${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`
  const supplier = await receiver((socket, _call, index) =>
    socket.write(pieces(index === 0 ? 1_000 : 200_000)),
  )
  const url = `http://supplier.example:${supplier.port}/`
  const by = caller()
  const limits = { answerBytesMax: 262_144 }
  const lengths = async (): Promise<unknown[]> => {
    const [outcome, text] = await post(by, url, limits)
    return [outcome, String(text).length]
  }
  assert.deepEqual(await lengths(), [200, 1_000])
  assert.deepEqual((await lengths())[0], 'too_large')
  const called = await by.post(call(url, { ...limits, headSuffices: true }))
  assert.ok(called.kind === 'answered' && called.body.length < 200_000)
})

test('certificates are verified even if the environment tells Node not to', async () => {
  const supplier = await receiver(undefined, { certificate: otherCertificate })
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    const url = `https://supplier.example:${supplier.port}/`
    assert.deepEqual(await post(caller(), url), ['tls', false])
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('a call that fails before the request begins has sent no byte of it', async () => {
  const by = caller()
  const free = await receiver()
  await free.close()
  const mute = await receiver(undefined, { onConnection: (socket) => socket.pause() })
  const cutting = await receiver(undefined, {
    onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()),
  })
  const plain = await receiver(undefined, {
    onConnection: (socket) => socket.once('data', () => socket.write(httpAnswer(400, ''))),
  })
  const encrypted = async (certificate: { cert: string; key: string }) => receiver(undefined, { certificate })
  const [good, other, expired] = [
    await encrypted(goodCertificate),
    await encrypted(otherCertificate),
    await encrypted(expiredCertificate),
  ]
  const at = ({ port }: { port: number }, host = 'supplier.example') => `https://${host}:${port}/`
  const cases: [string, OutboundCaller, string, string][] = [
    ['nobody listens', by, at(free), 'connect'],
    ['nobody answers the handshake', by, at(mute), 'timeout'],
    ['the handshake is cut', by, at(cutting), 'tls'],
    ['no encryption', by, at(plain), 'tls'],
    ['a certificate for another name', by, at(other), 'tls'],
    ['a certificate that has expired', by, at(expired), 'tls'],
    ['a certificate of nobody known', caller({ authorities: [] }), at(good), 'tls'],
    ['a name without address', caller({ resolve: async () => [] }), at(good), 'dns'],
    [
      'a name server that fails',
      caller({ resolve: () => Promise.reject(new Error('SERVFAIL')) }),
      at(good),
      'dns',
    ],
    ['a silent name server', caller({ resolve: () => new Promise(() => {}) }), at(good), 'timeout'],
    ['a special address', caller({ resolve: async () => ['169.254.169.254'] }), at(good), 'refused_address'],
    [
      'one special address of two',
      caller({ resolve: async () => ['127.0.0.1', '0.0.0.0'] }),
      at(good),
      'refused_address',
    ],
    ['an address that is private', caller({ privateNetworks: [] }), at(good), 'refused_address'],
    [
      'a private address in the URL',
      caller({ privateNetworks: [] }),
      at(good, '127.0.0.1'),
      'refused_address',
    ],
    ['the same in IPv6', caller({ privateNetworks: [] }), at(good, '[::ffff:7f00:1]'), 'refused_address'],
    ['an address written oddly', by, at(good, '0x7f.1'), 'refused_address'],
    ['no URL', by, 'supplier', 'refused_address'],
  ]
  const outcomes = cases.map(async ([what, one, url, reason]) => {
    const limit = reason === 'timeout' ? { connectWithinMs: 300 } : {}
    assert.deepEqual([what, await post(one, url, limit)], [what, [reason, false]])
  })
  await Promise.all(outcomes)
  const encryptedBytes = [good, other, expired].map(({ bytes }) => bytes())
  const calls = [mute, cutting, plain].map((one) => one.calls.length)
  assert.deepEqual(
    [encryptedBytes, calls],
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
  )
  assert.deepEqual(await post(by, at(good)), [200, '{}'])
  assert.deepEqual(await post(by, at(good, '127.0.0.1')), [200, '{}'])
})

test('the connection goes to the address that was vetted, though the name says another one a moment later', async () => {
  const canary = await receiver()
  const supplier = await receiver(undefined, { host: '127.0.0.2', port: canary.port })
  const asked: string[] = []
  const resolve = async (host: string) => [asked.push(host) === 1 ? '127.0.0.2' : '127.0.0.1']
  assert.deepEqual(await post(caller({ resolve }), `http://supplier.example:${canary.port}/`), [200, '{}'])
  assert.deepEqual([asked, supplier.connections(), canary.connections()], [['supplier.example'], 1, 0])
})

test('every new connection is vetted anew; a reused one is not looked up again', async () => {
  const supplier = await receiver((socket, _call, index) => {
    socket.write(httpAnswer(200, '{}', index === 1 ? { connection: 'close' } : {}))
  })
  let asked = 0
  const resolve = async () => [++asked === 1 ? '127.0.0.1' : '169.254.169.254']
  const one = caller({ resolve })
  const url = `http://supplier.example:${supplier.port}/`
  assert.deepEqual(
    [await post(one, url), await post(one, url), asked, await post(one, url), asked],
    [[200, '{}'], [200, '{}'], 1, ['refused_address', false], 2],
  )
})

test('if one of several addresses cannot be reached, the next is tried', async () => {
  const supplier = await receiver()
  const resolve = async () => ['127.0.0.3', '::1', '127.0.0.1']
  assert.deepEqual(await post(caller({ resolve }), `http://supplier.example:${supplier.port}/`), [200, '{}'])
})

test('a call is given up by its signal, and all are when the caller is closed', async () => {
  const giveUp = new AbortController()
  const { signal } = giveUp
  const supplier = await receiver(() => giveUp.abort())
  const url = `http://supplier.example:${supplier.port}/`
  const one = caller()
  assert.deepEqual(await post(one, url, { signal }), ['cancelled', true])
  assert.deepEqual(await post(one, url, { signal }), ['cancelled', false])
  const hung = [
    post(one, url),
    post(caller({ resolve: () => new Promise(() => {}) }), url, { signal: AbortSignal.abort() }),
  ]
  while (supplier.calls.length < 2) await wait(5)
  one.close()
  assert.deepEqual(await Promise.all(hung), [
    ['cancelled', true],
    ['cancelled', false],
  ])
})

test('every call is counted by purpose and outcome', async () => {
  const supplier = await receiver()
  const metrics = telemetry()
  const one = caller({}, 4, metrics)
  await post(one, `http://supplier.example:${supplier.port}/`)
  await post(one, 'http://169.254.169.254/')
  const text = await metrics.registry.getSingleMetricAsString('ari_outbound_duration_seconds')
  const counts = [...text.matchAll(/_count\{(.*)\} (\d+)/g)].map((match) => match.slice(1))
  assert.deepEqual(counts, [
    ['purpose="test",outcome="answered"', '1'],
    ['purpose="test",outcome="refused_address"', '1'],
  ])
})
