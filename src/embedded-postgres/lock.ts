/**
 * Locks that end with their holder, such as that of a data folder, and the details that its holder publishes.
 */
import { chmodSync, chownSync, existsSync, lstatSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { cannotUse, codeOf, replaceFile } from './layout.ts'

export type Holder = { pid: number; osUser: string; host: string }

export type Lock = { release: () => void }

// Keeps the locks' files open: garbage collection would close an unreferenced one and so unlock it.
const lockedFiles = new Set<DatabaseSync>()

const sqliteBusy = 5

/*
 * A lock is a write lock that SQLite takes on an empty file (fcntl): the kernel gives it to exactly one of
 * two processes that come at once, releases it however its holder dies, and children don't inherit it. Node
 * itself has no other lock of that kind; when two processes find a stale socket or pid file, both can replace
 * it.
 */
export function takeLock(path: string): Lock | undefined {
  const folderPath = join(path, '..')
  let file: DatabaseSync
  try {
    // SQLite would create the file readable by everyone; its journal inherits the file's mode. Don't open an
    // existing file here: closing it would release a lock that this process has on it.
    if (existsSync(path)) chmodSync(path, 0o600)
    else writeFileSync(path, '', { mode: 0o600, flag: 'a' })
    file = new DatabaseSync(path, { timeout: 0 })
  } catch (cause) {
    throw cannotUse(folderPath, cause)
  }
  try {
    file.exec('begin exclusive')
  } catch (error) {
    file.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined
    throw new Error(`${path} can't be locked: set ARI_DATA_DIR to a folder on a local disk`, { cause: error })
  }
  if (process.getuid?.() === 0) {
    const folder = lstatSync(folderPath)
    chownSync(path, folder.uid, folder.gid)
  }
  lockedFiles.add(file)
  return {
    release: () => {
      if (lockedFiles.delete(file)) file.close()
    },
  }
}

/** Only the lock's holder writes this file; a reader must still check whether that process lives. */
export async function writeHolder(stateDir: string, holder: Holder): Promise<void> {
  await replaceFile(join(stateDir, 'service.json'), `${JSON.stringify(holder)}\n`)
}

export async function removeHolder(stateDir: string): Promise<void> {
  await rm(join(stateDir, 'service.json'), { force: true })
}

export async function readHolder(stateDir: string): Promise<Holder | undefined> {
  let text: string
  try {
    text = await readFile(join(stateDir, 'service.json'), 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new Error(`${stateDir} can't be read: run this as the user that runs the service`, { cause: error })
  }
  const found: unknown = JSON.parse(text)
  if (typeof found !== 'object' || found === null) return undefined
  if (!('pid' in found && 'osUser' in found && 'host' in found)) return undefined
  const { pid, osUser, host } = found
  if (typeof pid !== 'number' || typeof osUser !== 'string' || typeof host !== 'string') return undefined
  return { pid, osUser, host }
}
