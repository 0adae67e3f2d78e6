/** The service as `npm start` runs it, as a process that can be killed at any moment, with its PostgreSQL. */
import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { postmasterPid, processesOf } from '../../../src/embedded-postgres/processes.ts'
import { minutes } from '../pace.ts'
import { compileCache, programFile, workingFolder } from '../programs/programs.ts'

const readyLine = /^ARI gateway \(\w+\) ready in \d+\.\d s at (http:\/\/\S+) · docs at/m
const readyWithinMs = minutes(3)
const pollMs = 5
const outputCharactersMax = 200_000

export type ServiceEnd = { code: number | null; signal: NodeJS.Signals | null }

export type Service = {
  url: string
  pid: number
  /** Resolves when the process has ended, for whatever reason. */
  ended: Promise<ServiceEnd>
  hasEnded: () => boolean
  /** Sends the signal at once, and resolves when the process has ended. */
  end: (signal: NodeJS.Signals) => Promise<ServiceEnd>
  signal: (signal: NodeJS.Signals) => void
  /** Its latest output. */
  output: () => string
}

const started = new Set<ChildProcess>()

/** Starts it on a free port; resolves when /readyz says that it is ready. */
export async function startService(
  environ: Readonly<Record<string, string>>,
  /** What may not stand in NODE_OPTIONS. */
  nodeOptions: readonly string[] = [],
): Promise<Service> {
  const child = spawn(process.execPath, [...nodeOptions, programFile('serve', environ)], {
    cwd: workingFolder,
    env: { ...compileCache, PORT: '0', LOG_LEVEL: 'warn', ARI_PATIENCE: '100', ...environ },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(child)
  let output = ''
  const take = (line: string): void => {
    // Hundreds a second while PostgreSQL is down; the clients count them.
    if (!line.includes('"a request was turned away"'))
      output = `${output}${line}\n`.slice(-outputCharactersMax)
  }
  createInterface(child.stdout).on('line', take)
  createInterface(child.stderr).on('line', take)
  const life = { isOver: false }
  const ended = new Promise<ServiceEnd>((done) => {
    // Not 'close': processes that it leaves running may keep its pipes open.
    child.once('exit', (code, signal) => {
      life.isOver = true
      started.delete(child)
      done({ code, signal })
    })
  })
  const untilMs = performance.now() + readyWithinMs
  let url: string | undefined
  while (url === undefined || !(await isReady(url))) {
    if (life.isOver || performance.now() > untilMs)
      throw new Error(`the service did not become ready:\n${output}`)
    await wait(pollMs)
    url ??= readyLine.exec(output)?.[1]
  }
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    hasEnded: () => life.isOver,
    signal: (signal) => void child.kill(signal),
    end: (signal) => {
      child.kill(signal)
      return ended
    },
    output: () => output,
  }
}

/** Ends services that a failed test left running. */
export async function endServices(): Promise<void> {
  for (const child of started) child.kill('SIGKILL')
  while (started.size > 0) await wait(pollMs)
}

/** The PostgreSQL of a killed service ends by itself, a moment later. */
export async function untilPostgresEnded(dataDir: string): Promise<void> {
  while ((await processesOf(clusterOf(dataDir))).length > 0) await wait(pollMs)
}

export async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`)
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

/** PostgreSQL's data folder within a data folder in use. */
export function clusterOf(dataDir: string): string {
  return join(realpathSync(dataDir), 'postgres/cluster')
}

export const postgresVictims = ['postmaster', 'any', 'all'] as const
export type PostgresVictim = (typeof postgresVictims)[number]

/** Kills the postmaster, any other process of the server, or all of them. Returns how many. */
export async function killPostgres(dataDir: string, victim: PostgresVictim): Promise<number> {
  const cluster = clusterOf(dataDir)
  const postmaster = postmasterPid(cluster)
  const all = await processesOf(cluster)
  const others = all.filter((pid) => pid !== postmaster)
  const any = others[Math.floor(Math.random() * others.length)]
  const victimsOf: Record<PostgresVictim, (number | undefined)[]> = {
    postmaster: [postmaster],
    any: [any],
    all,
  }
  const victims = victimsOf[victim].filter((pid) => pid !== undefined)
  for (const pid of victims) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself after it was listed.
    }
  }
  return victims.length
}

/** The small process that ends PostgreSQL when the service is killed. */
export function watchersOf(servicePid: number): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return []
    try {
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))?.[1]
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8')
      return Number(parent) === servicePid && command.includes('ari-postgres-watcher') ? [Number(entry)] : []
    } catch {
      return [] // gone meanwhile
    }
  })
}
