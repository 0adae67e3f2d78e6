/**
 * Debian's PostgreSQL 15 as a primary and its standbys, each a process of an ordinary user, in a temporary
 * folder.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { asAdmin, type TestAddress } from '../postgres.ts'
import { binariesOfPostgres15 as binaries } from '../programs/programs.ts'
import pg from 'pg'

const run = promisify(execFile)
const port = 5432
const pollMs = 20

/** PostgreSQL does not run as root; Debian's package creates this user. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, , uid, gid] = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

export type Cluster = {
  address: TestAddress
  sql: (text: string) => Promise<void>
  value: (text: string) => Promise<string>
  /** A standby that has all data of this server, and follows it. */
  standby: (folder: string) => Promise<Cluster>
  /** Makes every commit wait for a standby from now on. */
  waitForStandby: () => Promise<void>
  /** Stops replicating from its primary. */
  leavePrimary: () => Promise<void>
  promote: () => Promise<void>
  kill: () => Promise<void>
}

export async function newCluster(folder: string): Promise<Cluster> {
  mkdirSync(folder, { mode: 0o700 })
  own(folder)
  await asOwner('initdb', ['-D', data(folder), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  // The proof covers the end of processes, not of the machine.
  const settings = ["listen_addresses = ''", `port = ${port}`, 'fsync = off', 'wal_keep_size = 256MB']
  appendFileSync(join(data(folder), 'postgresql.conf'), `${settings.join('\n')}\n`)
  const cluster = await started(folder)
  await cluster.sql('create database ari')
  return clusterAt(folder, processes.get(folder))
}

const processes = new Map<string, ChildProcess>()

/** Ends clusters that a failed test left running. */
export function killClusters(): void {
  for (const child of processes.values()) killGroup(child)
}

const data = (folder: string): string => join(folder, 'data')

function own(folder: string): void {
  const user = owner()
  if (user) chownSync(folder, user.uid, user.gid)
}

async function asOwner(program: string, parameters: readonly string[]): Promise<void> {
  await run(join(binaries, program), [...parameters], { ...owner(), cwd: '/' })
}

async function started(folder: string): Promise<Cluster> {
  const child = spawn(join(binaries, 'postgres'), ['-D', data(folder), '-k', folder], {
    ...owner(),
    cwd: '/',
    stdio: 'ignore',
    // Its processes are one group, so that one signal ends them all.
    detached: true,
  })
  processes.set(folder, child)
  const admin = clusterAt(folder, child, 'postgres')
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`)
    try {
      await admin.sql('select')
      return admin
    } catch {
      await wait(pollMs)
    }
  }
}

function clusterAt(folder: string, child: ChildProcess | undefined, database = 'ari'): Cluster {
  const address = { host: folder, port, user: 'postgres', database }
  const sql = (text: string): Promise<void> => asAdmin(address, text)
  const value = async (text: string): Promise<string> => {
    const client = new pg.Client(address)
    await client.connect()
    try {
      const { rows } = await client.query<{ value: unknown }>(text)
      return String(rows[0]?.value)
    } finally {
      await client.end()
    }
  }
  return {
    address,
    sql,
    value,
    standby: async (other) => {
      mkdirSync(other, { mode: 0o700 })
      own(other)
      const from = ['-h', folder, '-p', String(port), '-U', 'postgres']
      await asOwner('pg_basebackup', [...from, '-D', data(other), '-R', '-c', 'fast', '--no-sync'])
      await started(other)
      while ((await value('select count(*) from pg_stat_replication as value')) === '0') await wait(pollMs)
      return clusterAt(other, processes.get(other))
    },
    waitForStandby: async () => {
      await sql("alter system set synchronous_standby_names = '*'")
      await sql('select pg_reload_conf()')
      const isSynchronous = `select count(*) as value from pg_stat_replication where sync_state = 'sync'`
      while ((await value(isSynchronous)) === '0') await wait(pollMs)
    },
    leavePrimary: async () => {
      await sql("alter system set primary_conninfo = ''")
      await sql('select pg_reload_conf()')
      while ((await value('select count(*) as value from pg_stat_wal_receiver')) !== '0') await wait(pollMs)
    },
    promote: async () => {
      await sql("alter system set synchronous_standby_names = ''")
      await sql('select pg_reload_conf()')
      await sql('select pg_promote()')
    },
    kill: async () => {
      if (child) killGroup(child)
      processes.delete(folder)
      rmSync(data(folder), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}
