/** Keeps the embedded PostgreSQL running until it is asked to stop. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Binaries } from './binaries.ts'
import { removeMisleadingLockFiles, role } from './cluster.ts'
import { codeOf, port, type Layout } from './layout.ts'
import { endProcessesOf, launch, type Launched, type Watcher } from './processes.ts'

type Log = Record<'info' | 'warn' | 'error', (o: object, m: string) => void>

/**
 * Limits the restarts of a server that ends by itself. Without a start that lasted, we give up after a day.
 */
export const restartLimits = { attempts: 8_640, firstDelayMs: 100, delayMs: 10_000, stayedMs: 1_000 }

const recoveryMs = 10 * 60_000
const connectMs = 5_000
const pollMs = 5
// Together below the 10 s in which the service must be able to stop.
const fastShutdownMs = 6_000
const quitMs = 2_000
const logLines = { kept: 20, perWindow: 200, windowMs: 10_000 }
const durable = ['fsync', 'full_page_writes', 'synchronous_commit']

// Lines that every start and stop logs, and the answers to clients that connect too early.
const routine = new RegExp(
  [
    '^LOG: +(starting PostgreSQL|listening on|database system (was|is) (shut down|ready)|received .* shutdown)',
    '^LOG: +(shutting down|aborting any|background worker "logical replication launcher")',
    '^FATAL: +terminating connection due to administrator command',
    `^FATAL: +(the database system is (starting up|shutting down|not yet)|database "${role}" does not exist)`,
  ].join('|'),
)

export class Supervisor {
  readonly #layout: Layout
  readonly #binaries: Binaries
  readonly #socketDir: string
  readonly #watcher: Watcher
  readonly #log: Log
  readonly #limits: typeof restartLimits
  readonly #stopping = new AbortController()
  #server: Launched | undefined
  #healing: Promise<void> = Promise.resolve()
  #failures = 0
  #lastLines: string[] = []
  #lineWindow = { since: 0, lines: 0 }

  constructor(
    needs: { layout: Layout; binaries: Binaries; socketDir: string; watcher: Watcher; log: Log },
    limits = restartLimits,
  ) {
    this.#layout = needs.layout
    this.#binaries = needs.binaries
    this.#socketDir = needs.socketDir
    this.#watcher = needs.watcher
    this.#log = needs.log
    this.#limits = limits
  }

  async start(onLaunch?: () => void): Promise<void> {
    await this.#clearAway()
    await this.#launch(onLaunch)
  }

  /** Ends the server cleanly, or by force if that takes too long; no process of it is left. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#healing
    const server = this.#server
    if (server) await end(server, 'SIGINT', fastShutdownMs)
    await endProcessesOf(this.#layout.clusterDir, quitMs)
    await this.#watcher.watch(undefined)
  }

  /**
   * A server whose service was killed may still run, and a pid in its files may belong to another program.
   */
  async #clearAway(): Promise<void> {
    const ended = await endProcessesOf(this.#layout.clusterDir, fastShutdownMs)
    if (ended > 0)
      this.#log.warn({ processes: ended }, 'Leftover processes of an earlier PostgreSQL were stopped')
    await removeMisleadingLockFiles(this.#layout, this.#socketDir)
  }

  /**
   * One attempt: resolves when the server answers and is durable enough; otherwise it leaves no process
   * behind.
   */
  async #launch(onLaunch?: () => void): Promise<void> {
    const { clusterDir, stateDir, serverUser } = this.#layout
    this.#lastLines = []
    const server = launch(
      {
        program: join(this.#binaries.binDir, 'postgres'),
        parameters: ['-D', clusterDir, '-c', `config_file=${join(stateDir, 'postgresql.conf')}`],
        libraryPath: this.#binaries.libraryPath,
        runAs: serverUser,
      },
      (line) => this.#take(line),
    )
    await this.#watcher.watch(server.pid)
    server.go()
    onLaunch?.()
    const attempt = new AbortController()
    try {
      const failed = server.exited.then(({ reason }) => {
        throw new Error(this.#lastLines.findLast((line) => /^(FATAL|PANIC|postgres):/.test(line)) ?? reason)
      })
      const signal = AbortSignal.any([attempt.signal, this.#stopping.signal])
      await Promise.race([untilReady(this.#socketDir, signal), failed])
    } catch (cause) {
      await end(server, 'SIGINT', quitMs)
      await this.#watcher.watch(undefined)
      const hint = this.#lastLines.find((line) => line.startsWith('HINT:')) ?? ''
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`PostgreSQL on ${clusterDir} does not run: ${why} ${hint}`.trim(), { cause })
    } finally {
      attempt.abort()
    }
    this.#server = server
    const since = performance.now()
    void server.exited.then(({ reason }) => {
      this.#server = undefined
      if (this.#stopping.signal.aborted) return
      if (performance.now() - since >= this.#limits.stayedMs) this.#failures = 0
      this.#healing = this.#heal(reason)
    })
  }

  /** Restarts the server with the same socket, so that new connections find it. */
  async #heal(firstReason: string): Promise<void> {
    let reason = firstReason
    const { signal } = this.#stopping
    while (this.#failures < this.#limits.attempts) {
      this.#failures += 1
      this.#log.warn(
        { reason, attempt: this.#failures },
        'PostgreSQL stopped unexpectedly and is being restarted',
      )
      try {
        if (this.#failures > 1) {
          const backoffMs = this.#limits.firstDelayMs * 2 ** (this.#failures - 2)
          await delay(Math.min(backoffMs, this.#limits.delayMs), undefined, { signal })
        }
        await this.#watcher.watch(undefined)
        await this.start()
        this.#log.info({}, 'PostgreSQL is running again')
        return
      } catch (error) {
        if (signal.aborted) return
        reason = error instanceof Error ? error.message : String(error)
      }
    }
    this.#log.error(
      { reason, attempts: this.#failures },
      `PostgreSQL could not be restarted in ${this.#failures} attempts (${reason}): fix that, then restart the service`,
    )
  }

  #take(line: string): void {
    this.#lastLines = [...this.#lastLines.slice(1 - logLines.kept), line]
    if (routine.test(line)) return
    const now = performance.now()
    if (now - this.#lineWindow.since > logLines.windowMs) this.#lineWindow = { since: now, lines: 0 }
    this.#lineWindow.lines += 1
    if (this.#lineWindow.lines === logLines.perWindow) {
      this.#log.warn({}, 'PostgreSQL logs too much; lines are dropped for some seconds')
    }
    if (this.#lineWindow.lines >= logLines.perWindow) return
    const [, severity, text] = /^([A-Z]+): +(.*)$/.exec(line) ?? []
    const entry = { postgres: severity ?? 'output' }
    if (severity === 'PANIC') this.#log.error(entry, `PostgreSQL: ${text}`)
    else if (severity === 'LOG') this.#log.info(entry, `PostgreSQL: ${text}`)
    else this.#log.warn(entry, `PostgreSQL: ${text ?? line}`)
  }
}

/** Ends the process, first politely, then forcibly, and resolves once it has ended. */
async function end(server: Launched, polite: NodeJS.Signals, withinMs: number): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    [polite, withinMs],
    ['SIGQUIT', quitMs],
    ['SIGKILL', quitMs],
  ]
  for (const [name, patienceMs] of steps) {
    server.signal(name)
    const waiting = new AbortController()
    const waited = delay(patienceMs, false, { signal: waiting.signal }).catch(() => false)
    const isGone = await Promise.race([server.exited.then(() => true), waited])
    waiting.abort()
    if (isGone) return
  }
}

/** Waits for the server and its database; refuses a server that could lose acknowledged writes. */
async function untilReady(socketDir: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + recoveryMs
  for (;;) {
    signal.throwIfAborted()
    const answer = await tryConnect(socketDir, role)
    if (answer === 'no database') {
      const first = await tryConnect(socketDir, 'template1')
      if (typeof first === 'object') await renameDatabase(first)
    } else if (answer !== 'not yet') {
      return assertDurable(answer)
    } else {
      await delay(pollMs, undefined, { signal })
    }
    if (performance.now() > until) throw new Error('it is not ready after 10 minutes')
  }
}

/** A connection, or the reason that there is none yet. */
export async function tryConnect(
  socketDir: string,
  database: string,
): Promise<pg.Client | 'not yet' | 'no database'> {
  const client = new pg.Client({
    host: socketDir,
    port,
    user: role,
    database,
    ssl: false,
    connectionTimeoutMillis: connectMs,
  })
  client.on('error', () => {}) // the next query reports a lost connection
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    const code = codeOf(error) ?? ''
    if (code === '3D000') return 'no database'
    // A refusal of the user or of the folder is final; other errors pass while it starts or shuts down.
    if (code.startsWith('28') || code === 'EACCES') throw error
    return 'not yet'
  }
}

/** That of `postgres`, which is as empty: a new one would be a copy of 300 files. */
async function renameDatabase(client: pg.Client): Promise<void> {
  try {
    await client.query(`alter database postgres rename to ${role}`)
  } finally {
    await client.end()
  }
}

async function assertDurable(client: pg.Client): Promise<void> {
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [durable],
    )
    const settings = new Map(rows.map((row) => [row.name, row.setting]))
    for (const name of durable) {
      if (settings.get(name) === 'on') continue
      throw new Error(
        `"${name}" is ${settings.get(name)}, so that acknowledged pushes could be lost: remove that setting ("alter system reset ${name}", or "alter database" or "alter role ... reset ${name}")`,
      )
    }
  } finally {
    await client.end()
  }
}
