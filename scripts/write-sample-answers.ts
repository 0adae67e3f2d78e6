/** Writes src/openapi/sample-answers.ts: what a service answers to the examples of the API reference. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sendExamples, storyOrder } from '../test/examples.ts'
import type { RouteName } from '../src/contract.ts'
import { startExampleSupplier } from '../test/example-supplier.ts'
import { startGateway } from '../test/harness.ts'

const root = resolve(import.meta.dirname, '..')
const path = join(root, 'src/openapi/sample-answers.ts')

const supplier = await startExampleSupplier()
const gateway = await startGateway(supplier)
try {
  const sent = await sendExamples(gateway)
  const wrong = sent.filter(({ status, example }) => status !== example.answer.status)
  for (const { name, index, status } of wrong) {
    process.stderr.write(`${name}, example ${index + 1}, was answered with ${status}\n`)
  }
  if (wrong.length > 0) process.exitCode = 1
  else {
    const answers = storyOrder().map(
      (name) => [name, sent.filter((one) => one.name === name).map(({ answer }) => answer)] as const,
    )
    writeFileSync(path, source(new Map(answers)))
    execFileSync(join(root, 'node_modules/.bin/oxfmt'), ['--write', path])
    process.stdout.write(`${path} is written\n`)
  }
} finally {
  await gateway.stop()
  await supplier.close()
}

function source(answers: ReadonlyMap<RouteName, unknown>): string {
  return `/* oxlint-disable max-lines -- Written by scripts/write-sample-answers.ts. */
import type { RouteName } from '../contract.ts'

/** What the service answers to the examples of each operation; a test compares them with a running one. */
export const sampleAnswers: Readonly<Record<RouteName, readonly unknown[]>> = ${JSON.stringify(Object.fromEntries(answers), null, 2)}
`
}
