import { open, type FileHandle } from 'node:fs/promises'
import { syncFolder, type StoredPush } from './journal.ts'
import { isTooLargeForProxy } from './parts.ts'
import { isPushError, type OutboxOperation, type Problem } from './push-client.ts'

/** A push that the gateway refused, wholly or in part: a repeat would be refused again. */
export type DeadLetter = {
  id: string
  operation: OutboxOperation
  body: unknown
  addedAt: string
  refusedAt: string
  /** 207: the other items were applied. */
  status: number
  message: string
  errors: readonly Problem[]
  requestId: string | undefined
}

/** A push that makes the service fail every time stops blocking its hotel after this many faults. */
const faultsMax = 10

/** The service failed on this push, or a proxy finds it too large; other pushes may succeed. */
export function isFault(error: unknown): boolean {
  if (isTooLargeForProxy(error)) return true
  return isPushError(error) && !error.isWithoutAnswer && error.status >= 500 && error.status !== 503
}

/** Undefined: the push is worth retrying. */
export function refusal(push: StoredPush, faults: number, error: unknown): DeadLetter | undefined {
  if (!isPushError(error)) return undefined
  if (!error.isRefused && !(isFault(error) && faults >= faultsMax)) return undefined
  const { status, message, errors, requestId } = error
  return { ...letterOf(push), status, message, errors, requestId }
}

/** Undefined: the gateway now has everything in the push. */
export function refusedItems(push: StoredPush, answer: unknown): DeadLetter | undefined {
  if (push.operation !== 'pushAri' || !isPartlyRefused(answer)) return undefined
  const { message, results, requestId } = answer
  const errors = results.flatMap((result) => result.errors ?? [])
  return { ...letterOf(push), status: 207, message, errors, requestId }
}

type PartlyRefused = {
  message: string
  results: readonly { errors?: readonly Problem[] }[]
  requestId: string
}

/** Judges by the gateway's answer: results of items, some of which have errors. */
function isPartlyRefused(answer: unknown): answer is PartlyRefused {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'code' in answer &&
    answer.code === '207' &&
    'results' in answer &&
    Array.isArray(answer.results)
  )
}

function letterOf({ id, operation, body, addedAt }: StoredPush) {
  const content: unknown = JSON.parse(body)
  return { id, operation, body: content, addedAt, refusedAt: new Date().toISOString() }
}

/** Appends a line, and resolves when it is on the disk. */
export async function writeLetter(path: string, letter: DeadLetter): Promise<void> {
  const handle = await open(path, 'a+', 0o600)
  try {
    const { size } = await handle.stat()
    const start = (await isTorn(handle, size)) ? '\n' : ''
    try {
      await handle.appendFile(`${start}${JSON.stringify(letter)}\n`)
      await handle.datasync()
    } catch (error) {
      // As on a full disk.
      await handle.truncate(size).catch(() => undefined)
      throw error
    }
    await syncFolder(path)
  } finally {
    await handle.close()
  }
}

/** Whether its last line has no end, because of a crash. */
async function isTorn(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 })
  return buffer.toString() !== '\n'
}
