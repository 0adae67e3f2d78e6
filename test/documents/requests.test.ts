/**
 * The importable collection of requests: it matches the contract, and each request is sent as an editor
 * would.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { requestCollection, requestsPath } from '../../scripts/write-requests.ts'
import { startExampleSupplier } from '../stage/scenes/examples.ts'
import { startGateway } from '../stage/harness.ts'

const file = readFileSync(join(resolve(import.meta.dirname, '../..'), requestsPath), 'utf8')

type Request = {
  title: string
  expected: number
  method: string
  url: string
  headers: Headers
  body: string
}

/**
 * Parses the common part of both dialects: `###` between requests, `@name = value`, `{{name}}`, an empty line
 * before a body.
 */
function requestsIn(text: string, own: Readonly<Record<string, string>>): Request[] {
  const variables = new Map(
    [...text.matchAll(/^@(\w+) = (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
  for (const [name, value] of Object.entries(own)) {
    assert.ok(variables.has(name), name)
    variables.set(name, value)
  }
  const resolved = text.replaceAll(/\{\{(\w+)\}\}/g, (all, name: string) => variables.get(name) ?? all)
  return resolved
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [above = '', ...below] = part.split('\n\n')
      const [title = '', ...lines] = above.trimEnd().split('\n')
      const [line = '', ...headers] = lines.filter((one) => !one.startsWith('#'))
      const [, method = '', url = ''] = /^([A-Z]+) (\S+)$/.exec(line) ?? []
      return {
        title,
        expected: Number(/^# expect (\d{3})$/m.exec(above)?.[1]),
        method,
        url,
        headers: new Headers(
          headers.map((header): [string, string] => [
            header.slice(0, header.indexOf(':')),
            header.slice(header.indexOf(':') + 1).trim(),
          ]),
        ),
        body: below.join('\n\n').trim(),
      }
    })
}

test('the collection of requests is that of the contract', () => {
  assert.ok(file === requestCollection(), 'npm run write:requests brings it up to date')
})

test('each request of the collection, from top to bottom, is answered as it says', async () => {
  const outside = await startExampleSupplier()
  const gateway = await startGateway(outside)
  try {
    const { apiKey } = await gateway.supplier('Collection')
    const own = { host: gateway.url, apiKey, token: await gateway.token('platform') }
    const wrong: string[] = []
    for (const { title, expected, method, url, headers, body } of requestsIn(file, own)) {
      const response = await fetch(url, { method, headers, ...(body === '' ? {} : { body }) })
      const text = await response.text()
      if (response.status !== expected)
        wrong.push(`${title}: ${response.status}, not ${expected}: ${text.slice(0, 300)}`)
    }
    assert.deepEqual(wrong, [])
  } finally {
    await gateway.stop()
    await outside.close()
  }
})
