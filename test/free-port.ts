import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A port for a program that may be killed and started again. Below the ports given to connections, so that
 * none takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await new Promise<boolean>((tried) => {
      server.once('listening', () => tried(true)).once('error', () => tried(false))
    })
    if (!isFree) continue
    await new Promise((closed) => server.close(closed))
    return port
  }
}
