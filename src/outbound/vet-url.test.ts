import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  carriersOf,
  publicAddresses,
  refusedUrls,
  specialIpv4,
  specialIpv6,
} from '../../test/stage/scenes/refused-urls.ts'
import { startNameServer } from '../../test/stage/servers/name-server.ts'
import {
  dnsResolve,
  isAllowableNetwork,
  loopbackNetworks,
  mayConnect,
  parseUrl,
  resolveAsSystem,
  vetUrl,
  type Resolve,
} from './vet-url.ts'

const resolveTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses

test('no special address may be connected to, carried in IPv6 or not', () => {
  const special = [...specialIpv4, ...specialIpv6, ...specialIpv4.flatMap(carriersOf)]
  assert.deepEqual(
    special.filter((address) => mayConnect(address, [])),
    [],
  )
})

test('public addresses may be connected to, up to the edges of the special ranges', () => {
  assert.deepEqual(
    publicAddresses.filter((address) => !mayConnect(address, [])),
    [],
  )
})

test('invalid answers of a resolver are never used as addresses', () => {
  const odd = [
    '',
    'localhost',
    '1',
    '0x7f.1',
    '0177.0.0.1',
    '010.0.0.1',
    '1.1.1.1 ',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    '1.1.1.1/8',
  ]
  for (const networks of [[], loopbackNetworks]) {
    assert.deepEqual(
      odd.filter((address) => mayConnect(address, networks)),
      [],
    )
  }
})

const allSpecial = [...specialIpv4, ...specialIpv6]

test('for local trials this machine is allowed, and no other special address', () => {
  const allowed = allSpecial.filter((address) => mayConnect(address, loopbackNetworks))
  assert.deepEqual(allowed, ['127.0.0.1', '127.255.255.254', '::1'])
})

test('a network that is named is let through as far as it goes, and never the addresses of cloud metadata', () => {
  const networks = ['10.0.0.0/9', '192.168.0.0/31', '100.64.0.0/10', 'fc00::/8', 'fd00::/8']
  assert.ok(networks.every(isAllowableNetwork))
  assert.deepEqual(
    [
      ...allSpecial,
      '10.128.0.0',
      '192.168.0.2',
      '100.100.100.200',
      'fd00:ec2::254',
      '::ffff:10.0.0.1',
    ].filter((address) => mayConnect(address, networks)),
    [
      '10.0.0.1',
      '100.64.0.1',
      '100.127.255.255',
      '192.168.0.1',
      'fc00::1',
      'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    ],
  )
})

test('only private networks may be allowed, written as a network', () => {
  const refused = [
    '0.0.0.0/0',
    '10.0.0.0/7',
    '10.0.0.1',
    '10.0.0.0/33',
    '169.254.0.0/16',
    '169.254.169.254/32',
    '224.0.0.0/4',
    '93.184.216.0/24',
    '172.16.0.0/11',
    '::/0',
    '::/128',
    'fe80::/10',
    '::ffff:10.0.0.0/104',
    '2000::/3',
    'localhost/8',
    '10/8',
    '',
  ]
  assert.deepEqual(refused.filter(isAllowableNetwork), [])
})

test('every URL of the corpus is refused without a look at what its name resolves to', async () => {
  const urls = refusedUrls()
  assert.ok(urls.length >= 500, `${urls.length} URLs`)
  let resolved = 0
  const resolve: Resolve = async () => {
    resolved++
    return ['93.184.216.34']
  }
  const accepted: string[] = []
  for (const url of urls) {
    if (!('fault' in (await vetUrl(url, { privateNetworks: [], resolve })))) accepted.push(url)
  }
  assert.deepEqual([accepted, resolved], [[], 0])
})

test('a name is refused when any of its addresses is special, wherever that one stands', async () => {
  const special = [...specialIpv4, ...specialIpv6, ...specialIpv4.flatMap(carriersOf)]
  for (const address of special) {
    for (const addresses of [[address], ['1.1.1.1', address], [address, '2606:4700:4700::1111']]) {
      const vetted = await vetUrl('https://pms.example.com/', {
        privateNetworks: [],
        resolve: resolveTo(...addresses),
      })
      assert.deepEqual(vetted, { fault: { kind: 'privateAddress' } }, addresses.join())
    }
  }
})

test('a URL that may be called comes with all the addresses that were vetted', async () => {
  const addresses = ['93.184.216.34', '2606:4700:4700::1111']
  assert.deepEqual(
    await vetUrl('https://PMS.example.com:443/ari?x=1', {
      privateNetworks: [],
      resolve: resolveTo(...addresses),
    }),
    { href: 'https://pms.example.com/ari?x=1', host: 'pms.example.com', isAddress: false, addresses },
  )
  const none: Resolve = async () => assert.fail('an address is not resolved')
  assert.deepEqual(
    await vetUrl('https://[2606:4700:4700::1111]:8443/', { privateNetworks: [], resolve: none }),
    {
      href: 'https://[2606:4700:4700::1111]:8443/',
      host: '2606:4700:4700::1111',
      isAddress: true,
      addresses: ['2606:4700:4700::1111'],
    },
  )
})

test('a name without an address, with an error, or with more addresses than anybody has, is unresolved', async () => {
  const unresolved: Resolve[] = [
    resolveTo(),
    async () => {
      throw new Error('ENOTFOUND')
    },
    resolveTo(...Array.from({ length: 101 }, () => '1.1.1.1')),
  ]
  for (const resolve of unresolved) {
    assert.deepEqual(await vetUrl('https://pms.example.com/', { privateNetworks: [], resolve }), {
      fault: { kind: 'unresolved' },
    })
  }
})

test('a name server that never answers is not waited for beyond the deadline', async () => {
  const resolve: Resolve = () => new Promise(() => {})
  assert.deepEqual(await vetUrl('https://pms.example.com/', { privateNetworks: [], resolve }), {
    fault: { kind: 'unresolved' },
  })
})

test('names are resolved by name servers to IPv4 and IPv6; many without an answer delay no other', async () => {
  const addresses = { A: ['93.184.216.34'], AAAA: ['2606:4700:4700::1111'] }
  const server = await startNameServer((name, type) =>
    name === 'pms.example.com' ? addresses[type] : undefined,
  )
  try {
    const rules = { privateNetworks: [], resolve: dnsResolve([server.address]) }
    const done: string[] = []
    const silent = Array.from({ length: 40 }, async (_, index) => {
      const vetted = await vetUrl(`https://silent-${index}.example.com/`, rules)
      assert.deepEqual(vetted, { fault: { kind: 'unresolved' } })
      done.push('silent')
    })
    const vetted = await vetUrl('https://pms.example.com/', rules)
    assert.deepEqual('fault' in vetted || vetted.addresses, ['93.184.216.34', '2606:4700:4700::1111'])
    done.push('known')
    await Promise.all(silent)
    assert.deepEqual([done.length, done[0]], [41, 'known'])
  } finally {
    server.close()
  }
})

test('the system resolves names of this machine to every address it has for them', async () => {
  const found = await resolveAsSystem('localhost', new AbortController().signal)
  assert.ok(found.includes('127.0.0.1') || found.includes('::1'))
})

test('for local tries http, single names and port 80 are allowed, credentials and odd forms still are not', () => {
  for (const url of [
    'http://localhost:3000/a',
    'http://127.0.0.1/a',
    'http://[::1]:3000/',
    'http://pms:80/',
    'https://127.0.0.2/',
  ]) {
    assert.ok(!('fault' in parseUrl(url, loopbackNetworks)), url)
  }
  const kindOf = (url: string): string => {
    const parsed = parseUrl(url, loopbackNetworks)
    return 'fault' in parsed ? parsed.fault.kind : 'accepted'
  }
  assert.deepEqual(
    [
      'http://a@localhost/',
      'http://127.1/',
      'http://169.254.169.254/',
      'http://localhost./',
      'ftp://localhost/',
      'http://pms:22/',
    ].map(kindOf),
    ['credentials', 'hostForm', 'privateAddress', 'trailingDot', 'notHttps', 'port'],
  )
})
