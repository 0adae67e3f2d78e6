/**
 * Runs the tests on one PostgreSQL: `npm test` runs all tests (*.test.ts), `npm run test:proof` the proofs (proofs/):
 * programs started, killed, overloaded, attacked, backed up and installed, random pushes, and the console in a
 * browser; with `--all` in all their rounds, from a seed that is drawn; with `--again`, proofs that are red beside others run
 * once more, alone, and are listed, unless chance or the moment decides what they meet. Files and folders may be named: `npm test -- src/ari/push/push-ari.test.ts`,
 * `npm test -- src/ari`. With TEST_DATABASE_URL they run on that PostgreSQL, and with
 * ARI_TEST_POOLER=host:port all gateways reach it through a pooler. What was skipped is printed last, and added to the file
 * that ARI_TEST_SKIPPED names; unless may-skip.ts allows it, the run fails.
 */
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, relative, resolve, sep } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { checkDatabase } from '../src/postgres/schema/first-connection.ts'
import { writeClientTypes } from '../scripts/write-client-types.ts'
import { againAlone } from './again.ts'
import { root, testFiles } from './stage/files.ts'
import { groupsOf, programsOf } from './groups.ts'
import { lanesOf } from './lanes.ts'
import { staleExceptions, whyMaySkip } from './may-skip.ts'
import { allOf, isRed, noOutcome, tellLast, tellTimes, type Outcome } from './outcome.ts'
import { minutes } from './stage/pace.ts'
import {
  serverVariable,
  asAdmin,
  outerPostgres,
  behindPooler,
  startTestPostgres,
  type TestAddress,
} from './stage/postgres.ts'
import { makeTemplate, templateVariable } from './stage/template.ts'

// Tests wait for PostgreSQL now and then.
const groupsAtOnce = availableParallelism() + 1
/**
 * A file's process loads more than a thousand modules, of which none is found through a link, and is short: with room for
 * new objects it takes a tenth less processor time.
 */
const quickStart = [
  '--preserve-symlinks',
  '--preserve-symlinks-main',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
]
const testMs = { tests: minutes(5), proof: minutes(30) }

const parameters = process.argv.slice(2)
const isProof = parameters.includes('--proof')
if (parameters.includes('--all')) {
  process.env['ARI_TEST_PROOF_SECONDS'] = 'Infinity'
  process.env['ARI_TEST_SEED'] ??= String(randomInt(1_000_000_000))
}
/** Of a proof that runs another: on the same PostgreSQL, from the same template, with the same package. */
const isPart = process.env['ARI_TEST_PART'] !== undefined
const runsAgain = parameters.includes('--again')
const named = parameters.filter((parameter) => !parameter.startsWith('--'))
const kind = isProof ? 'proof' : 'tests'
const otherKind = isProof ? '`npm test` runs the fast tests' : '`npm run test:proof` runs the proofs'
const all = testFiles(kind)
const files = (named.length > 0 ? named.flatMap(filesAt) : all).map((name) => resolve(root, name))

if (files.length === 0) {
  process.stdout.write(`${kind}: no files\n`)
  process.exitCode = 1
} else {
  const startedMs = performance.now()
  const stale = staleExceptions()
  if (stale.length > 0) throw new Error(`test/may-skip.ts names files that are gone: ${stale.join(', ')}`)
  if (!isPart) await writeClientTypes()
  const postgres = isPart ? outerPostgres() : await startTestPostgres({ durable: isProof })
  let ran: Awaited<ReturnType<typeof runFiles>>
  let through: string
  try {
    through = await poolerOf(postgres.address)
    process.env[serverVariable] = JSON.stringify(postgres)
    // The compile cache is shared by all files.
    process.env['NODE_COMPILE_CACHE'] ??= resolve(root, 'node_modules/.cache/tests')
    const template = isPart ? undefined : await makeTemplate(postgres.address)
    if (template !== undefined) process.env[templateVariable] = template
    if (isProof && !isPart) process.env['ARI_TEST_PACKAGE'] = builtPackage()
    ran = await runFiles()
    if (template !== undefined) await asAdmin(postgres.address, `drop database ${template} with (force)`)
  } finally {
    await postgres.stop()
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  process.stdout.write(`\n${kind}: ${ran.told}, ${seconds} s, PostgreSQL ${postgres.version}${through}\n`)
  tellLast(ran.outcome)
}

/** In a process of its own: what builds it is large. */
function builtPackage(): string {
  const program = resolve(root, 'test/stage/programs/package.ts')
  return execFileSync(process.execPath, [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The file, or the folder's files of this kind. */
function filesAt(name: string): string[] {
  const path = relative(root, resolve(name))
  if (statSync(name, { throwIfNoEntry: false })?.isFile()) return [path]
  const inside = all.filter((file) => path === '' || file.startsWith(`${path}${sep}`))
  if (inside.length > 0) return inside
  process.stderr.write(`${name}: neither a test file nor a folder with ${kind}; ${otherKind}\n`)
  process.exit(1)
}

/**
 * Shows people which pooler the run goes through; without a real pooler, the run would prove nothing about
 * one.
 */
async function poolerOf(address: TestAddress): Promise<string> {
  const pooled = behindPooler(address)
  if (!pooled) return ''
  const { pooler } = await checkDatabase(pooled)
  if (!pooler) throw new Error('ARI_TEST_POOLER leads to PostgreSQL itself, or to no pooler that is known')
  return `, through a pooler that keeps ${pooler.keeps}`
}

/** It makes network devices, and a browser's connections end when these change. */
function changesNetwork(file: string): boolean {
  return basename(file) === 'silent-death.proof.ts'
}

async function runProofs(signal: AbortSignal): Promise<Outcome> {
  const byFile = new Map<string, Outcome>()
  const runProof = async (file: string): Promise<void> =>
    void byFile.set(file, await runPrograms([file], 1, signal))
  for (const file of files.filter(changesNetwork)) await runProof(file)
  const lanes = lanesOf(files.filter((file) => !changesNetwork(file)))
  await Promise.all(
    lanes.map(async (next) => {
      for (let file = next(); file !== undefined && !signal.aborted; file = next()) await runProof(file)
    }),
  )
  const red = [...byFile].filter(([, outcome]) => isRed(outcome)).map(([file]) => relative(root, file))
  const again = runsAgain && !signal.aborted ? againAlone(red) : []
  for (const file of again) {
    process.stdout.write(`\n${file} is red beside others; alone:\n`)
    await runProof(resolve(root, file))
  }
  return { ...allOf([...byFile.values()]), redBesideOthers: again }
}

async function runTests(signal: AbortSignal): Promise<Outcome> {
  const names = files.map((file) => relative(root, file))
  return runPrograms(programsOf(groupsOf(names, groupsAtOnce)), groupsAtOnce, signal)
}

/** Runs all files, or until the first signal to stop, which ends those in progress. Returns what came of it, in a line. */
async function runFiles(): Promise<{ outcome: Outcome; told: string }> {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopped.abort())
  const outcome = await (isProof ? runProofs : runTests)(stopped.signal)
  tellTimes(outcome)
  const notAllowed = outcome.skipped.filter((one) => whyMaySkip(one) === undefined)
  for (const { file } of notAllowed) outcome.failedFiles.add(file)
  process.exitCode = isRed(outcome) || stopped.signal.aborted ? 1 : 0
  if (stopped.signal.aborted) return { outcome, told: 'stopped' }
  const { passed, failed, skipped, failedFiles } = outcome
  const andSkipped = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  if (!isRed(outcome)) return { outcome, told: `all ${passed} passed${andSkipped}` }
  const count = passed + failed + skipped.length
  const inFiles = [...failedFiles].join(', ')
  return { outcome, told: `FAILED, ${failed + notAllowed.length} of ${count} (in ${inFiles})${andSkipped}` }
}

async function runPrograms(programs: string[], concurrency: number, signal: AbortSignal): Promise<Outcome> {
  const outcome = noOutcome()
  const events = run({
    files: programs,
    cwd: root,
    concurrency,
    timeout: testMs[kind],
    // A failing test may leave a service open: its file ends all the same.
    execArgv: [...quickStart, '--import', resolve(root, 'test/left-open.ts')],
    signal,
  })
  /** Of a group, each file is a test. */
  const fileOf = ({ file, name, nesting }: { file?: string; name: string; nesting: number }) => {
    if (nesting === 0 && files.includes(resolve(root, name))) return name
    return file === undefined ? undefined : relative(root, file)
  }
  events.on('test:fail', (failed) => {
    const file = fileOf(failed)
    if (failed.todo === undefined && file !== undefined) outcome.failedFiles.add(file)
    if (file === failed.name) outcome.failed--
    const { error } = failed.details
    if ('failureType' in error && error.failureType === 'testTimeoutFailure')
      outcome.timedOut.push(failed.name)
  })
  // Suites too: whether they're skipped isn't in the counts.
  events.on('test:pass', (passed) => {
    const { file, name, skip, details } = passed
    if (fileOf(passed) === name) {
      outcome.passed--
      outcome.secondsByFile.set(name, details.duration_ms / 1_000)
    }
    if (skip !== undefined && skip !== false)
      outcome.skipped.push({
        file: relative(root, file ?? ''),
        test: name,
        reason: String(skip).replaceAll(/\s+/g, ' '),
      })
  })
  events.on('test:summary', ({ file, counts, duration_ms: ms }) => {
    if (file !== undefined && isProof) outcome.secondsByFile.set(relative(root, file), ms / 1_000)
    if (file === undefined) {
      const { tests, passed, skipped, todo } = counts
      outcome.passed += passed
      outcome.failed += tests - passed - skipped - todo
    }
  })
  for await (const text of events.compose(spec)) process.stdout.write(text)
  return outcome
}
