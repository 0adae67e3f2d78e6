import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Names under which secrets and cards could reach a log line, on any of the first levels. */
const secretNames = [
  'apiKey',
  'x-api-key',
  'authorization',
  'cookie',
  'token',
  'secret',
  'signingSecret',
  'password',
  'connectionString',
  'paymentcarddetail',
  'card',
  'cvv',
]

/** Structured log lines on standard output; secrets are replaced wherever a field bears such a name. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const paths = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const options = {
    level,
    base: null,
    redact: { paths, censor: '[secret]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: toldError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Of an error only what helps to find it: a driver's carries its whole connection, and a row's values in `detail`. */
function toldError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: toldError(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}

const sparingEveryMs = 1_000

/** For what may happen thousands of times a second: the first is logged, and after a second how many more there were. */
export function sparing(log: Log, message: string): (reason: string) => void {
  let untilMs = 0
  let more = 0
  return (reason) => {
    more++
    const nowMs = performance.now()
    if (nowMs < untilMs) return
    untilMs = nowMs + sparingEveryMs
    log.warn({ reason, times: more }, message)
    more = 0
  }
}

/** Of a path that is no route only where it begins, in letters: anything may stand in it, a key or a card too. */
export function toldPath(url: string): string {
  return /^(?:\/v1|\/console\/api)?\/[a-z-]{1,20}(?=[/?]|$)/.exec(url)?.[0] ?? 'none'
}
