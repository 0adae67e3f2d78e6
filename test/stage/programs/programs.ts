/** Our programs as separate processes, in an environment that contains only the variables a test names. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { minutes } from '../pace.ts'

const root = join(import.meta.dirname, '../../..')
const patienceMs = minutes(3)
/** Tests of other subjects must not run into the limits at which a busy service rejects requests. */
const patience = { ARI_PATIENCE: '100' }

export type Outcome = { code: number | null; stdout: string; stderr: string }

export type Running = {
  child: ChildProcess
  /** Its output so far. */
  output: { stdout: string; stderr: string }
  /**
   * Resolves with the output so far as soon as it matches the pattern; rejects when the program ends before.
   */
  printed: (pattern: RegExp) => Promise<string>
  ended: Promise<Outcome>
}

/** An empty folder for data, which a PostgreSQL that does not run as root can reach. */
export async function dataFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'ari-program-'))
  await chmod(folder, 0o711)
  return { path: join(folder, 'data'), remove: () => rm(folder, { recursive: true, force: true }) }
}

/** For a file of tests: its programs are ended and its folders removed after its last test. */
export function programsForTests(): {
  newFolder: () => Promise<string>
  track: (program: Running) => Running
} {
  const started: Running[] = []
  const folders: (() => Promise<void>)[] = []
  after(async () => {
    for (const { child, ended } of started) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    }
    for (const remove of folders) await remove()
  })
  return {
    newFolder: async () => {
      const { path, remove } = await dataFolder()
      folders.push(remove)
      return path
    },
    track: (program) => {
      started.push(program)
      return program
    },
  }
}

const programs = {
  serve: { source: 'src/bin/serve.ts', built: 'dist/bin/serve.js' },
  ari: { source: 'src/bin/ari.ts', built: 'dist/bin/ari.js' },
  /** The command that an installed `ari` runs, and `npm start`. */
  command: { source: 'bin/ari.js', built: 'bin/ari.js' },
} as const
type ProgramName = keyof typeof programs

/** The folder of the package as it is installed; proofs have it, tests run the source. */
const { ARI_TEST_PACKAGE: builtPackage } = process.env

/** What is preloaded as a module changes modules of the source, so the source is run with it. */
export function programFile(
  name: ProgramName,
  { NODE_OPTIONS: options = '' }: Readonly<Record<string, string>> = {},
): string {
  const { source, built } = programs[name]
  if (builtPackage === undefined || options.includes('--import=file:')) return join(root, source)
  return join(builtPackage, built)
}

/**
 * Where the programs of a test file are started: away from the checkout's .env, and from the data folder of another
 * file's service, whose address commands would print.
 */
export const workingFolder = mkdtempSync(join(tmpdir(), 'ari-programs-'))
chmodSync(workingFolder, 0o711)
process.once('exit', () => rmSync(workingFolder, { recursive: true, force: true }))

/** The compile cache is shared by the programs of a run. */
const { NODE_COMPILE_CACHE } = process.env
export const compileCache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

export function startProgram(
  name: ProgramName,
  environ: Readonly<Record<string, string>>,
  parameters: readonly string[] = [],
  endsWithinMs = patienceMs,
  /** Another checkout than this one. */
  checkout = root,
): Running {
  const program = checkout === root ? programFile(name, environ) : join(checkout, programs[name].source)
  return running([process.execPath, program, ...parameters], environ, endsWithinMs)
}

/** The service, when the first Node on the PATH has no Temporal yet. */
export function startBehindOlderNode(environ: Readonly<Record<string, string>>): Running {
  const command = [process.execPath, '--no-harmony-temporal', programFile('command'), 'serve']
  return running(command, environ, patienceMs)
}

/** The service as `npm start` runs it on a terminal. */
export function startOnTerminal(environ: Readonly<Record<string, string>>): Running {
  const command = `exec '${process.execPath}' '${programFile('command')}' serve`
  return running(['script', '--quiet', '--return', '--command', command, '/dev/null'], environ, patienceMs)
}

function running(
  [program = '', ...parameters]: readonly string[],
  environ: Readonly<Record<string, string>>,
  endsWithinMs: number,
): Running {
  const child = spawn(program, parameters, {
    cwd: workingFolder,
    env: { ...compileCache, ...patience, ...environ },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const killer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
  const ended = new Promise<Outcome>((resolve) => {
    child.once('close', (code) => {
      clearTimeout(killer)
      resolve({ code, ...output })
    })
  })
  const printed = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => pattern.test(output.stdout) && resolve(output.stdout)
      child.stdout.on('data', look)
      void ended.then((outcome) => reject(new Error(`It ended: ${JSON.stringify(outcome)}`)))
      look()
    })
  return { child, output, printed, ended }
}

export function runAri(environ: Readonly<Record<string, string>>, ...parameters: string[]): Promise<Outcome> {
  return startProgram('ari', environ, parameters).ended
}

/** The same with files limited to this many blocks of 512 bytes, as on a full disk. */
export function runAriWithin(
  fileBlocks: number,
  environ: Readonly<Record<string, string>>,
  ...parameters: string[]
): Promise<Outcome> {
  return runAriAfter(`ulimit -f ${fileBlocks}`, environ, ...parameters)
}

/** The same in a shell that has carried out these commands. */
export function runAriAfter(
  commands: string,
  environ: Readonly<Record<string, string>>,
  ...parameters: string[]
): Promise<Outcome> {
  const shell = ['/bin/sh', '-c', `${commands} && exec "$@"`, 'sh']
  const ari = [process.execPath, programFile('ari'), ...parameters]
  return running([...shell, ...ari], environ, patienceMs).ended
}

/** The processes that answer requests for a primary, without those of its PostgreSQL and their supervisor. */
export function workersOf(primary: number | undefined): number[] {
  return execFileSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...command]) => Number(parent) === primary && command.includes(process.execPath))
    .map(([pid]) => Number(pid))
}

/** Whether a program, which may be named by its path, can be run on this machine. */
async function isInstalled(program: string): Promise<boolean> {
  if (isAbsolute(program)) return existsSync(program)
  try {
    await promisify(execFile)(program, ['--version'])
    return true
  } catch {
    return false
  }
}

const apt = 'apt-get -qq -o DPkg::Lock::Timeout=300'

/** apt-get's command, with new lists of packages where it fails without; other files of tests wait meanwhile. */
async function withApt(command: string, folder = root): Promise<void> {
  const lock = join(root, 'node_modules/.cache/apt')
  await mkdir(dirname(lock), { recursive: true })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const commands = `${command} || { ${apt} update && ${command}; }`
  await promisify(execFile)('flock', [lock, 'sh', '-c', commands], { env, cwd: folder })
}

/** Why a program can't be run here, for a test that is skipped. It is installed first, where this user may do that. */
export async function missing(program: string, debianPackage?: string): Promise<string | undefined> {
  if (await isInstalled(program)) return undefined
  if (debianPackage === undefined) return `there is no ${program}`
  try {
    await withApt(`${apt} install -y --no-install-recommends ${debianPackage}`)
  } catch (error) {
    return `there is no ${program}, and this user can't apt-get install ${debianPackage}: ${lastLine(error)}`
  }
  return (await isInstalled(program)) ? undefined : `there is no ${program}, not even in ${debianPackage}`
}

export const binariesOfPostgres15 = '/usr/lib/postgresql/15/bin'

export const withoutPostgres15 = (): Promise<string | undefined> =>
  missing(join(binariesOfPostgres15, 'postgres'), 'postgresql-15')

/** A program of a package that would also start a service: it is only unpacked. */
export async function unpackedProgram(
  path: string,
  debianPackage: string,
): Promise<{ program: string } | { missing: string }> {
  const folder = join(root, 'node_modules/.cache/debian', debianPackage)
  const program = join(folder, path)
  try {
    if (!existsSync(program)) {
      await mkdir(folder, { recursive: true })
      await withApt(`${apt} download ${debianPackage}`, folder)
      await promisify(execFile)('sh', ['-c', 'dpkg-deb -x *.deb .'], { cwd: folder })
    }
    return { program }
  } catch (error) {
    return { missing: `there is no ${path}, and apt-get can't download ${debianPackage}: ${lastLine(error)}` }
  }
}

function lastLine(error: unknown): string {
  return error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error)
}
