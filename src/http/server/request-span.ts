import type { FastifyInstance, FastifyRequest } from 'fastify'
import { failSpan, inRequestSpan, isTracing, type Span } from '../../base/tracing.ts'

const serverErrorStatusMin = 500

/** A span for each request, which everything that is done for it is a part of. Call it before other hooks are added. */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return
  const spans = new WeakMap<FastifyRequest, Span>()
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { method, id, headers, routeOptions } = request
    const route = routeOptions.url
    const attributes = {
      'http.request.method': method,
      'ari.request_id': id,
      ...(route === undefined ? {} : { 'http.route': route }),
    }
    inRequestSpan(route === undefined ? method : `${method} ${route}`, attributes, headers, (span) => {
      spans.set(request, span)
      done()
    })
  })
  // Also if the client has gone.
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', reply.statusCode)
    const { caller } = request.ari
    if (caller) span?.setAttribute('ari.supplier', caller.supplier)
    if (reply.statusCode >= serverErrorStatusMin && span) failSpan(span, String(reply.statusCode))
    span?.end()
    done()
  })
}
