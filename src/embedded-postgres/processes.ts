/** The operating system's side of the embedded PostgreSQL: starts, watches, finds and ends its processes. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export type OsUser = { name: string; uid: number; gid: number }

export type Command = { program: string; parameters: string[]; libraryPath: string; runAs: OsUser }

export type Launched = {
  pid: number | undefined
  /** Lets the program begin; until then there is only a waiting shell. */
  go: () => void
  signal: (name: NodeJS.Signals) => void
  /** Resolves with the reason in words; never rejects. */
  exited: Promise<{ code: number | null; reason: string }>
}

/*
 * The program is started by a shell that waits for a line from us and then becomes the program (exec keeps
 * the pid). So the watcher knows the pid before PostgreSQL exists, and if we are killed in between, the shell
 * reads the end of its input and exits: at no moment can an unwatched server be left behind. The library path
 * is set inside because macOS removes DYLD_* from the environment of /bin/sh.
 */
const waitThenBecome = `read -r go || exit 1
if [ -n "$1" ]; then export LD_LIBRARY_PATH="$1" DYLD_LIBRARY_PATH="$1"; fi
shift
exec "$@" </dev/null`

/*
 * Ends the process with the last pid that it received as soon as its input ends, which the kernel ensures
 * however we die. The pid can't have passed to another program: we reap our children and tell the watcher at
 * once. It starts with a fast shutdown (INT), because the size of the buffers limits its time, whereas the
 * replay after QUIT may be long; 5 s later QUIT, 5 s later KILL, after which the remaining backends exit by
 * themselves.
 */
const watchOverIt = `trap '' HUP INT TERM QUIT
pid=
while read -r line; do pid=$line; done
[ -n "$pid" ] || exit 0
kill -INT "$pid" 2>/dev/null || exit 0
turns=0
while kill -0 "$pid" 2>/dev/null; do
  turns=$((turns + 1))
  [ "$turns" -eq 100 ] && kill -QUIT "$pid"
  [ "$turns" -ge 200 ] && { kill -KILL "$pid"; exit 0; }
  sleep 0.05
done`

/** The folders of the system's own programs, regardless of the user's PATH. */
export const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin'

// Nothing from our own environment: PGDATA, PGPORT and friends affect the server. TZ saves initdb its search.
const environment = { PATH: systemPath, LC_ALL: 'C', TZ: 'UTC' }

const watcherRestartLimit = { times: 20, withinMs: 60_000 }
const killedPatienceMs = 5_000
const pollMs = 10

/**
 * Starts a shell that waits for `go()` to become the program; both its outputs go line by line to `onLine`.
 */
export function launch(command: Command, onLine: (line: string) => void): Launched {
  const child = spawnDetached(
    [waitThenBecome, 'ari-postgres', command.libraryPath, command.program, ...command.parameters],
    command.runAs,
    'pipe',
  )
  let rest = ''
  const take = (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, 10_000)
    for (const line of lines) if (line !== '') onLine(line)
  }
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', take)
  const exited = new Promise<{ code: number | null; reason: string }>((resolve) => {
    child.once('error', (error) => resolve({ code: null, reason: error.message }))
    const end = (code: number | null, reason: string) => {
      if (rest !== '') take('\n')
      resolve({ code, reason })
    }
    // A program that exits by itself has sent all output at 'close'. For a killed postmaster 'close' may come
    // much later, because its backends keep the pipes open.
    child.once('exit', (code, signal) => signal !== null && end(code, `signal ${signal}`))
    child.once('close', (code) => end(code, `exit code ${code}`))
  })
  return { pid: child.pid, go: () => child.stdin?.end('go\n'), signal: (name) => child.kill(name), exited }
}

/** Runs a program to its end. */
export async function runToEnd(
  command: Command,
  { watcher, onLaunch }: { watcher?: Watcher; onLaunch?: (() => void) | undefined } = {},
) {
  const lines: string[] = []
  const launched = launch(command, (line) => lines.length < 1_000 && lines.push(line))
  await watcher?.watch(launched.pid)
  launched.go()
  onLaunch?.()
  const { code, reason } = await launched.exited
  await watcher?.watch(undefined)
  return { ok: code === 0, reason, lines }
}

/** The small process that ends PostgreSQL when we are killed; it is replaced if it is killed itself. */
export class Watcher {
  #child: ChildProcess
  #watched: number | undefined
  #closed = false
  #restarts: number[] = []
  readonly #runAs: OsUser
  readonly #log: { warn: (o: object, m: string) => void; error: (o: object, m: string) => void }

  constructor(
    runAs: OsUser,
    log: { warn: (o: object, m: string) => void; error: (o: object, m: string) => void },
  ) {
    this.#runAs = runAs
    this.#log = log
    this.#child = this.#start()
  }

  get pid() {
    return this.#child.pid
  }

  /** The watcher ends this process, and only this one, when we die. Resolves once the watcher has the pid. */
  async watch(pid: number | undefined): Promise<void> {
    this.#watched = pid
    await this.#tell()
  }

  async close(): Promise<void> {
    this.#closed = true
    const child = this.#child
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.stdin?.end()
    await gone
  }

  #start(): ChildProcess {
    const child = spawnDetached([watchOverIt, 'ari-postgres-watcher'], this.#runAs, 'ignore')
    child.stdin?.on('error', () => {}) // a killed watcher; 'exit' or 'error' below handles that
    let ended = false
    const onEnd = (reason: string) => {
      if (ended) return
      ended = true
      if (!this.#closed) this.#replace(reason)
    }
    child.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`))
    child.once('error', (error) => onEnd(error.message))
    return child
  }

  #replace(reason: string): void {
    const now = performance.now()
    this.#restarts = [...this.#restarts.filter((at) => at > now - watcherRestartLimit.withinMs), now]
    if (this.#restarts.length > watcherRestartLimit.times) {
      this.#log.error(
        { reason },
        'The watcher of PostgreSQL keeps dying and is not started again: a killed service would leave PostgreSQL running until the next start',
      )
      return
    }
    this.#log.warn({ reason }, 'The watcher of PostgreSQL died and is replaced')
    this.#child = this.#start()
    void this.#tell()
  }

  #tell(): Promise<void> {
    return new Promise((resolve) => {
      const isWritten = this.#child.stdin?.write(`${this.#watched ?? ''}\n`, () => resolve())
      if (isWritten === undefined) resolve()
    })
  }
}

/** The processes of the server on this data folder, whoever started them; never those of other programs. */
export async function processesOf(clusterDir: string): Promise<number[]> {
  if (process.platform !== 'linux') return processesByTitle(clusterDir)
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) return []
    try {
      // Every PostgreSQL process runs in its data folder; titles, sessions and groups are not reliable.
      if (readlinkSync(`/proc/${pid}/cwd`) !== clusterDir) return []
      return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres') ? [pid] : []
    } catch {
      return [] // gone, a zombie, or another user's
    }
  })
}

async function processesByTitle(clusterDir: string): Promise<number[]> {
  const { stdout } = spawn('/bin/ps', ['-axo', 'pid=,command='], { stdio: ['ignore', 'pipe', 'ignore'] })
  let listing = ''
  for await (const chunk of stdout.setEncoding('utf8')) listing += String(chunk)
  return listing.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined || command === undefined) return []
    const isPostmaster = /\/postgres -D /.test(command) && command.includes(` -D ${clusterDir} `)
    return isPostmaster || command.startsWith(`postgres: ${clusterName(clusterDir)}`) ? [Number(pid)] : []
  })
}

/** Shown by PostgreSQL in the titles of its processes. */
export function clusterName(clusterDir: string): string {
  return `ari-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 16)}`
}

/** Ends every process of the server on this data folder: a living postmaster cleanly, orphans at once. */
export async function endProcessesOf(clusterDir: string, fastShutdownMs: number): Promise<number> {
  const found = await processesOf(clusterDir)
  const postmaster = postmasterPid(clusterDir)
  if (postmaster !== undefined && found.includes(postmaster)) {
    kill(postmaster, 'SIGINT')
    if (await areGone(clusterDir, fastShutdownMs)) return found.length
    kill(postmaster, 'SIGQUIT')
    if (await areGone(clusterDir, killedPatienceMs)) return found.length
  }
  // Without a postmaster they can only be ended, and recovery from the log follows anyway; until they are
  // gone, a new server refuses to start ("pre-existing shared memory block is still in use").
  for (const pid of await processesOf(clusterDir)) kill(pid, 'SIGKILL')
  if (!(await areGone(clusterDir, killedPatienceMs))) {
    const pids = (await processesOf(clusterDir)).join(', ')
    throw new Error(
      `Old PostgreSQL processes on ${clusterDir} can't be stopped: stop them by hand (pid ${pids})`,
    )
  }
  return found.length
}

async function areGone(clusterDir: string, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  while ((await processesOf(clusterDir)).length > 0) {
    if (performance.now() > until) return false
    await delay(pollMs)
  }
  return true
}

/** The pid in postmaster.pid, which may be long out of date. */
export function postmasterPid(clusterDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')[0])
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // gone already; the callers check whether it is gone
  }
}

/** In a session of its own, so that Ctrl-C in a terminal reaches us and not PostgreSQL before us. */
function spawnDetached(script: string[], runAs: OsUser, output: 'pipe' | 'ignore'): ChildProcess {
  const identity = process.getuid?.() === 0 ? { uid: runAs.uid, gid: runAs.gid } : {}
  const child = spawn('/bin/sh', ['-c', ...script], {
    ...identity,
    cwd: '/', // our own folder may be closed to that user
    detached: true,
    env: environment,
    stdio: ['pipe', output, output],
  })
  child.stdin?.on('error', () => {})
  return child
}
