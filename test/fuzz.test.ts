import { test } from 'node:test'
import { fuzz } from './fuzz/run.ts'

test('3,000 hostile requests: none is our fault, none that is refused changes anything', async (context) => {
  const report = await fuzz({ requests: 3_000, seed: 20_270_301 })
  context.diagnostic(JSON.stringify(report))
})
