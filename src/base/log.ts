import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Field names under which secrets and card data could reach a log line, on any of the first levels. */
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

/** Structured log lines on standard output; the values of fields with secret names are replaced. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const paths = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const options = {
    level,
    base: null,
    redact: { paths, censor: '[secret]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggedError },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Keeps only the parts of an error that help to find its cause: a driver's error contains its whole
 * connection, and a row's values in `detail`.
 */
function loggedError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? { code: error.code } : {}
  const cause = error.cause === undefined ? {} : { cause: loggedError(error.cause) }
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause }
}

const warningEveryMs = 1_000

/**
 * For warnings that may occur thousands of times a second: logs the first, and then at most once a second
 * with the number of occurrences.
 */
export function throttledWarning(log: Log, message: string): (reason: string) => void {
  let untilMs = 0
  let more = 0
  return (reason) => {
    more++
    const nowMs = performance.now()
    if (nowMs < untilMs) return
    untilMs = nowMs + warningEveryMs
    log.warn({ reason, times: more }, message)
    more = 0
  }
}

/**
 * Keeps only the first letters of an unknown path: the rest may contain anything, even a key or a card
 * number.
 */
export function loggedPath(url: string): string {
  return /^(?:\/v1|\/console\/api)?\/[a-z-]{1,20}(?=[/?]|$)/.exec(url)?.[0] ?? 'none'
}
