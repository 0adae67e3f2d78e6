/**
 * Runs a private PostgreSQL on a data folder, with nothing to install: starts, watches, heals and stops it.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findBinaries } from './binaries.ts'
import { mayUseSocket, prepareCluster, role, writeConfiguration } from './cluster.ts'
import { readHolder, removeHolder, takeLock, writeHolder, type Lock } from './lock.ts'
import {
  candidates,
  chooseLayout,
  codeOf,
  giveDataToServer,
  hasCluster,
  makeSocketFolder,
  port,
  type Layout,
} from './layout.ts'
import { isAlive, Watcher } from './processes.ts'
import { Supervisor, tryConnect } from './supervisor.ts'

export type PostgresConnection = {
  /** The folder of the Unix socket. */
  host: string
  port: number
  user: string
  database: string
}

export type EmbeddedPostgres = {
  connection: PostgresConnection
  /**
   * The actual location of the data: below the requested folder or, for root, where PostgreSQL can reach it.
   */
  dataDir: string
  /** Facts that might surprise an operator, one sentence each. */
  notes: string[]
  /** Shuts the server down cleanly, leaves no process and releases the folder. */
  stop: () => Promise<void>
}

/** Another service uses the data folder. */
export class DataFolderInUse extends Error {
  constructor(dataDir: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another running service' : `a running service (pid ${pid})`
    super(
      `The data folder ${dataDir} is in use by ${holder}: stop that one, or set ARI_DATA_DIR to another folder`,
    )
    this.name = 'DataFolderInUse'
  }
}

const holderKnownWithinMs = 200
const runningAnswersWithinMs = 2_000
const pollMs = 20

/**
 * Starts the server; the first start also creates its data folder and database. Fails with one clear line.
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  /** The bin folder of an installed PostgreSQL 15 to 18, instead of the packaged one. */
  binDir?: string | undefined
  /** Absent: 100. */
  connectionsMax?: number | undefined
  /** Called whenever programs of PostgreSQL begin something for which this process will only wait. */
  onLaunch?: (() => void) | undefined
  log: {
    info(o: object, m: string): void
    warn(o: object, m: string): void
    error(o: object, m: string): void
  }
}): Promise<EmbeddedPostgres> {
  const { dataDir, binDir, connectionsMax, log, onLaunch } = options
  const layout = await chooseLayout(dataDir)
  const lock = takeLock(join(layout.stateDir, 'service.lock'))
  if (lock === undefined) throw new DataFolderInUse(dataDir, await holderPid(layout.stateDir))
  let watcher: Watcher | undefined
  try {
    await giveDataToServer(layout)
    const socketDir = await makeSocketFolder(layout)
    await writeHolder(layout.stateDir, { pid: process.pid, osUser: layout.serviceUser.name, host: socketDir })
    const binaries = await findBinaries(layout, binDir)
    watcher = new Watcher(layout.serverUser, log)
    await prepareCluster(layout, binaries, watcher, onLaunch)
    await writeConfiguration(layout, binaries, socketDir, connectionsMax)
    const supervisor = new Supervisor({ layout, binaries, socketDir, watcher, log })
    await supervisor.start(onLaunch)
    const stopAndLetGo = async () => {
      try {
        await supervisor.stop()
      } finally {
        await letGo(layout, lock, watcher)
      }
    }
    let stopped: Promise<void> | undefined
    return {
      connection: { host: socketDir, port, user: role, database: role },
      dataDir: layout.stateDir,
      notes: [...layout.notes, ...binaries.notes],
      stop: () => (stopped ??= stopAndLetGo()),
    }
  } catch (error) {
    await letGo(layout, lock, watcher)
    throw error
  }
}

/** Whether a service has its data in this folder, running or not. */
export async function holdsData(dataDir: string): Promise<boolean> {
  for (const stateDir of await stateDirs(dataDir)) if (await hasCluster(stateDir)) return true
  return false
}

/** The state folders that this data folder may use; none if it doesn't exist. */
async function stateDirs(dataDir: string): Promise<string[]> {
  try {
    const { here, shared } = await candidates(dataDir)
    return [here, shared]
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** The server of a service that runs on this folder, for programs that work beside it. */
export async function findRunningPostgres(dataDir: string): Promise<PostgresConnection | undefined> {
  for (const stateDir of await stateDirs(dataDir)) {
    const holder = await readHolder(stateDir)
    if (holder === undefined) continue
    const until = performance.now() + runningAnswersWithinMs
    // The service may be starting, or healing its server. If its pid now belongs to another program, this
    // wait is wasted once.
    while (isAlive(holder.pid) && performance.now() < until) {
      if (!(await mayUseSocket(holder.host))) {
        throw new Error(`The service on ${dataDir} runs as ${holder.osUser}: run this as the same user`)
      }
      const answer = await tryConnect(holder.host, role)
      if (typeof answer === 'object') {
        await answer.end()
        return { host: holder.host, port, user: role, database: role }
      }
      await delay(pollMs)
    }
  }
  return undefined
}

/** The process that works on this data folder; undefined: none does. */
export async function findHolder(dataDir: string): Promise<{ pid: number; osUser: string } | undefined> {
  for (const stateDir of await stateDirs(dataDir)) {
    const holder = await readHolder(stateDir)
    if (holder && isAlive(holder.pid)) return holder
  }
  return undefined
}

async function letGo(layout: Layout, lock: Lock, watcher: Watcher | undefined): Promise<void> {
  try {
    await watcher?.close()
    await removeHolder(layout.stateDir)
  } finally {
    lock.release()
  }
}

/** The holder writes its name a moment after it takes the lock. */
export async function holderPid(stateDir: string): Promise<number | undefined> {
  const until = performance.now() + holderKnownWithinMs
  for (;;) {
    const holder = await readHolder(stateDir).catch(() => undefined)
    if (holder && isAlive(holder.pid)) return holder.pid
    if (performance.now() > until) return undefined
    await delay(pollMs)
  }
}
