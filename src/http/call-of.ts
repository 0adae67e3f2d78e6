import type { FastifyRequest } from 'fastify'
import { visitOf } from './admit.ts'
import type { UncheckedCall, WhoCalls } from './call.ts'
import { Rejected, shown } from './rejected.ts'
import { unknownFieldsChoices, type UnknownFields } from './request-members.ts'
import type { Access, Route } from './route.ts'

/** The argument that a handler is called with. */
export function callOf(route: Route, request: FastifyRequest): UncheckedCall {
  const { caller, push, idempotencyKey, warnings } = request.ari
  return {
    ...whoCalls(route.access, request),
    body: request.body,
    query: request.query,
    params: request.params,
    requestId: request.id,
    unknownFields: unknownFieldsIn(request) ?? caller?.unknownFields ?? 'warn',
    warnings,
    push,
    idempotencyKey,
  }
}

function whoCalls(access: Access, request: FastifyRequest): WhoCalls[Access] {
  const { caller, tokenId, operator } = request.ari
  if (access === 'supplier' && caller) return { caller }
  if (access === 'platform' && tokenId !== undefined) return { tokenId }
  if (access === 'operator' && operator) return { operator, visit: visitOf(request) }
  if (access === 'open') return { visit: visitOf(request) }
  throw new Error(`a request reached a route of ${access} access without being let in`)
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
