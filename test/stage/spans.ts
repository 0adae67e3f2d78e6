import { NodeSDK } from '@opentelemetry/sdk-node'
import { InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace'
import { after } from 'node:test'
import { until } from './pace.ts'

/** Traces this process, from now on: import it before anything that makes spans. */
const exporter = new InMemorySpanExporter()
const sdk = new NodeSDK({
  autoDetectResources: false,
  metricReaders: [],
  logRecordProcessors: [],
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
})
sdk.start()
after(() => sdk.shutdown())

export type Span = ReadableSpan

/** Those that have ended. */
export const endedSpans = (): readonly Span[] => exporter.getFinishedSpans()

/** Waits for the span: an answer may arrive before the span of its request has ended. */
export async function spanWhere(isIt: (span: Span) => boolean): Promise<Span> {
  await until(() => endedSpans().some(isIt))
  const found = endedSpans().find(isIt)
  if (!found) throw new Error('a span has gone')
  return found
}

export const idOf = (span: Span): string => span.spanContext().spanId
export const traceOf = (span: Span): string => span.spanContext().traceId

/** The span of this name that is a part of another. */
export const partOf = (whole: Span, name: string): Promise<Span> =>
  spanWhere((span) => span.name === name && span.parentSpanContext?.spanId === idOf(whole))
