import { link, readFile, readdir, rename, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * One process a file. Locks are numbered, `<file>.lock.7`, and the highest decides: whoever finds its holder gone makes
 * the next number, which the file system gives to one only, and holds it unless a higher one stands beside it then. A
 * number is removed only when a higher one stands, so none is ever given out twice, as a lock that is found stale and
 * replaced could be. A release is written into the lock, which stays.
 */

type Holder = { pid: number; startedAt: string }

export type Lock = { release: () => Promise<void> }

const attemptsMax = 10

export class OutboxLockedError extends Error {
  override readonly name = 'OutboxLockedError'
}

/** The folder must be on a local disk: a process of another machine can't be asked whether it lives. */
export async function takeLock(file: string): Promise<Lock> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const highest = Math.max(0, ...(await numbersOf(file)))
    const holder = highest === 0 ? undefined : await holderOf(lockPath(file, highest))
    if (holder && (await isAlive(holder))) {
      throw new OutboxLockedError(
        `${file} is in use by process ${holder.pid}, as ${lockPath(file, highest)} says`,
      )
    }
    const lock = await madeLock(file, highest + 1)
    if (lock) return lock
  }
  throw new OutboxLockedError(`${file} is being opened by several processes`)
}

async function madeLock(file: string, number: number): Promise<Lock | undefined> {
  const path = lockPath(file, number)
  const draft = `${path}.${process.pid}.${crypto.randomUUID()}`
  const startedAt = (await startOf('self')) ?? ''
  await writeFile(draft, JSON.stringify({ pid: process.pid, startedAt }))
  try {
    // With its text from the beginning: nobody reads a half-written one.
    await link(draft, path)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined
    throw error
  } finally {
    await unlink(draft)
  }
  const numbers = await numbersOf(file)
  if (numbers.some((other) => other > number)) {
    await removed(path)
    return undefined
  }
  for (const lower of numbers.filter((other) => other < number)) await removed(lockPath(file, lower))
  return {
    release: async () => {
      await writeFile(draft, '{}')
      await rename(draft, path)
    },
  }
}

function lockPath(file: string, number: number): string {
  return `${file}.lock.${number}`
}

async function numbersOf(file: string): Promise<number[]> {
  const start = `${basename(file)}.lock.`
  const names = await readdir(dirname(file))
  return names
    .filter((name) => name.startsWith(start) && /^\d{1,15}$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
}

/** Undefined: it was released, or is gone. */
async function holderOf(path: string): Promise<Holder | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  let held: unknown
  try {
    held = JSON.parse(text)
  } catch {
    // Not on the disk when the power failed: whoever held it ended with the machine.
    return undefined
  }
  if (typeof held !== 'object' || held === null || !('pid' in held) || !('startedAt' in held))
    return undefined
  const { pid, startedAt } = held
  return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : undefined
}

async function isAlive({ pid, startedAt }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // It lives, and is another user's.
    if (!hasCode(error, 'EPERM')) return false
  }
  const now = await startOf(String(pid))
  // A number that was given to another process since; where that can't be known, it counts as the holder.
  return now === undefined || startedAt === '' || now === startedAt
}

/** When a process began, in words of the kernel; undefined where there is no /proc. */
async function startOf(pid: string): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(join('/proc', pid, 'stat'), 'utf8')
    // Behind the name, which may hold anything, the 20th field.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? undefined : `${boot.trim()} ${ticks}`
  } catch {
    return undefined
  }
}

async function removed(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error
  })
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
