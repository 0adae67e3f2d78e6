/**
 * `npm run check`: every judgement of the code that a program can make without running the product's tests.
 * All steps run, side by side, so that one run shows all problems. `npm run check -- lint types` runs only
 * the steps named.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { styleText } from 'node:util'
import { minutes } from '../test/stage/pace.ts'
import { root } from './project-files.ts'
import { writeClientTypes } from './write-client-types.ts'

type Step = {
  name: string
  claim: string
  command: readonly [string, ...string[]]
}

/** Programs run by this Node itself: npm's links in .bin may start an older one. The longest start first. */
const steps: readonly Step[] = [
  {
    name: 'types',
    claim: 'the compiler agrees',
    command: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'],
  },
  {
    name: 'lint',
    claim: 'oxlint finds nothing',
    command: ['node_modules/oxlint/bin/oxlint', '--deny-warnings', '--format=unix', '.'],
  },
  {
    name: 'types',
    claim: 'the compiler agrees with the console',
    command: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'web'],
  },
  {
    name: 'bundle',
    claim: 'the console is built, and small enough when it is first loaded',
    command: ['scripts/checks/bundle.ts'],
  },
  { name: 'unused', claim: 'no dead file, export or dependency', command: ['node_modules/knip/bin/knip.js'] },
  {
    name: 'schema',
    claim: 'db/schema.sql is what the migrations give',
    command: ['scripts/checks/schema.ts'],
  },
  {
    name: 'settings',
    claim: 'what lists settings follows from their table',
    command: ['scripts/checks/settings.ts'],
  },
  {
    name: 'format',
    claim: 'oxfmt would change nothing',
    command: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'],
  },
  {
    name: 'tree',
    claim: 'no machine, no registry, no idle test, no overfull folder',
    command: ['scripts/checks/tree.ts'],
  },
  { name: 'imports', claim: 'imports point right', command: ['scripts/checks/imports.ts'] },
  { name: 'lock', claim: 'package-lock.json fits every platform', command: ['scripts/checks/lock.ts'] },
]
/** No step writes files that another one reads. */
const stepsAtOnce = availableParallelism()
const stepTimeoutMs = minutes(4)
type Outcome = { step: Step; isGood: boolean; seconds: string; output: string }

function runStep(step: Step): Promise<Outcome> {
  const startedMs = performance.now()
  return new Promise((resolve) => {
    const [file, ...parameters] = step.command
    const child = spawn(process.execPath, [file, ...parameters], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: stepTimeoutMs,
    })
    const pieces: Buffer[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => pieces.push(piece))
    child.on('close', (code, signal) => {
      const tookMs = performance.now() - startedMs
      if (signal !== null) pieces.push(Buffer.from(endedBy(signal, tookMs)))
      const seconds = (tookMs / 1000).toFixed(1)
      resolve({ step, isGood: code === 0, seconds, output: Buffer.concat(pieces).toString() })
    })
  })
}

function endedBy(signal: string, tookMs: number): string {
  if (tookMs < stepTimeoutMs) return `ended by ${signal}\n`
  return `ended after ${stepTimeoutMs / 1000} s, as on a machine that has other work: ARI_TEST_SLOWNESS gives it more time (CONTRIBUTING.md)\n`
}

function show({ step, isGood, seconds, output }: Outcome): void {
  const result = isGood ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  process.stdout.write(`${result} ${step.name.padEnd(8)} ${step.claim} (${seconds} s)\n`)
  if (!isGood) process.stdout.write(`${output.trimEnd().replaceAll(/^/gm, '       ')}\n`)
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !steps.some((step) => step.name === name))
if (unknown.length > 0) throw new Error(`No such step: ${unknown.join(', ')}`)
const selected = steps.filter((step) => names.length === 0 || names.includes(step.name))

const waiting = selected.values()
const failed: string[] = []

/** Takes the next step when its last one is done. */
async function lane(): Promise<void> {
  for (const step of waiting) await judge(step)
}

async function judge(step: Step): Promise<void> {
  const outcome = await runStep(step)
  show(outcome)
  if (!outcome.isGood) failed.push(step.name)
}

const startedMs = performance.now()
await writeClientTypes()
await Promise.all(Array.from({ length: stepsAtOnce }, lane))
const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
const verdict = failed.length === 0 ? 'all good' : `FAILED: ${failed.join(', ')}`
process.stdout.write(`\ncheck: ${verdict}, ${seconds} s\n`)
if (failed.length > 0) process.exitCode = 1
