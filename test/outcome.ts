import { appendFileSync } from 'node:fs'
import { whyMaySkip, type Skipped } from './may-skip.ts'

/** What came of a run of tests, and what is told of it. */
export type Outcome = {
  passed: number
  skipped: Skipped[]
  failed: number
  failedFiles: Set<string>
  /** Tests and files that took too long, which is first of all a sign of a machine that has other work. */
  timedOut: string[]
  secondsByFile: Map<string, number>
  /** Proofs that ran once more, alone; what is counted is the second time. */
  redBesideOthers: string[]
}

const slowSeconds = 10

export function noOutcome(): Outcome {
  return allOf([])
}

export function allOf(outcomes: readonly Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    skipped: outcomes.flatMap(({ skipped }) => skipped),
    failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    failedFiles: new Set(outcomes.flatMap(({ failedFiles }) => [...failedFiles])),
    timedOut: outcomes.flatMap(({ timedOut }) => timedOut),
    secondsByFile: new Map(outcomes.flatMap(({ secondsByFile }) => [...secondsByFile])),
    redBesideOthers: outcomes.flatMap(({ redBesideOthers }) => redBesideOthers),
  }
}

export function isRed({ failed, failedFiles }: Outcome): boolean {
  return failed > 0 || failedFiles.size > 0
}

export function tellTimes({ secondsByFile, timedOut }: Outcome): void {
  const slowest = [...secondsByFile]
    .filter(([, seconds]) => seconds > slowSeconds)
    .sort(([, left], [, right]) => right - left)
  const shown = slowest.map(([file, seconds]) => `${file} ${seconds.toFixed(0)} s`)
  process.stdout.write(`\nslowest: ${shown.join(', ')}\n`)
  if (timedOut.length > 0)
    process.stdout.write(`\ntook too long, as on a machine that has other work: ${timedOut.join(', ')}\n`)
}

/** What a green run doesn't show; in the file that ARI_TEST_SKIPPED names too. */
export function tellLast({ skipped, redBesideOthers, failedFiles }: Outcome): void {
  const red = redBesideOthers.map(
    (file) => `  ${file}: red beside others, ${failedFiles.has(file) ? 'and' : 'not'} alone\n`,
  )
  const lines = skipped.map((one) => {
    const why = whyMaySkip(one) ?? 'NOT ALLOWED by test/may-skip.ts: install what is missing'
    return `  ${one.file}: ${one.test}\n    ${one.reason}\n    ${why}\n`
  })
  if (red.length > 0) process.stdout.write(`\nran twice:\n${red.join('')}`)
  process.stdout.write(lines.length > 0 ? `\nskipped:\n${lines.join('')}` : 'nothing skipped\n')
  const { ARI_TEST_SKIPPED: file } = process.env
  if (file) appendFileSync(file, [...red, ...lines].join(''))
}
