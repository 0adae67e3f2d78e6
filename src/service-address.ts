import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the service of a data folder is reached, written into the folder for the commands that are run beside it. */

const fileByPart = { gateway: 'gateway.url', console: 'console.url' } as const
export type Part = keyof typeof fileByPart

/** Without a slash at the end; a part that does not run here has none. */
export type Addresses = Readonly<Record<Part, string | undefined>>

/** Answers how to take them back. What a killed service has left, its next start replaces. */
export function announceAddresses(dataDir: string, addresses: Addresses): () => void {
  for (const part of parts) {
    const address = addresses[part]
    if (address !== undefined) ignoringFaults(() => write(dataDir, part, address))
  }
  return () => {
    for (const part of parts) {
      // Another process on the same folder may have written its own since.
      if (addresses[part] !== undefined && announcedAddress(dataDir, part) === addresses[part])
        ignoringFaults(() => rmSync(join(dataDir, fileByPart[part])))
    }
  }
}

/** Undefined too for a text that no service writes: it is shown on a terminal, and keys are sent there. */
export function announcedAddress(dataDir: string, part: Part): string | undefined {
  try {
    const text = readFileSync(join(dataDir, fileByPart[part]), 'utf8').trim()
    const { protocol, origin } = new URL(text)
    // All that a service writes; a scheme of another kind has no origin.
    return protocol.startsWith('http') && origin === text ? text : undefined
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

function write(dataDir: string, part: Part, address: string): void {
  writeFileSync(join(dataDir, fileByPart[part]), `${address}\n`, { mode: 0o600 })
}

/** Commands then name the address of their own settings: no reason for a service not to run. */
function ignoringFaults(work: () => void): void {
  try {
    work()
  } catch {
    // As said above.
  }
}
