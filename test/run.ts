/**
 * Runs the tests on one PostgreSQL: `npm test` runs all tests (*.test.ts), `npm run test:proof` the proofs (proofs/):
 * programs started, killed, overloaded, attacked, backed up and installed, random pushes, and the console in a
 * browser; with `--all` in all their rounds. Files and folders may be named: `npm test -- src/ari/push/push-ari.test.ts`,
 * `npm test -- src/ari`. With TEST_DATABASE_URL they run on that PostgreSQL, and with
 * ARI_TEST_POOLER=host:port all gateways reach it through a pooler. What was skipped is printed last, and added to the file
 * that ARI_TEST_SKIPPED names; unless may-skip.ts allows it, the run fails.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, relative, resolve, sep } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { checkDatabase } from '../src/postgres/schema/first-connection.ts'
import { writeClientTypes } from '../scripts/write-client-types.ts'
import { root, testFiles } from './stage/files.ts'
import { groupsOf, programsOf } from './groups.ts'
import { lanesOf } from './lanes.ts'
import { staleExceptions, whyMaySkip, type Skipped } from './may-skip.ts'
import { minutes } from './stage/pace.ts'
import {
  serverVariable,
  asAdmin,
  behindPooler,
  startTestPostgres,
  type TestAddress,
} from './stage/postgres.ts'
import { makeTemplate, templateVariable } from './stage/template.ts'

// Tests wait for PostgreSQL now and then.
const groupsAtOnce = availableParallelism() + 1
const slowSeconds = 10
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
if (parameters.includes('--all')) process.env['ARI_TEST_PROOF_SECONDS'] = 'Infinity'
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
  const skipped: Skipped[] = []
  await writeClientTypes()
  const postgres = await startTestPostgres({ durable: isProof })
  let outcome: string
  let through: string
  try {
    through = await poolerOf(postgres.address)
    process.env[serverVariable] = JSON.stringify(postgres)
    // The compile cache is shared by all files.
    process.env['NODE_COMPILE_CACHE'] ??= resolve(root, 'node_modules/.cache/tests')
    const template = await makeTemplate(postgres.address)
    process.env[templateVariable] = template
    if (isProof) process.env['ARI_TEST_PACKAGE'] = builtPackage()
    outcome = await runFiles(skipped)
    await asAdmin(postgres.address, `drop database ${template} with (force)`)
  } finally {
    await postgres.stop()
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  process.stdout.write(`\n${kind}: ${outcome}, ${seconds} s, PostgreSQL ${postgres.version}${through}\n`)
  tellSkipped(skipped)
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

async function runProofs(outcome: Outcome, signal: AbortSignal): Promise<void> {
  for (const file of files.filter(changesNetwork)) await runPrograms([file], 1, outcome, signal)
  const lanes = lanesOf(files.filter((file) => !changesNetwork(file)))
  await Promise.all(
    lanes.map(async (next) => {
      for (let file = next(); file !== undefined && !signal.aborted; file = next())
        await runPrograms([file], 1, outcome, signal)
    }),
  )
}

async function runTests(outcome: Outcome, signal: AbortSignal): Promise<void> {
  const names = files.map((file) => relative(root, file))
  await runPrograms(programsOf(groupsOf(names, groupsAtOnce)), groupsAtOnce, outcome, signal)
}

type Outcome = {
  passed: number
  skipped: Skipped[]
  failed: number
  failedFiles: Set<string>
  /** Tests and files that took too long, which is first of all a sign of a machine that has other work. */
  timedOut: string[]
  secondsByFile: Map<string, number>
}

/** Runs all files, or until the first signal to stop, which ends those in progress. */
async function runFiles(skipped: Skipped[]): Promise<string> {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopped.abort())
  const outcome: Outcome = {
    passed: 0,
    skipped,
    failed: 0,
    failedFiles: new Set(),
    timedOut: [],
    secondsByFile: new Map(),
  }
  await (isProof ? runProofs : runTests)(outcome, stopped.signal)
  const { passed, failed, failedFiles, secondsByFile } = outcome
  const slowest = [...secondsByFile]
    .filter(([, seconds]) => seconds > slowSeconds)
    .sort(([, left], [, right]) => right - left)
  const shown = slowest.map(([file, seconds]) => `${file} ${seconds.toFixed(0)} s`)
  process.stdout.write(`\nslowest: ${shown.join(', ')}\n`)
  if (outcome.timedOut.length > 0) {
    const names = outcome.timedOut.join(', ')
    process.stdout.write(`\ntook too long, as on a machine that has other work: ${names}\n`)
  }
  const notAllowed = skipped.filter((one) => whyMaySkip(one) === undefined)
  for (const { file } of notAllowed) failedFiles.add(file)
  const isGreen = failed === 0 && failedFiles.size === 0 && !stopped.signal.aborted
  process.exitCode = isGreen ? 0 : 1
  if (stopped.signal.aborted) return 'stopped'
  const andSkipped = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  if (isGreen) return `all ${passed} passed${andSkipped}`
  const count = passed + failed + skipped.length
  return `FAILED, ${failed + notAllowed.length} of ${count} (in ${[...failedFiles].join(', ')})${andSkipped}`
}

function tellSkipped(skipped: readonly Skipped[]): void {
  const lines = skipped.map((one) => {
    const why = whyMaySkip(one) ?? 'NOT ALLOWED by test/may-skip.ts: install what is missing'
    return `  ${one.file}: ${one.test}\n    ${one.reason}\n    ${why}\n`
  })
  process.stdout.write(lines.length > 0 ? `\nskipped:\n${lines.join('')}` : 'nothing skipped\n')
  const { ARI_TEST_SKIPPED: file } = process.env
  if (file) appendFileSync(file, lines.join(''))
}

async function runPrograms(
  programs: string[],
  concurrency: number,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<void> {
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
}
