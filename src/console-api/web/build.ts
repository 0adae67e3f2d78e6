import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import type { Log } from '../../base/log.ts'
import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * In a checkout, the service itself builds the web application, in a separate process at the lowest priority, so that
 * `npm ci && npm start` is all it takes. The installed package includes the build.
 */
type WebBuild = {
  /** Builds if the existing build is older than its sources. Later calls try again after a failure or if the build is gone. */
  begin: (isThere: boolean) => Promise<WebState>
  close: () => Promise<void>
}

type WebState = { is: 'built' } | { is: 'building' } | { is: 'failed'; why: string }

const buildTimeoutMs = 180_000
const outputMax = 8_000

export function webBuild(log: Log): WebBuild {
  let state: WebState | undefined
  let failedHash: string | undefined
  let child: ChildProcess | undefined
  let looking: Promise<WebState> | undefined
  let isClosed = false

  const build = async (hash: string): Promise<void> => {
    const startedMs = performance.now()
    const why = await run((started) => (child = started))
    child = undefined
    if (isClosed) return
    if (why === undefined) {
      state = { is: 'built' }
      // Nobody has to do anything about it, and it comes in the middle of what a first start tells.
      log.debug({ durationMs: Math.round(performance.now() - startedMs) }, 'the console is built')
    } else {
      state = { is: 'failed', why }
      failedHash = hash
      log.error({ output: why }, 'the console could not be built; everything else works')
    }
  }
  const look = async (): Promise<WebState> => {
    const [hash, built] = await Promise.all([hashOfWebSources(), hashOfBuiltWeb()])
    if (hash === undefined && built === undefined)
      return { is: 'failed', why: 'This package was built without the console.' }
    if (hash === undefined || hash === built) return { is: 'built' }
    // A failed build fails again until a source changes.
    if (state?.is === 'failed' && hash === failedHash) return state
    void build(hash)
    return { is: 'building' }
  }
  return {
    begin: async (isThere) => {
      if (isClosed) return { is: 'building' }
      if (state?.is === 'building' || (state?.is === 'built' && isThere)) return state
      looking ??= look().finally(() => (looking = undefined))
      state = await looking
      return state
    },
    close: async () => {
      isClosed = true
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** Undefined on success, otherwise the end of the program's output. */
async function run(started: (child: ChildProcess) => void): Promise<string | undefined> {
  const child = spawn(process.execPath, [buildProgram], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: buildTimeoutMs,
  })
  started(child)
  let output = ''
  child.stderr
    .setEncoding('utf8')
    .on('data', (piece: string) => (output = `${output}${piece}`.slice(-outputMax)))
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has already ended, or the system has no priorities.
  }
  const ended = await new Promise<number | string | Error | null>((settle) => {
    child.once('error', settle)
    child.once('close', (code, signal) => settle(code ?? signal))
  })
  if (ended === 0) return undefined
  const end = ended instanceof Error ? ended.message : `The build ended with ${ended ?? 'nothing'}`
  return `${stripVTControlCharacters(output).trim()}\n${end}`.trim()
}

/** The paths of the web application, from a checkout and the installed package. */

const root = fileURLToPath(new URL('../../../', import.meta.url))
/** Next to the compiled service in dist/. */
export const webFolder = join(root, 'dist/console-web')
/** In the build: the hash of its sources. */
export const builtFromFile = 'built-from.txt'
/** Absent from the installed package, which includes the build. */
const buildProgram = join(root, 'scripts/build-console.ts')

/** Includes what the application imports from the service: contracts, and the two tables they are derived from. */
const sources = [
  'web/**/*',
  'src/**/*contract.ts',
  'src/http/route.ts',
  'src/ari/restrictions.ts',
  'package-lock.json',
]

/** The hash of the current sources; undefined if there are none. */
export async function hashOfWebSources(): Promise<string | undefined> {
  if (!existsSync(buildProgram)) return undefined
  const paths = new Set<string>()
  for await (const entry of glob(sources, { cwd: root, withFileTypes: true }))
    if (entry.isFile()) paths.add(join(entry.parentPath, entry.name))
  const hash = createHash('sha256')
  for (const path of [...paths].sort()) {
    hash.update(path.slice(root.length)).update('\0')
    hash.update(await readFile(path)).update('\0')
  }
  return hash.digest('hex')
}

/** The hash of the sources of the existing build; undefined if there is none. */
export async function hashOfBuiltWeb(folder: string = webFolder): Promise<string | undefined> {
  return readFile(join(folder, builtFromFile), 'utf8').catch(() => undefined)
}
