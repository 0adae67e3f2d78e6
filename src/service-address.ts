import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock, type Lock } from './embedded-postgres/lock.ts'

/** Where the service of a data folder is reached, written into the folder for the commands that are run beside it. */

const fileByPart = { gateway: 'gateway.url', console: 'console.url' } as const
export type Part = keyof typeof fileByPart

/** Without a slash at the end; a part that does not run here has none. */
export type Addresses = Readonly<Record<Part, string | undefined>>

/** Answers how to take them back. Of several services on one folder the first is named. */
export function announceAddresses(dataDir: string, addresses: Addresses): () => void {
  const announced = parts.flatMap((part) => {
    const address = addresses[part]
    const lock = address === undefined ? undefined : ignoringFaults(() => write(dataDir, part, address))
    return lock === undefined ? [] : { part, lock }
  })
  return () => {
    for (const { part, lock } of announced) {
      ignoringFaults(() => rmSync(join(dataDir, fileByPart[part])))
      lock.release()
    }
  }
}

/**
 * Keys and sign-in links are sent there: undefined too where the service that wrote it was killed, as its port may be anybody's by
 * now, and for a text that no service writes.
 */
export function announcedAddress(dataDir: string, part: Part): string | undefined {
  try {
    const text = readFileSync(join(dataDir, fileByPart[part]), 'utf8').trim()
    const { protocol, origin } = new URL(text)
    // All that a service writes; a scheme of another kind has no origin.
    const isAddress = protocol.startsWith('http') && origin === text
    return isAddress && isHeld(lockOf(dataDir, part)) ? text : undefined
  } catch {
    return undefined
  }
}

/** Where a service with these settings is reached from this machine. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

const parts: readonly Part[] = ['gateway', 'console']

/** The lock without which the file says nothing; undefined where another service has it. */
function write(dataDir: string, part: Part, address: string): Lock | undefined {
  const lock = takeLock(lockOf(dataDir, part))
  try {
    if (lock) writeFileSync(join(dataDir, fileByPart[part]), `${address}\n`, { mode: 0o600 })
    return lock
  } catch (error) {
    lock?.release()
    throw error
  }
}

function lockOf(dataDir: string, part: Part): string {
  return join(dataDir, `${part}.lock`)
}

/** By a living process. */
function isHeld(lock: string): boolean {
  if (!existsSync(lock)) return false
  const taken = takeLock(lock)
  taken?.release()
  return taken === undefined
}

/** Commands then name the address of their own settings: no reason for a service not to run. */
function ignoringFaults<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
