import type { ListChangesAnswer, PlatformCalls } from './api.ts'
import { isGatewayError, type GatewayError } from './gateway-error.ts'
import { pause, retryWaitMs } from './wait.ts'

export type Change = ListChangesAnswer['changes'][number]
export type FollowedChanges = AsyncGenerator<Change, void, undefined>

export type FollowOptions = {
  /** `cursor` of `listChanges()`, or of the last change that you have dealt with. */
  after: string
  /** Ends the iteration, without an error. */
  signal?: AbortSignal
  /** Changes a call, 1 to 1,000; 200 unless told. */
  limit?: number
  /** Seconds for which the service holds a call open, 1 to 30; 30 unless told. */
  waitSeconds?: number
  /**
   * Called where the cursor is of no use any more (410): it is too old, or the service's database failed over or was
   * restored. Read everything that you keep again; what is yielded then begins with the cursor of before that. Without
   * it the error is thrown.
   */
  onRestart?: (error: GatewayError) => Promise<void>
  /** Told of each call that failed and is made again. */
  onTrouble?: (error: GatewayError) => void
}

const usual = { limit: 200, waitSeconds: 30 }
/** Beyond what the service waits for a change. */
const answerWithinMs = 15_000

/**
 * Asks again and again from where it is, for as long as it takes: a service that restarts costs no change. An error
 * that would stay is thrown, as a token that is revoked (401), or a cursor of no use (410) without `onRestart`.
 */
export async function* followChanges(
  { listChanges }: Pick<PlatformCalls, 'listChanges'>,
  {
    after,
    signal,
    limit = usual.limit,
    waitSeconds = usual.waitSeconds,
    onTrouble,
    onRestart,
  }: FollowOptions,
): FollowedChanges {
  let cursor = after
  let failures = 0
  while (signal?.aborted !== true) {
    let page: ListChangesAnswer
    try {
      page = await listChanges(
        { after: cursor, wait: String(waitSeconds), limit: String(limit) },
        {
          retryForMs: 0,
          timeoutMs: waitSeconds * 1_000 + answerWithinMs,
          ...(signal === undefined ? {} : { signal }),
        },
      )
      failures = 0
    } catch (error) {
      if (isAborted(signal)) return
      if (onRestart && isGatewayError(error) && error.status === 410) {
        // Of before everything is read again: what changes meanwhile comes behind it.
        const { cursor: anew } = await listChanges()
        await onRestart(error)
        cursor = anew
        continue
      }
      if (!isGatewayError(error) || !passes(error)) throw error
      onTrouble?.(error)
      failures++
      await pause(retryWaitMs(failures, error.retryAfterMs), signal).catch(() => undefined)
      continue
    }
    for (const change of page.changes) {
      if (isAborted(signal)) return
      yield change
    }
    cursor = page.cursor
  }
}

/** It changes while the code waits, which the compiler doesn't see. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

function passes({ status, isWithoutAnswer }: GatewayError): boolean {
  return isWithoutAnswer || status === 429 || status >= 500
}
