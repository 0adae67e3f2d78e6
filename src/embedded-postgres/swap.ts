/** The folders of an upgrade to another major version, and the exchange of the data, safe at every moment. */
import { existsSync } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, upgradedName, type Layout } from './layout.ts'
import { endProcessesOf } from './processes.ts'

/*
 * The new data are made in `upgrade/cluster`. When they are complete, they are renamed to `cluster.upgraded`. Then
 * `cluster` is renamed to `cluster-17`: from this moment on the new data are the store's, and before it the old ones are,
 * whatever else is there. Whoever comes next finishes the exchange, or begins the upgrade again.
 */
const asideName = 'upgrade'
const shutdownMs = 6_000

/** Where the data of an older version are kept. */
export function keptDir({ stateDir }: Layout, version: number): string {
  return join(stateDir, `cluster-${version}`)
}

/** A place beside the data for the new ones, with the same owner and access. */
export async function makeAside(layout: Layout): Promise<Layout> {
  const stateDir = join(layout.stateDir, asideName)
  const { uid, gid, mode } = await lstat(layout.stateDir)
  await makeFolder(stateDir, mode & 0o777, { name: 'as above', uid, gid })
  return { ...layout, stateDir, clusterDir: join(stateDir, 'cluster') }
}

/** Takes away what an upgrade left that did not come to its end; never the only data. */
export async function removeUnfinishedUpgrade({ stateDir, clusterDir }: Layout): Promise<void> {
  if (!existsSync(clusterDir)) return
  for (const name of [asideName, upgradedName]) {
    const leftover = join(stateDir, name)
    if (!existsSync(leftover)) continue
    await endProcessesOf(join(leftover, 'cluster'), shutdownMs)
    await rm(leftover, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Calls `onStep` after each rename, which is on disk by then. */
export async function swap(
  layout: Layout,
  made: Layout,
  kept: string,
  onStep: (step: 'complete' | 'kept' | 'exchanged') => void,
): Promise<void> {
  await syncFolder(made.stateDir)
  await rename(made.clusterDir, join(layout.stateDir, upgradedName))
  await syncFolder(layout.stateDir)
  onStep('complete')
  await rename(layout.clusterDir, kept)
  await syncFolder(layout.stateDir)
  onStep('kept')
  await finishSwap(layout)
  onStep('exchanged')
}

/** Completes an exchange that was interrupted between its two renames. Only for the holder of the folder's lock. */
export async function finishSwap({ stateDir, clusterDir }: Layout): Promise<void> {
  if (existsSync(clusterDir) || !existsSync(join(stateDir, upgradedName))) return
  await rename(join(stateDir, upgradedName), clusterDir)
  await syncFolder(stateDir)
}

/** Puts the names in a folder on disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
