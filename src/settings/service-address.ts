import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from './config.ts'
import { takeLock, type Lock } from '../embedded-postgres/lock.ts'

/** The addresses of a data folder's service, stored in the folder for the commands that run beside it. */

const fileByPart = { gateway: 'gateway.url', console: 'console.url' } as const
export type Part = keyof typeof fileByPart

/** Without a trailing slash; undefined for a part that doesn't run here. */
export type Addresses = Readonly<Record<Part, string | undefined>>

/** Returns a function that withdraws them. If several services share a folder, the first one's are stored. */
export function announceAddresses(dataDir: string, addresses: Addresses): () => void {
  const announced = parts.flatMap((part) => {
    const address = addresses[part]
    const lock = address === undefined ? undefined : ignoringErrors(() => write(dataDir, part, address))
    return lock === undefined ? [] : { part, lock }
  })
  return () => {
    for (const { part, lock } of announced) {
      ignoringErrors(() => rmSync(join(dataDir, fileByPart[part])))
      lock.release()
    }
  }
}

/**
 * Keys and sign-in links are sent there. So it is also undefined if the service that wrote it was killed,
 * because another program may have its port by now, and for any text that no service writes.
 */
export function announcedAddress(dataDir: string, part: Part): string | undefined {
  try {
    const text = readFileSync(join(dataDir, fileByPart[part]), 'utf8').trim()
    const { protocol, origin, pathname } = new URL(text)
    // A service writes only such an address; other kinds of schemes have no origin.
    const isAddress = protocol.startsWith('http') && origin + pathname.replace(/\/$/, '') === text
    return isAddress && isLocked(lockOf(dataDir, part)) ? text : undefined
  } catch {
    return undefined
  }
}

/** The addresses of a service that listens at `url`. */
export function addressesOf(url: string, { roles, publicUrl }: Settings): Addresses {
  return {
    gateway: roles.includes('gateway') ? reachable(url) : undefined,
    console: roles.includes('console') ? (publicUrl ?? reachable(url)) : undefined,
  }
}

/** A wildcard address can't be called: use the loopback address instead. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** The address at which this machine can reach a service with these settings. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  return reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

const parts: readonly Part[] = ['gateway', 'console']

/** Returns the lock without which the file doesn't count; undefined if another service has it. */
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

/** Whether a living process has the lock. */
function isLocked(lock: string): boolean {
  if (!existsSync(lock)) return false
  const taken = takeLock(lock)
  taken?.release()
  return taken === undefined
}

/** If this fails, commands use the address from their own settings: that must not stop the service. */
function ignoringErrors<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
