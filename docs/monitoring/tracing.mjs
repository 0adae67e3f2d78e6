// Sends the spans of the service to a collector, with Node's --import: docs/operating.md, "Traces", says how.
// Variables of OpenTelemetry (OTEL_…) say where to, and how much of it.
import { NodeSDK } from '@opentelemetry/sdk-node'

// Nothing but spans, and no instrumentation of Node's own HTTP: the service makes the spans of its requests and calls
// itself, and passes nothing on to suppliers but what ARI_TRACE_CALLBACKS allows.
new NodeSDK({ metricReaders: [], logRecordProcessors: [], instrumentations: [] }).start()
