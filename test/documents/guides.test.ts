import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { gatewayForTests } from '../stage/harness.ts'

/** The guides as a browser gets them, and their links, which must work on disk too. */

const docs = resolve(import.meta.dirname, '../../docs')
const slugs = globSync('*.md', { cwd: docs })
  .map((file) => (file === 'README.md' ? '' : `/${file.replace(/\.md$/, '')}`))
  .sort()

const gateway = await gatewayForTests()

const get = (path: string) => fetch(`${gateway.url}${path}`, { redirect: 'manual' })
const page = async (slug: string) =>
  (await get(slug === '/changelog' ? '/docs/changelog' : `/docs/guides${slug}`)).text()

test('every guide is a page of its own, with itself marked in the list of all', async () => {
  for (const slug of slugs) {
    const response = await get(`/docs/guides${slug}`)
    const html = await response.text()
    assert.deepEqual(
      { status: response.status, type: response.headers.get('content-type') },
      { status: 200, type: 'text/html; charset=utf-8' },
      slug,
    )
    assert.match(html, /<title>[^<]+ · ARI gateway<\/title>/)
    const marked = [...html.matchAll(/<a href="([^"]+)" aria-current="page">/g)].map((match) => match[1])
    assert.deepEqual(marked, slug === '' ? [] : [`/docs/guides${slug}`])
  }
  const listed = [...(await page('')).matchAll(/<li><a href="\/docs\/guides(\/[\w-]+)">/g)].map(
    (match) => match[1] ?? '',
  )
  assert.deepEqual([...new Set(listed)].sort(), slugs.slice(1))
})

test('a page asks nobody else for anything, and runs nothing that stands in it', async () => {
  for (const slug of slugs) {
    const response = await get(`/docs/guides${slug}`)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(
      policy,
      /default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;connect-src 'self'/,
    )
    const html = await response.text()
    const loaded = [...html.matchAll(/<(?:script|img|link)\b[^>]*?(?:src|href)="([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    )
    assert.deepEqual(
      loaded.filter((address) => !address.startsWith('/docs/guides/') && !address.startsWith('data:')),
      [],
    )
    assert.doesNotMatch(html, /<script(?![^>]*src=)|\sstyle="|\son\w+="/)
  }
})

test('every link leads to something that there is, in the browser and on disk', async () => {
  const idsBySlug = new Map<string, Set<string>>()
  for (const slug of [...slugs, '/changelog']) {
    const ids = [...(await page(slug)).matchAll(/\sid="([^"]+)"/g)].map((match) => match[1] ?? '')
    assert.equal(new Set(ids).size, ids.length, `${slug}: no id twice`)
    idsBySlug.set(slug, new Set(ids))
  }
  const broken: string[] = []
  for (const slug of slugs) {
    for (const [, address = ''] of (await page(slug)).matchAll(/<(?:a|img)\b[^>]*?(?:src|href)="([^"]+)"/g)) {
      if (/^(?:https:|data:)/.test(address)) continue
      const { pathname, hash } = new URL(address, `http://guides/docs/guides${slug}`)
      const target = pathname.replace(/^\/docs(?:\/guides|(?=\/changelog$))/, '')
      const ids = idsBySlug.get(target)
      const isThere = ids ? hash === '' || ids.has(hash.slice(1)) : (await get(pathname)).status === 200
      if (!isThere) broken.push(`${slug}: ${address}`)
    }
  }
  for (const file of globSync('*.md', { cwd: docs })) {
    for (const [, address = ''] of readFileSync(join(docs, file), 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (!address.startsWith('https:') && !existsSync(join(docs, address)))
        broken.push(`${file}: ${address}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('the changelog is a page beside the guides, to which every page leads', async () => {
  const response = await get('/docs/changelog')
  const html = await response.text()
  assert.deepEqual(
    { status: response.status, type: response.headers.get('content-type') },
    { status: 200, type: 'text/html; charset=utf-8' },
  )
  assert.match(html, /<title>Changelog · ARI gateway<\/title>/)
  assert.match(html, /<a href="\/docs\/changelog" aria-current="true">Changelog<\/a>/)
  for (const slug of slugs) assert.match(await page(slug), /<a href="\/docs\/changelog">Changelog<\/a>/)
  const former = await get('/docs/guides/changelog')
  assert.equal(new URL(former.headers.get('location') ?? '', gateway.url).pathname, '/docs/changelog')
  const document = JSON.parse(await (await get('/openapi.json')).text())
  assert.match(document.info.description, /\(\/docs\/changelog\)/)
})

test('the guide of terms says what a platform does with unknown ones, and that fees are due by guests who stay', async () => {
  const html = (await page('/terms')).replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')
  for (const said of [
    'What a platform does with it:',
    'Don’t show it as free, and don’t filter it as refundable.',
    'When a guest cancels, ask the hotel what it charges.',
    'fees of a policy are due at the property by guests who stay',
  ])
    assert.ok(html.replaceAll('&#39;', "'").replaceAll("'", '’').includes(said), said)
})

test('each type of error has a place of its own, so that a page can link to it', async () => {
  const html = await page('/errors')
  for (const type of ['WRONG_TYPE', 'ROOM_NOT_FOUND', 'MALFORMED_JSON'])
    assert.match(html, new RegExp(`<tr id="${type}"><td><code>${type}</code>`))
})

test('headings and types of errors of all guides can be searched', async () => {
  const found: { text: string }[] = JSON.parse(await (await get('/docs/guides/headings.json')).text())
  assert.ok(found.length > 150)
  assert.deepEqual(
    found.filter(({ text }) => ['Rounding', 'The vault key', 'WRONG_TYPE'].includes(text)),
    [
      { guide: 'Errors', text: 'WRONG_TYPE', href: '/docs/guides/errors#WRONG_TYPE' },
      { guide: 'Security', text: 'The vault key', href: '/docs/guides/security#the-vault-key' },
    ],
  )
})

test('pictures and samples are served as what they are, and nothing outside their folders', async () => {
  const typeOf = async (path: string) => {
    const response = await get(path)
    await response.arrayBuffer()
    return `${response.status} ${response.headers.get('content-type')}`
  }
  assert.deepEqual(
    {
      picture: await typeOf('/docs/guides/images/night.svg'),
      sample: await typeOf('/docs/guides/samples/receiver.php'),
      absent: await typeOf('/docs/guides/samples/none.py'),
      outside: await typeOf('/docs/guides/images/..%2FREADME.md'),
      noGuide: await typeOf('/docs/guides/none'),
    },
    {
      picture: '200 image/svg+xml',
      sample: '200 text/plain; charset=utf-8',
      absent: '404 text/plain; charset=utf-8',
      outside: '404 text/plain; charset=utf-8',
      noGuide: '404 text/html; charset=utf-8',
    },
  )
})

test('the API reference and the guides lead to each other', async () => {
  const document = JSON.parse(await (await get('/openapi.json')).text())
  assert.match(document.info.description, /\(\/docs\/guides\)/)
  assert.match(await page(''), /<a href="\/docs\/reference">API reference<\/a>/)
})

test('the front page /docs is the index: the picture of the whole, and a door for each reader', async () => {
  const html = await (await get('/docs')).text()
  assert.equal(html, await page(''))
  assert.match(html, /<img src="\/docs\/guides\/images\/overview\.svg" alt="Who calls whom[^"]{100,}">/)
  const doors = html.split('<div class="doors">')[1]?.split('</div>\n</div>')[0] ?? ''
  const links = doors.split('<h3 ').slice(1)
  assert.deepEqual(
    links.map((door) => door.match(/<li>/g)?.length),
    [4, 4, 4],
  )
})

test('the API reference shows no placeholder that looks like a real secret', async () => {
  const script = await (await get('/docs/reference.js')).text()
  // ALL YOUR BASE ARE BELONG TO US, in base64.
  assert.equal(script.includes('QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT'), false)
  assert.equal(script.includes('your-key-here'), true)
})
