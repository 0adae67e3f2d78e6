import { failSpan, inCallSpan, type Attributes, type Span } from '../base/tracing.ts'

type Call = { url: string; method: string; headers: Readonly<Record<string, string>> }
type Called = { kind: 'answered'; status: number } | { kind: 'failed'; reason: string }

const errorStatusMin = 400

/**
 * A span `callback.…` for each call, if they have a name for it. The other side is told of it by `traceparent` if it may
 * know.
 */
export function withSpans<Sent extends Call, Outcome extends Called>(
  send: (call: Sent) => Promise<Outcome>,
  calls: string | undefined,
  { sendsTraceparent }: { sendsTraceparent?: boolean },
): (call: Sent) => Promise<Outcome> {
  if (calls === undefined) return send
  return (call) =>
    inCallSpan(`callback.${calls}`, attributesOf(call), async (span, trace) => {
      const headers = sendsTraceparent === true ? { ...call.headers, ...trace } : call.headers
      const called = await send({ ...call, headers })
      if (span) noteOutcome(span, called)
      return called
    })
}

/** Not the path and the query, which may have secrets. */
function attributesOf({ url, method }: Call): Attributes {
  const { hostname = '', port = '' } = URL.parse(url) ?? {}
  const known = { 'http.request.method': method, 'server.address': hostname }
  return port === '' ? known : { ...known, 'server.port': Number(port) }
}

function noteOutcome(span: Span, called: Called): void {
  if (called.kind === 'failed') return failSpan(span, called.reason)
  span.setAttribute('http.response.status_code', called.status)
  if (called.status >= errorStatusMin) failSpan(span, String(called.status))
}
