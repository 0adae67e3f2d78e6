import { open, readdir, readFile, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Allows one process per file. A process that wants the outbox creates a file beside it, `<file>.lock.…`,
 * whose name contains the time and the process, and is used once. A process that then finds no file of
 * another living process holds the outbox: of two, the second one finds the first. If several come at once,
 * the lowest name stays and the others leave. Names are never reused, so any process can remove those that a
 * killed process left.
 */

type Entry = { name: string; pid: number; startedAt: string }

export type Lock = { release: () => Promise<void> }

const entryPattern = /^\d{15}\.(\d{1,10})\.([\w-]+)\.[\w-]+$/
const unknownStart = 'unknown'
/**
 * Processes that came at once leave within milliseconds; one that stays holds the outbox, with a clock that
 * was ahead.
 */
const lookEveryMs = 20
const looksMax = 50

export class OutboxLockedError extends Error {
  override readonly name = 'OutboxLockedError'
}

/** The folder must be on a local disk: whether a process of another machine is alive can't be checked. */
export async function takeLock(file: string): Promise<Lock> {
  const startedAt = (await startOf('self')) ?? unknownStart
  const since = String(Date.now()).padStart(15, '0')
  const own = `${since}.${process.pid}.${startedAt}.${crypto.randomUUID()}`
  const path = lockPath(file, own)
  await (await open(path, 'wx', 0o600)).close()
  const release = () => removed(path)
  try {
    await untilAlone(file, own)
    return { release }
  } catch (error) {
    await release()
    throw error
  }
}

async function untilAlone(file: string, own: string): Promise<void> {
  for (let look = 1; ; look++) {
    const others = await livingBeside(file, own)
    const [first] = others
    if (!first) return
    if (first.name < own || look === looksMax)
      throw new OutboxLockedError(
        `${file} is in use by process ${first.pid}, as ${lockPath(file, first.name)} says`,
      )
    await pause(lookEveryMs)
  }
}

/** In order of their names; removes those of dead processes. */
async function livingBeside(file: string, own: string): Promise<Entry[]> {
  const living: Entry[] = []
  for (const entry of await entriesOf(file)) {
    if (entry.name === own) continue
    if (await isAlive(entry)) living.push(entry)
    else await removed(lockPath(file, entry.name))
  }
  return living
}

function lockPath(file: string, name: string): string {
  return `${file}.lock.${name}`
}

async function entriesOf(file: string): Promise<Entry[]> {
  const start = `${basename(file)}.lock.`
  const names = await readdir(dirname(file))
  return names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length))
    .sort()
    .flatMap((name) => {
      const [, pid, startedAt = ''] = entryPattern.exec(name) ?? []
      return pid === undefined ? [] : [{ name, pid: Number(pid), startedAt }]
    })
}

async function isAlive({ pid, startedAt }: Entry): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // It is alive, and belongs to another user.
    if (!hasCode(error, 'EPERM')) return false
  }
  const now = await startOf(String(pid))
  // The process id has been reused since; where that can't be determined, the process counts as the holder.
  return now === undefined || startedAt === unknownStart || now === startedAt
}

/** When a process started, as the kernel reports it; undefined where there is no /proc. */
async function startOf(pid: string): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const stat = await readFile(join('/proc', pid, 'stat'), 'utf8')
    // The 20th field after the name, which may contain anything.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? undefined : `${boot.trim()}-${ticks}`
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
