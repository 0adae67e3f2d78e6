import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, test } from 'node:test'
import { gatewayForTests } from '../stage/harness.ts'
import { root } from '../stage/files.ts'
import { startOpenIdProvider } from '../stage/servers/openid-provider.ts'
import { browser, linkOf, said } from '../stage/sign-in.ts'

/** A service at https://apps.example.com/ari, as its proxy reaches it: with the prefix, or without it. */

const publicUrl = 'https://apps.example.com/ari'
const variants = { 'the proxy removes the prefix': '', 'the proxy passes it through': '/ari' }

const provider = await startOpenIdProvider()
const { issuer, clientId, clientSecret } = provider
const gateway = await gatewayForTests({
  publicUrl,
  console: { oidc: { issuer, clientId, clientSecret, newcomerRole: 'viewer' } },
})
provider.nowMs = () => gateway.clock.now()
after(() => provider.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { redirect: 'manual', headers })
const jsonOf = async (path: string) => JSON.parse(await (await get(path)).text())
const asSeen = (url: string, prefix: string): string => {
  assert.ok(url.startsWith('/ari/'), url)
  return url.replace('/ari', prefix)
}

for (const [name, prefix] of Object.entries(variants)) {
  test(`redirects stay below the prefix: ${name}`, async () => {
    const targets = {
      '/': '/ari/docs',
      '/docs/': '/ari/docs',
      '/docs/reference/': '/ari/docs/reference',
      '/docs/guides/': '/ari/docs/guides',
      '/docs/guides/changelog': '/ari/docs/changelog',
    }
    for (const [path, target] of Object.entries(targets)) {
      const { status, headers } = await get(`${prefix}${path}`)
      assert.deepEqual([path, status, headers.get('location')], [path, 302, target])
    }
    if (prefix !== '')
      for (const path of [prefix, `${prefix}?x=1`])
        assert.equal((await get(path)).headers.get('location'), '/ari/docs', path)
  })

  test(`everything that the pages of the documentation load or link to is there: ${name}`, async () => {
    const guides = globSync('docs/*.md', { cwd: root }).map((file) =>
      file === 'docs/README.md'
        ? '/docs/guides'
        : `/docs/guides/${file.slice('docs/'.length, -'.md'.length)}`,
    )
    const linked = new Set<string>()
    for (const path of ['/docs', '/docs/reference', '/docs/changelog', ...guides]) {
      const response = await get(`${prefix}${path}`)
      assert.equal(response.status, 200, path)
      const html = await response.text()
      for (const [, url = ''] of html.matchAll(/\b(?:src|href)="(\/[^"#]*)/g)) linked.add(url)
    }
    const headings: { href: string }[] = await jsonOf(`${prefix}/docs/guides/headings.json`)
    for (const { href } of headings) linked.add(href.replace(/#.*/, ''))
    assert.ok(linked.size > guides.length)
    for (const url of linked) assert.equal((await get(asSeen(url, prefix))).status, 200, url)
    assert.match(await (await get(`${prefix}/docs/start.js`)).text(), /"url": "\/ari\/openapi\.json"/)
    const document = await jsonOf(`${prefix}/openapi.json`)
    assert.equal(document.servers[0].url, '/ari/v1')
    const links = [...document.info.description.matchAll(/\]\((\/[^)]+)\)/g)].map(([, url]) => url)
    assert.equal(links.length, 3)
    for (const url of links) assert.equal((await get(asSeen(url, prefix))).status, 200, url)
  })

  test(`a link signs in once, with a cookie for the prefix alone, although the proxy changes Host: ${name}`, async () => {
    const person = browser(`${gateway.url}${prefix}`, { origin: 'https://apps.example.com' })
    const { name: operator } = await gateway.operator('viewer')
    const reply = await person.signInByLink(await linkOf(gateway, operator))
    assert.match(
      reply.headers.getSetCookie().join(),
      /^__Secure-ari_console=[A-Za-z0-9_-]{43}; Path=\/ari; Secure; HttpOnly; SameSite=Strict$/,
    )
    assert.equal((await person.get('/me')).body['name'], operator)
    const ended = await person.post('/sign-out', undefined)
    assert.deepEqual(ended.headers.getSetCookie(), [
      '__Secure-ari_console=; Path=/ari; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    ])
    const stranger = browser(`${gateway.url}${prefix}`, { origin: 'https://other.example.com' })
    assert.deepEqual(said(await stranger.signInByLink(await linkOf(gateway, operator))), {
      status: 403,
      type: 'FOREIGN_SITE',
      message: 'The request came from another site',
    })
  })

  test(`the OpenID provider sends people back below the prefix: ${name}`, async () => {
    const below = (url: string): string => {
      assert.ok(url.startsWith(`${publicUrl}/`), url)
      return url.slice('https://apps.example.com'.length).replace('/ari', prefix)
    }
    provider.claims = {
      sub: `maria-${prefix}`,
      email: `maria${prefix.length}@example.com`,
      email_verified: true,
    }
    const { oidc } = await jsonOf(`${prefix}/console/api/sign-in/ways`)
    assert.equal(oidc.path, '/ari/console/api/sign-in/oidc')
    const begun = await get(asSeen(oidc.path, prefix))
    const [cookie = ''] = begun.headers.getSetCookie()
    assert.match(cookie, /^__Secure-ari_oidc=\S+; Path=\/ari; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/)
    const back = provider.visit(begun.headers.get('location') ?? '')
    assert.match(back, /^https:\/\/apps\.example\.com\/ari\/console\/api\/sign-in\/oidc\/callback\?/)
    const ended = await get(below(back), { cookie: cookie.split(';')[0] ?? '' })
    assert.deepEqual([ended.status, ended.headers.get('location')], [303, '/ari/console'])
    assert.match(ended.headers.getSetCookie()[0] ?? '', /^__Secure-ari_console=\S+; Path=\/ari; /)
    const again = await get(below(back))
    assert.equal(again.headers.get('location'), '/ari/console/sign-in?problem=expired')
  })

  test(`the API answers below the prefix: ${name}`, async () => {
    const supplier = await gateway.supplier(`Acme${prefix}`)
    const response = await get(`${prefix}/v1/push/limits`, { 'x-api-key': supplier.apiKey })
    assert.equal(response.status, 200)
    const missing = await get(`${prefix}/v1/push/limit`)
    assert.equal(missing.status, 404)
  })
}

test('a path that only begins with the letters of the prefix is another one', async () => {
  for (const path of ['/arid/docs', '/ariv1/push/limits', '/ari/ari/docs', '/ar'])
    assert.equal((await get(path)).status, 404, path)
})

test('what is for the port alone, or encoded, is unknown below the prefix: a proxy that removes it can keep paths back', async () => {
  assert.equal((await get('/livez')).status, 200)
  for (const path of ['/livez', '/readyz', '/metrics', '/metrics?x=1', '/%6detrics', '/%63onsole/'])
    assert.equal((await get(`/ari${path}`)).status, 404, path)
})

test('without a prefix there is none: its path is unknown', async () => {
  const bare = await gatewayForTests({ publicUrl: 'https://ari.example.com' })
  assert.equal((await fetch(`${bare.url}/ari/docs`)).status, 404)
  const { headers } = await fetch(bare.url, { redirect: 'manual' })
  assert.equal(headers.get('location'), '/docs')
})

test('the address of an error in the guide is below the prefix', async () => {
  const { errors } = await jsonOf('/v1/push/nothing')
  assert.equal(errors[0].docUrl, '/ari/docs/guides/errors#NO_SUCH_ENDPOINT')
  assert.equal((await get(errors[0].docUrl)).status, 200)
})
