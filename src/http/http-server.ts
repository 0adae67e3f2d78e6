import { createServer, type RequestListener, type Server } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import { networkOf } from './network-of.ts'

const connectionsMax = 10_000
/**
 * Keeps one address from taking all of them. A trusted proxy is exempt, because everyone shares its
 * connections.
 */
const connectionsPerAddressMax = 5_000
const requestTimeoutMs = 60_000
const keepAliveTimeoutMs = 72_000

export type ConnectionLimit = 'connections' | 'connections_of_address'

export type HttpOptions = {
  trustedProxies: readonly string[]
  patience: number
  /** Called for every connection that is turned away. */
  limited: (limit: ConnectionLimit) => void
}

/** Node's server with limits on its connections. */
export function httpServer(
  handle: RequestListener,
  { trustedProxies, patience, limited }: HttpOptions,
): Server {
  const server = createServer(
    {
      // Node would answer these itself, without a body or a request id.
      requireHostHeader: false,
      requestTimeout: requestTimeoutMs * patience,
      keepAliveTimeout: keepAliveTimeoutMs,
    },
    handle,
  )
  server.maxConnections = connectionsMax
  server.on('drop', () => limited('connections'))
  const isProxy = matcherOf(trustedProxies)
  const countByAddress = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress)) return
    const address = networkOf(remoteAddress)
    const count = countByAddress.get(address) ?? 0
    if (count >= connectionsPerAddressMax) {
      limited('connections_of_address')
      socket.destroy()
      return
    }
    countByAddress.set(address, count + 1)
    socket.once('close', () => {
      const left = (countByAddress.get(address) ?? 0) - 1
      if (left > 0) countByAddress.set(address, left)
      else countByAddress.delete(address)
    })
  })
  return server
}

function matcherOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => networks.length > 0 && list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
