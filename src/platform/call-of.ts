import type { FastifyRequest } from 'fastify'
import { visitOf } from './admit.ts'
import type { Caller, Operator, UncheckedCall, Visit } from './mount.ts'

/** What a handler is called with. */
export function callOf(request: FastifyRequest): UncheckedCall {
  const { caller, push, token, operator, route } = request.ari
  return {
    body: request.body,
    query: request.query,
    params: request.params,
    // Routes of other access never read these five.
    caller: caller ?? nobody,
    token: token ?? { id: 0, idempotencyKey: undefined },
    operator: operator ?? noOperator,
    visit: route?.isConsole ? visitOf(request) : noVisit,
    push: push ?? {
      kind: '',
      requestId: request.id,
      caller: nobody,
      rawBody: undefined,
      receivedAtMs: 0,
      startedMs: 0,
      idempotencyKey: undefined,
    },
    requestId: request.id,
  }
}

const noOperator: Operator = { id: 0, name: '', role: 'viewer', sessionId: undefined, address: undefined }

const noVisit: Visit = { method: '', address: '', headers: {} }

const nobody: Caller = {
  keyId: 0,
  supplierId: 0,
  supplier: '',
  channelManager: '',
  limits: { rate: undefined, bodyBytesMax: 0, ariItemsMax: 0, ariCellsMax: 0 },
}
