import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerError } from './answer-error.ts'
import { openLog } from '../../base/log.ts'
import { Rejected } from '../rejected.ts'
import { telemetry } from '../../base/telemetry.ts'
import { noWarnings } from '../calls/warnings.ts'

test('a refusal that cannot be written becomes a small fault of ours, with the request id', async () => {
  const lines: string[] = []
  const log = openLog('error', { write: (line) => void lines.push(line) })
  const fastify = Fastify({ genReqId: () => 'the-id' })
  fastify.decorateRequest('ari')
  fastify.addHook('onRequest', async (request) => {
    request.ari = {
      startedMs: 0,
      pathPrefix: '',
      admittedMs: 0,
      route: undefined,
      caller: undefined,
      push: undefined,
      token: undefined,
      idempotencyKey: undefined,
      operator: undefined,
      warnings: noWarnings(),
    }
  })
  fastify.setErrorHandler((error, request, reply) =>
    answerError(error, request, reply, {
      log,
      telemetry: telemetry(),
      turnedAway: () => undefined,
      keepRefused: () => Promise.reject(new Error('not asked for')),
    }),
  )
  const endless: Record<string, unknown> = {}
  endless['self'] = endless
  fastify.get('/', () => {
    const problem = { type: 'INVALID', message: 'x', value: endless }
    throw new Rejected(429, problem, { headers: { 'retry-after': '1' } })
  })
  const reply = await fastify.inject('/')
  assert.deepEqual(
    [reply.statusCode, reply.headers['retry-after'], reply.json()],
    [
      500,
      undefined,
      {
        code: '500',
        message: 'Something went wrong on our side',
        requestId: 'the-id',
        errors: [
          {
            type: 'INTERNAL_ERROR',
            docUrl: '/docs/guides/errors#INTERNAL_ERROR',
            message: 'Something went wrong on our side',
            hint: 'Send the same request again; if you contact us about it, quote the request id',
          },
        ],
      },
    ],
  )
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /a refusal could not be written/)
  await fastify.close()
})
