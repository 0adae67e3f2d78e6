/** The alert rules, judged by Prometheus' own program: their syntax, and what fires when. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { root } from '../../test/stage/files.ts'
import { unpackedProgram } from '../../test/stage/programs/programs.ts'

const folder = join(root, 'docs/monitoring')
const found = await unpackedProgram('usr/bin/promtool', 'prometheus')

async function promtool(...parameters: readonly string[]): Promise<string> {
  const program = 'program' in found ? found.program : ''
  const { stdout, stderr } = await promisify(execFile)(program, parameters, { cwd: folder })
  return stdout + stderr
}

describe('promtool', { skip: 'missing' in found && found.missing }, () => {
  test('finds nothing wrong with the rules', async () => {
    assert.match(await promtool('check', 'rules', 'alerts.yml'), /SUCCESS: \d+ rules found/)
  })

  test('finds nothing wrong with the configuration of compose.observe.yml', async () => {
    const place = mkdtempSync(join(tmpdir(), 'ari-prometheus-'))
    try {
      copyFileSync(join(root, 'deploy/compose/prometheus.yml'), join(place, 'prometheus.yml'))
      copyFileSync(join(folder, 'alerts.yml'), join(place, 'ari-alerts.yml'))
      assert.match(await promtool('check', 'config', join(place, 'prometheus.yml')), /SUCCESS: 1 rule files/)
    } finally {
      rmSync(place, { recursive: true })
    }
  })

  test('sees each alert fire in its case, and no other', async () => {
    assert.match(await promtool('test', 'rules', 'alerts-test.yml'), /SUCCESS/)
  })
})

test('each alert has a case in which it fires', () => {
  const alerts = [...readFileSync(join(folder, 'alerts.yml'), 'utf8').matchAll(/^ {6}- alert: (\w+)$/gm)]
  const cases = JSON.stringify(parse(readFileSync(join(folder, 'alerts-test.yml'), 'utf8')))
  assert.ok(alerts.length > 20)
  assert.deepEqual(
    alerts.map(([, name = '']) => name).filter((name) => !cases.includes(`\\"${name}\\"`)),
    [],
  )
})
