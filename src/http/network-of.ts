import { isIPv6 } from 'node:net'

const groupsOfNetwork = 4

/** The unit that counts as one address: a client with one IPv6 address has all of its /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const after = tail.split(':').filter((group) => group !== '')
  while (groups.length + after.length < 8) groups.push('0')
  return [...groups, ...after].slice(0, groupsOfNetwork).join(':')
}
