import { createServer } from 'node:net'

/** Below the ports given to connections, so that none takes it meanwhile. */
const ports = { from: 20_000, count: 12_000 }
/** Each process begins elsewhere: a port is free again until its program has started. */
let next = (process.pid * 97) % ports.count

/** A port for a program that may be killed and started again; given out once. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.from + (next++ % ports.count)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await new Promise<boolean>((tried) => {
      server.once('listening', () => tried(true)).once('error', () => tried(false))
    })
    if (!isFree) continue
    await new Promise((closed) => server.close(closed))
    return port
  }
}
