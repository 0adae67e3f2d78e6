import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from '../fuzz/run.ts'

const requests = 100_000

test('100,000 hostile requests: none is our fault, none that is refused changes anything', async (context) => {
  const seed = Number(process.env.FUZZ_SEED ?? 1)
  const report = await fuzz({ requests, seed })
  context.diagnostic(JSON.stringify(report))
  assert.ok(report.requests >= requests)
  // The generator must stay both: mostly refused, and often enough accepted.
  assert.ok(report.refused > requests / 2, `${report.refused} refused`)
  assert.ok(report.accepted > requests / 20, `${report.accepted} accepted`)
})
