import type { FastifyRequest } from 'fastify'
import { visitOf } from './admit.ts'
import type { Caller, Operator, UncheckedCall, Visit } from './mount.ts'
import { Rejected, shown } from './rejected.ts'
import { unknownFieldsChoices, type UnknownFields } from './request-members.ts'

/** What a handler is called with. */
export function callOf(request: FastifyRequest): UncheckedCall {
  const { caller, push, token, operator, route, warnings } = request.ari
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
      warnings,
    },
    requestId: request.id,
    unknownFields: unknownFieldsIn(request) ?? caller?.unknownFields ?? 'warn',
    warnings,
  }
}

function unknownFieldsIn({ headers }: FastifyRequest): UnknownFields | undefined {
  const header = headers['x-unknown-fields']
  if (header === undefined) return undefined
  const said = unknownFieldsChoices.find((choice) => choice === header)
  if (said !== undefined) return said
  throw new Rejected(400, {
    type: 'NOT_ALLOWED',
    message: `X-Unknown-Fields must be one of ${unknownFieldsChoices.join(', ')}`,
    path: 'x-unknown-fields',
    value: shown(header),
    hint: 'reject refuses a request with members that are not known; warn only tells of them',
  })
}

const noOperator: Operator = { id: 0, name: '', role: 'viewer', sessionId: undefined, address: undefined }

const noVisit: Visit = { method: '', address: '', headers: {} }

const nobody: Caller = {
  keyId: 0,
  supplierId: 0,
  supplier: '',
  channelManager: '',
  unknownFields: 'warn',
  limits: { rate: undefined, bodyBytesMax: 0, ariItemsMax: 0, ariCellsMax: 0 },
}
