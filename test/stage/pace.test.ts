import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const pace = new URL('pace.ts', import.meta.url).href

test('on a machine of any speed, waits are whole milliseconds, as timers and processes want them', async () => {
  const program = `
    const { minutes, seconds, lastingWithin } = await import(${JSON.stringify(pace)})
    const lasting = lastingWithin({ full: 60_000, floor: 100, share: 0.0013 })
    console.log(JSON.stringify([minutes(3), seconds(7), lasting]))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, ARI_TEST_SLOWNESS: '2.07', ARI_TEST_PROOF_SECONDS: '333' },
  })
  assert.deepEqual(JSON.parse(stdout), [372_600, 14_490, 433])
})
