/**
 * URLs that the service must never call: every kind of address that is not on the public internet, in every way of
 * writing it that some parser reads, and tricks with the rest of the URL. Made rather than listed, so that a new range
 * or a new way of writing covers all of the other.
 */

/** One or two of each special range of IPv4, at its edges where that is where checks go wrong. */
export const specialIpv4 = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.255',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
] as const

export const specialIpv6 = [
  '::',
  '::1',
  '::2',
  '100::1',
  '1fff:ffff::1',
  '2001::1',
  '2001:2::1',
  '2001:3::1',
  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:30::1',
  '2001:db8::1',
  '2002::1',
  '2620:4f:8000::1',
  '3fff::1',
  '3ffe::1',
  '4000::1',
  '5f00::1',
  '64:ff9b::1',
  '64:ff9b:1::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  'fe80::1',
  'febf:ffff::1',
  'fec0::1',
  'ff02::1',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '::ffff:0:127.0.0.1',
] as const

/** Public addresses, so that a check that refuses everything is seen too. */
export const publicAddresses = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
] as const

/** IPv6 addresses that carry an IPv4 address, which a gateway on the way would take out again. */
export function carriersOf(ipv4: string): string[] {
  const [high, low] = halvesOf(ipv4)
  const [notHigh, notLow] = halvesOf(
    bytesOf(ipv4)
      .map((byte) => 255 - byte)
      .join('.'),
  )
  return [
    `::ffff:${ipv4}`,
    `::ffff:${high}:${low}`,
    `::${ipv4}`,
    `64:ff9b::${ipv4}`,
    `64:ff9b:1::${ipv4}`,
    `2002:${high}:${low}::1`,
    `2001:0:4136:e378:8000:63bf:${notHigh}:${notLow}`,
    `2606:4700::5efe:${ipv4}`,
    `2606:4700::200:5efe:${ipv4}`,
  ]
}

/** The same IPv4 address in other number forms. */
export function spellingsOf(ipv4: string): string[] {
  const bytes = bytesOf(ipv4)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (value: number): string => `0x${value.toString(16)}`
  const octal = (value: number): string => `0${value.toString(8)}`
  return [
    String(whole),
    hex(whole),
    octal(whole),
    bytes.map(hex).join('.'),
    bytes.map(octal).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    `${ipv4}.`,
    [...ipv4].map((character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
    // Full-width digits, which the URL standard maps to plain ones.
    [...ipv4]
      .map((character) => (character === '.' ? '。' : String.fromCodePoint(character.charCodeAt(0) + 0xfee0)))
      .join(''),
  ]
}

/** Names that mean this machine or its network, whatever they resolve to. */
const privateNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost.localdomain',
  'a.localhost',
  'metadata',
  'metadata.google.internal',
  'router.local',
  'intranet',
  'db.internal',
  'host.docker.internal',
  'wiki.intranet',
  'vault.private',
  'mail.corp',
  'nas.home',
  'router.home.arpa',
  'printer.lan',
  '1.0.0.127.in-addr.arpa',
  'pms.test',
  'pms.invalid',
  'hidden.onion',
  'name.alt',
  'pms.example.com.',
  'pms..example.com',
  '.example.com',
  '-pms.example.com',
  'pms-.example.com',
  `${'a'.repeat(64)}.example.com`,
  `${'a.'.repeat(130)}com`,
  'ⓛocalhost',
  'ｌｏｃａｌｈｏｓｔ',
  'loc%61lhost',
  'pms.bücher.example.com',
  'pms。example。com',
]

/** Whole URLs with something wrong elsewhere than in the host. */
const oddUrls = [
  '',
  ' ',
  'https',
  'https:',
  'https://',
  'https:///',
  'https:pms.example.com',
  'https:/pms.example.com',
  'https:///pms.example.com',
  'https:\\\\pms.example.com\\x',
  'https://pms.example.com\\@127.0.0.1/',
  '//pms.example.com/x',
  'pms.example.com/x',
  'http://pms.example.com/x',
  'HTTP://pms.example.com/x',
  'ftp://pms.example.com/x',
  'ws://pms.example.com/x',
  'wss://pms.example.com/x',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_INFO',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'unix:///var/run/docker.sock',
  'jar:https://pms.example.com!/',
  'https://user@pms.example.com/x',
  'https://user:secret@pms.example.com/x',
  'https://:secret@pms.example.com/x',
  'https://@pms.example.com/x',
  'https://pms.example.com@127.0.0.1/x',
  'https://127.0.0.1@pms.example.com/x',
  'https://pms.example.com%40127.0.0.1/x',
  'https://pms.example.com:443@127.0.0.1/x',
  'https://pms.example.com#@127.0.0.1/x',
  'https://pms.example.com/x#fragment',
  'https://pms.example.com/x#',
  'https://pms.example.com:0/x',
  'https://pms.example.com:22/x',
  'https://pms.example.com:25/x',
  'https://pms.example.com:80/x',
  'https://pms.example.com:1023/x',
  'https://pms.example.com:65536/x',
  'https://pms.example.com:99999/x',
  'https://pms.example.com:/x',
  'https://pms.example.com:-1/x',
  'https://pms.example.com:4 43/x',
  'https://pms.example.com:443:443/x',
  'https://pms.example.com:0x1bb/x',
  'https://pms.example.com /x',
  'https://pms.example.com/a b',
  ' https://pms.example.com/x',
  'https://pms.example.com/x ',
  'https://pms.example.com/\tx',
  'https://pms.exa\nmple.com/x',
  'https://pms.example.com/x\r\nHost: 127.0.0.1',
  'https://pms.example.com/\u0000',
  'https://pms.example.com/\ud800',
  'https://pms.example.com/\u202e',
  'https://pms.example.com/é',
  'https://[::1',
  'https://::1/',
  'https://[::1]:x/',
  'https://[fe80::1%25eth0]/',
  'https://[v1.x]/',
  'https://[]/',
  'https://[1.2.3.4]/',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
  'https://1.2.3.08/',
  'https://0x/',
  'https://pms.example.com%00.evil.example/',
  'https://pms.example.com%2f@127.0.0.1/',
  'https://*.example.com/',
  'https://pms,example.com/',
  "https://pms'.example.com/",
  'https://pms_.example.com.:443/',
  `https://pms.example.com/${'a'.repeat(2_048)}`,
]

export function refusedUrls(): string[] {
  const hosts = [
    ...specialIpv4.flatMap((ipv4) => [
      ipv4,
      ...spellingsOf(ipv4),
      ...carriersOf(ipv4).map((ipv6) => `[${ipv6}]`),
    ]),
    ...specialIpv6.map((ipv6) => `[${ipv6}]`),
    ...privateNames,
  ]
  return [
    ...new Set([
      ...hosts.flatMap((host) => [`https://${host}/ari`]),
      ...specialIpv4.map((ipv4) => `https://${ipv4}:8443/ari`),
      ...specialIpv4.map((ipv4) => `https://pms.example.com@${ipv4}/ari`),
      ...oddUrls,
    ]),
  ]
}

function bytesOf(ipv4: string): number[] {
  return ipv4.split('.').map(Number)
}

function halvesOf(ipv4: string): [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(ipv4)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}
