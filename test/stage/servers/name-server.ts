import { createSocket } from 'node:dgram'
import ipaddr from 'ipaddr.js'

/** A name server with configurable answers, or none. */
export type NameServer = { address: string; close: () => void }

export type RecordType = 'A' | 'AAAA'

/** The addresses of that type which a name has at this moment; undefined: no answer at all. */
export type Zone = (name: string, type: RecordType) => readonly string[] | undefined

const typeByNumber: Readonly<Record<number, RecordType>> = { 1: 'A', 28: 'AAAA' }

export async function startNameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4')
  socket.on('message', (asked, from) => {
    const nameEnd = asked.indexOf(0, 12) + 1
    const type = typeByNumber[asked.readUInt16BE(nameEnd)]
    const addresses = type && zone(nameOf(asked.subarray(12, nameEnd)), type)
    if (!addresses) return
    const question = asked.subarray(12, nameEnd + 4)
    const head = Buffer.concat([
      asked.subarray(0, 2),
      Buffer.from([0x81, 0x80, 0, 1, 0, addresses.length, 0, 0, 0, 0]),
    ])
    const records = addresses.map((address) => record(question.subarray(-4), address))
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() }
}

/** For the name in the question, with a TTL of zero. */
function record(typeAndClass: Buffer, address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
  return Buffer.concat([
    Buffer.from([0xc0, 12]),
    typeAndClass,
    Buffer.from([0, 0, 0, 0, 0, bytes.length]),
    bytes,
  ])
}

function nameOf(labels: Buffer): string {
  const names: string[] = []
  for (let at = 0; labels[at]; at += 1 + (labels[at] ?? 0)) {
    names.push(labels.subarray(at + 1, at + 1 + (labels[at] ?? 0)).toString('latin1'))
  }
  return names.join('.')
}
