import type { ListChangesAnswer, PlatformCalls } from './api.ts'
import { isGatewayError, type GatewayError } from './gateway-error.ts'
import { pause, retryWaitMs } from './retry-wait.ts'

export type Change = ListChangesAnswer['changes'][number]
export type FollowedChanges = AsyncGenerator<Change, void, undefined>

export type FollowOptions = {
  /** `cursor` of `listChanges()`, or of the last change that you have processed. */
  after: string
  /** Ends the iteration, without an error. */
  signal?: AbortSignal
  /** Changes per call, 1 to 1,000; default 200. */
  limit?: number
  /** Seconds for which the service holds a call open, 1 to 30; default 30. */
  waitSeconds?: number
  /**
   * Called when the cursor is no longer valid (410): it is too old, or the service's database failed over or
   * was restored. Read all your stored data again; the iteration then continues from a cursor taken before
   * that. Without this function the error is thrown.
   */
  onRestart?: (error: GatewayError) => Promise<void>
  /** Called for each call that failed and is retried. */
  onError?: (error: GatewayError) => void
}

const usual = { limit: 200, waitSeconds: 30 }
/** Added to the time for which the service waits for a change. */
const answerWithinMs = 15_000

/**
 * Asks repeatedly from its cursor, for as long as it takes: a service restart loses no change. Throws errors
 * that a retry can't fix, such as a revoked token (401), or an invalid cursor (410) without `onRestart`.
 */
export async function* followChanges(
  { listChanges }: Pick<PlatformCalls, 'listChanges'>,
  { after, signal, limit = usual.limit, waitSeconds = usual.waitSeconds, onError, onRestart }: FollowOptions,
): FollowedChanges {
  let cursor = after
  let restart: (() => Promise<void>) | undefined
  let failures = 0
  while (signal?.aborted !== true) {
    let page: ListChangesAnswer
    try {
      page = await listChanges(
        // A cursor taken before everything is read again, so that changes made meanwhile follow it.
        restart ? {} : { after: cursor, wait: waitSeconds, limit },
        {
          retryForMs: 0,
          timeoutMs: waitSeconds * 1_000 + answerWithinMs,
          ...(signal === undefined ? {} : { signal }),
        },
      )
      failures = 0
    } catch (error) {
      if (isAborted(signal)) return
      if (onRestart && !restart && isGatewayError(error) && error.status === 410) {
        restart = () => onRestart(error)
        continue
      }
      if (!isGatewayError(error) || !passes(error)) throw error
      onError?.(error)
      failures++
      await pause(retryWaitMs(failures, error.retryAfterMs), signal).catch(() => undefined)
      continue
    }
    await restart?.()
    restart = undefined
    for (const change of page.changes) {
      if (isAborted(signal)) return
      yield change
    }
    cursor = page.cursor
  }
}

/** It changes during awaits, which the compiler doesn't see. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function passes({ status, isWithoutAnswer }: GatewayError): boolean {
  return isWithoutAnswer || status === 429 || status >= 500
}
