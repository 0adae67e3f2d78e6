import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from 'node:crypto'
import { buildConsole } from '../../scripts/build-console.ts'
import { firstScript } from '../../src/console-api/web/mount-console.ts'
import { webFolder } from '../../src/console-api/web/build.ts'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../test/stage/files.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'

await buildConsole()
const gateway = await gatewayForTests()

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${gateway.url}${path}`, { headers })
  return { response, status: response.status, headers: response.headers, text: await response.text() }
}
const hashOf = (script: string) =>
  `'sha256-${hash('sha256', script.replace(/^<script>|<\/script>$/g, ''), 'base64')}'`
const nonceOf = (policy: string | null) => /'nonce-([^']+)'/.exec(policy ?? '')?.[1] ?? ''

test('/console and the paths below it are one page, with a policy and a nonce of its own each time', async () => {
  const first = await get('/console')
  const second = await get('/console/hotels/7/calendar?from=2027-03-01')
  for (const { status, headers, text } of [first, second]) {
    const nonce = nonceOf(headers.get('content-security-policy'))
    assert.match(nonce, /^[A-Za-z0-9+/]{22}==$/)
    assert.deepEqual(
      {
        status,
        type: headers.get('content-type'),
        policy: headers.get('content-security-policy'),
        cache: headers.get('cache-control'),
        sniff: headers.get('x-content-type-options'),
        frames: headers.get('x-frame-options'),
        referrer: headers.get('referrer-policy'),
      },
      {
        status: 200,
        type: 'text/html; charset=utf-8',
        policy: `default-src 'none'; script-src 'self' ${hashOf(firstScript)}; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
        cache: 'no-store',
        sniff: 'nosniff',
        frames: 'DENY',
        referrer: 'no-referrer',
      },
    )
    assert.ok(text.includes(`nonce="${nonce}"`))
    assert.ok(text.includes(`<head>${firstScript}`))
    assert.doesNotMatch(text.replace(firstScript, ''), /<script(?![^>]*\bsrc=)|\bon\w+=|style=|https?:\/\//)
  }
  assert.notEqual(
    nonceOf(first.headers.get('content-security-policy')),
    nonceOf(second.headers.get('content-security-policy')),
  )
})

test('a page names its build, and a request without a session tells which build is served now', async () => {
  const { text } = await get('/console')
  const [, build = ''] = /<meta name="console-build" content="([0-9a-f]{64})"/.exec(text) ?? []
  const head = await fetch(`${gateway.url}/console`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('x-console-build')], [200, build])
})

test('its files are there for ever, compressed as the browser takes them', async () => {
  const { text } = await get('/console')
  const names = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, name = '']) => name)
  assert.ok(names.length >= 2)
  for (const name of names) {
    const plain = await get(name, { 'accept-encoding': 'identity' })
    for (const encoding of ['br', 'gzip', undefined]) {
      const sent = await get(name, { 'accept-encoding': encoding ?? 'identity' })
      assert.deepEqual(
        [sent.status, sent.headers.get('content-encoding') ?? undefined, sent.text === plain.text],
        [200, encoding, true],
      )
      assert.equal(sent.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(sent.headers.get('vary'), 'accept-encoding')
    }
  }
  assert.equal((await get('/console/icon.svg')).headers.get('content-type'), 'image/svg+xml')
})

test('its files are sent as HTTP has it: heads, parts, what has not changed, and no encoding that is refused', async () => {
  const { text } = await get('/console')
  const [, name = ''] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(text) ?? []
  const plain = await get(name, { 'accept-encoding': 'identity' })
  const about = ({ headers }: { headers: Headers }) =>
    ['content-type', 'content-length', 'cache-control', 'vary', 'etag', 'x-content-type-options'].map(
      (member) => headers.get(member),
    )
  assert.equal(plain.headers.get('content-type'), 'application/javascript; charset=utf-8')
  const head = await fetch(`${gateway.url}${name}`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'identity' },
  })
  assert.deepEqual([head.status, await head.text(), about(head)], [200, '', about(plain)])

  const etag = plain.headers.get('etag') ?? ''
  // fetch itself would ask for the whole with `no-cache`.
  const known = { 'if-none-match': etag, 'cache-control': 'max-age=0' }
  const unchanged = await get(name, { 'accept-encoding': 'identity', ...known })
  assert.deepEqual([unchanged.status, unchanged.text.length], [304, 0])
  const part = await get(name, { 'accept-encoding': 'identity', range: 'bytes=10-29' })
  assert.deepEqual([part.status, part.text], [206, plain.text.slice(10, 30)])

  const refused = await get(name, { 'accept-encoding': 'br;q=0, gzip' })
  assert.deepEqual([refused.headers.get('content-encoding'), refused.text === plain.text], ['gzip', true])
})

test('a missing file is 404, not a page', async () => {
  const { text } = await get('/console')
  const [, script = ''] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(text) ?? []
  const paths = [
    `${script}.br`,
    `${script}.gz`,
    '/console/assets/.js',
    '/console/assets/none-12345678.js',
    '/console/assets/..%2findex.html',
    '/console/assets/%2e%2e%2fbuilt-from.txt',
    '/console/built-from.txt',
    '/console/.vite/manifest.json',
    '/console/api',
    '/console/api/no-such-thing',
    '/consoles',
  ]
  for (const path of paths) {
    const { status, headers } = await get(path)
    assert.deepEqual(
      [path, status, headers.get('content-type')],
      [path, 404, 'application/json; charset=utf-8'],
    )
  }
})

test('below a path, the page says so, and its files are there', async () => {
  const below = await gatewayForTests({ publicUrl: 'https://apps.example.com/ari' })
  for (const prefix of ['', '/ari']) {
    const text = await (await fetch(`${below.url}${prefix}/console/hotels/7`)).text()
    assert.match(text, /<meta name="path-prefix" content="\/ari"/)
    assert.doesNotMatch(text, /PATH_PREFIX|%25/)
    const names = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name)
    assert.ok(names.length >= 3)
    for (const name of names) {
      assert.match(name, /^\/ari\/console\//)
      const { status } = await fetch(`${below.url}${name.replace('/ari', prefix)}`)
      assert.deepEqual([name, status], [name, 200])
    }
  }
})

test('the build knows nothing of where it was made, or of where it runs', () => {
  const files = globSync('**/*.{html,js,css,json}', { cwd: webFolder })
  assert.ok(files.length > 20)
  // Names of XML vocabularies, pages that explain errors of the libraries, and what a router without a browser says.
  const known =
    /^https?:\/\/(?:(?:www\.w3\.org|react\.dev|react\.i18next\.com|mantine\.dev)(?:\/|$)|localhost$)/
  const places = [root, '127.0.0.1', 'localhost:', 'process.env', 'NODE_ENV']
  for (const file of files) {
    const text = readFileSync(join(webFolder, file), 'utf8')
    const urls = [...text.matchAll(/https?:\/\/[^\s"'`)\\]+/g)].map(([url]) => url)
    assert.deepEqual(
      urls.filter((url) => !known.test(url)),
      [],
      file,
    )
    assert.deepEqual(
      places.filter((place) => text.includes(place)),
      [],
      file,
    )
    // Paths of the service are put behind its prefix.
    assert.doesNotMatch(text, /["'`]\/(?:console|docs|v1|openapi\.json)\b/, file)
  }
})
