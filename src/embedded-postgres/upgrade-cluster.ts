/** Moves the data of an embedded PostgreSQL to the major version of the binaries in use. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { binariesIn, findBinaries, olderPackage, type Binaries } from './binaries.ts'
import { prepareCluster, role, versionOf, writeConfiguration } from './cluster.ts'
import { DataFolderInUse, holderPid, type PostgresConnection } from './embedded-postgres.ts'
import { chooseLayout, giveDataToServer, makeSocketFolder, port, type Layout } from './layout.ts'
import { removeHolder, takeLock } from './lock.ts'
import { Watcher } from './processes.ts'
import { Supervisor } from './supervisor.ts'
import { finishSwap, keptDir, makeAside, removeUnfinishedUpgrade, swap } from './swap.ts'

/** `kept` is the moment from which on the new data are the store's. */
export type UpgradeStep = 'opened' | 'copied' | 'stopped' | 'complete' | 'kept' | 'exchanged'

export type UpgradedCluster<Copied> = {
  fromVersion: number
  toVersion: number
  /** The old data, as they were. */
  keptDir: string
  copied: Copied
}

type Log = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>

/**
 * Runs the old server on the data and the new one on an empty folder beside them, lets `copy` fill and compare it, and exchanges
 * the folders. Until then the old data are the store's, so that after a crash the same command begins again. Undefined: the
 * data have this version already.
 */
export async function upgradeCluster<Copied>(options: {
  dataDir: string
  /** The binaries to move to; undefined: the packaged ones. */
  binDir?: string | undefined
  /** The binaries of the version that wrote the data. */
  fromBinDir?: string | undefined
  copy: (from: PostgresConnection, to: PostgresConnection) => Promise<Copied>
  onStep?: (step: UpgradeStep, versions: { from: number; to: number }) => void
  log: Log
}): Promise<UpgradedCluster<Copied> | undefined> {
  const { dataDir, binDir, fromBinDir, copy, log } = options
  const layout = await chooseLayout(dataDir)
  const lock = takeLock(join(layout.stateDir, 'service.lock'))
  if (lock === undefined) throw new DataFolderInUse(dataDir, await holderPid(layout.stateDir))
  try {
    await giveDataToServer(layout)
    // Nobody may find the old server, and write to it after the copy.
    await removeHolder(layout.stateDir)
    await finishSwap(layout)
    await removeUnfinishedUpgrade(layout)
    const [from, newer] = [await versionOf(layout.clusterDir), await findBinaries(layout, binDir)]
    const to = newer.majorVersion
    if (from === to) return undefined
    const kept = refuseUnfit(layout, from, to)
    const onStep = (step: UpgradeStep) => options.onStep?.(step, { from, to })
    try {
      const aside = await makeAside(layout)
      const older = { layout, binaries: await olderBinaries(aside, from, fromBinDir) }
      const copied = await withServer(older, log, (old) =>
        withServer({ layout: aside, binaries: newer }, log, async (made) => {
          onStep('opened')
          const result = await copy(old, made)
          onStep('copied')
          return result
        }),
      )
      onStep('stopped')
      await swap(layout, aside, kept, onStep)
      return { fromVersion: from, toVersion: to, keptDir: kept, copied }
    } finally {
      await removeUnfinishedUpgrade(layout)
    }
  } finally {
    lock.release()
  }
}

function refuseUnfit(layout: Layout, from: number, to: number): string {
  if (from > to)
    throw new Error(
      `The data in ${layout.clusterDir} was written by PostgreSQL ${from}, which is newer than the PostgreSQL ${to} of this version: an upgrade can't go back`,
    )
  const kept = keptDir(layout, from)
  if (existsSync(kept))
    throw new Error(
      `${kept} already exists, with the data that an earlier upgrade kept: move it elsewhere, or remove it`,
    )
  return kept
}

async function olderBinaries(layout: Layout, version: number, folder: string | undefined): Promise<Binaries> {
  const needed = `The data was written by PostgreSQL ${version}, whose programs are needed to read it`
  if (folder === undefined) {
    const ofNpm = olderPackage(version)
    const other = ofNpm ? `, or ${ofNpm.folder} after: ${ofNpm.command}` : ''
    throw new Error(
      `${needed}: name their folder with --from-binaries /usr/lib/postgresql/${version}/bin${other}`,
    )
  }
  const binaries = await binariesIn(layout, folder, '--from-binaries')
  if (binaries.majorVersion === version) return binaries
  throw new Error(`${needed}: ${folder} has PostgreSQL ${binaries.majorVersion}`)
}

type Server = { layout: Layout; binaries: Binaries }

/** Runs a server for as long as the work takes. */
async function withServer<Result>(
  { layout, binaries }: Server,
  log: Log,
  work: (connection: PostgresConnection) => Promise<Result>,
): Promise<Result> {
  const socketDir = await makeSocketFolder(layout)
  const watcher = new Watcher(layout.serverUser, log)
  try {
    if (!existsSync(layout.clusterDir)) await prepareCluster(layout, binaries, watcher)
    await writeConfiguration(layout, binaries, socketDir)
    const supervisor = new Supervisor({ layout, binaries, socketDir, watcher, log })
    await supervisor.start()
    try {
      return await work({ host: socketDir, port, user: role, database: role })
    } finally {
      await supervisor.stop()
    }
  } finally {
    await watcher.close()
  }
}
