import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Attributes as ApiAttributes,
  type Context,
  type Link,
  type Span as ApiSpan,
  type SpanContext as ApiSpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Spans, by OpenTelemetry's API alone: they go nowhere unless an SDK was loaded before the service (docs/operating.md). Attributes
 * say what was done, never with which values: no prices, guests, cards, bodies, or texts of errors, which may quote them.
 */

const tracer = trace.getTracer('ari-gateway')

let isOn: boolean | undefined

/** Whether an SDK was loaded. Without one, nothing here costs more than this question. */
export function isTracing(): boolean {
  // Without an SDK, spans have no ids.
  return (isOn ??= isSpanContextValid(tracer.startSpan('probe', { root: true }).spanContext()))
}

export type Attributes = ApiAttributes
export type Span = ApiSpan
export type SpanContext = ApiSpanContext

/** The span of the work under way; undefined if it isn't traced. */
export function currentSpan(): Span | undefined {
  return isTracing() ? trace.getActiveSpan() : undefined
}

/** Begins the span of a request, as part of the trace that its `traceparent` names, and does `work` within it. */
export function inRequestSpan(
  name: string,
  attributes: Attributes,
  headers: IncomingHttpHeaders,
  work: (span: Span) => void,
): void {
  // Not the active context: requests of one connection begin within each other's.
  const caller = propagation.extract(ROOT_CONTEXT, headers)
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller)
  context.with(trace.setSpan(caller, span), () => work(span))
}

/** A part of the work under way, as a span of its own. Work that nothing traces is not traced in parts either. */
export function inSpan<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  return currentSpan() ? within({ name, attributes, parent: context.active() }, work) : work()
}

/** Work that several spans wait for: a part of the first one, and linked with the others in both directions. */
export function inSharedSpan<Result>(
  waiting: readonly (Span | undefined)[],
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  const [first, ...others] = waiting.filter((span) => span !== undefined)
  if (!first) return work()
  const parent = trace.setSpan(ROOT_CONTEXT, first)
  const links = others.map((span) => ({ context: span.spanContext() }))
  return within({ name, attributes, parent, links }, (shared) => {
    for (const span of others) span.addLink({ context: shared.spanContext() })
    return work()
  })
}

/** Work of its own that others have caused, perhaps long ago: a trace of its own, linked with theirs. */
export function inLaterSpan<Result>(
  causes: readonly (SpanContext | undefined)[],
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return work()
  const links = causes.filter((cause) => cause !== undefined).map((cause) => ({ context: cause }))
  return within({ name, attributes, parent: ROOT_CONTEXT, links }, work)
}

/** Work that is not part of what happens to be under way when it begins. */
export function outsideSpans<Result>(work: () => Result): Result {
  return isTracing() ? context.with(ROOT_CONTEXT, work) : work()
}

/** A call of another server, as a part of the work under way, if anything traces that; `headers` continue the trace there. */
export function inCallSpan<Result>(
  name: string,
  attributes: Attributes,
  work: (span: Span | undefined, headers: { traceparent?: string }) => Promise<Result>,
): Promise<Result> {
  if (!isTracing()) return work(undefined, {})
  return within({ name, attributes, parent: context.active(), kind: SpanKind.CLIENT }, (span) =>
    work(span, traceparentOf(span.spanContext())),
  )
}

/** Marks a span as failed. `reason` is a word of ours, not a message. */
export function failSpan(span: Span, reason: string): void {
  span.setAttribute('error.type', reason)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Of the work under way, for a process that goes on with it: see `continued`. */
export function currentTraceparent(): string | undefined {
  const span = currentSpan()
  return span && traceparentOf(span.spanContext()).traceparent
}

/** Goes on with the work of another process. */
export function continued<Result>(traceparent: string | undefined, work: () => Result): Result {
  return isTracing() ? context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), work) : work()
}

const causesMax = 10_000
const causeByKey = new Map<string, SpanContext>()

/** Notes that the work under way causes later work of this process; the oldest of 10,000 notes is dropped. */
export function noteCause(key: string): void {
  const span = currentSpan()
  if (!span) return
  causeByKey.set(key, span.spanContext())
  const [oldest] = causeByKey.keys()
  if (causeByKey.size > causesMax && oldest !== undefined) causeByKey.delete(oldest)
}

export function causeOf(key: string): SpanContext | undefined {
  return causeByKey.get(key)
}

/** As W3C Trace Context writes it. Baggage and `tracestate` of callers are never passed on. */
function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): { traceparent: string } {
  return { traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` }
}

type Started = { name: string; attributes: Attributes; parent: Context; links?: Link[]; kind?: SpanKind }

async function within<Result>(
  { name, attributes, parent, links = [], kind = SpanKind.INTERNAL }: Started,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(name, { kind, attributes, links }, parent)
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span)
  } catch (error) {
    if (!isRefusal(error)) failSpan(span, error instanceof Error ? error.name : 'unknown')
    throw error
  } finally {
    span.end()
  }
}

/** Answered with a status below 500: the caller can fix it. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500
}
