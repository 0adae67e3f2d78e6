/**
 * A proxy in front of the test's PostgreSQL that can cut connections or stall them: simulates a database that
 * is gone.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestAddress } from '../postgres.ts'

export type PostgresProxy = {
  /** Connects the proxy to this address, and returns the proxy's own. */
  through: (address: TestAddress) => TestAddress
  /** Breaks every connection and refuses new ones. */
  cut: () => Promise<void>
  heal: () => Promise<void>
  /** Nothing passes, and neither side is notified. */
  hold: () => void
  release: () => void
  /** Nothing passes over the existing connections; new ones work as usual. */
  forget: () => void
  close: () => Promise<void>
}

export async function postgresProxy(): Promise<PostgresProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'ari-proxy-'))
  const pairs = new Set<[Socket, Socket]>()
  let target: TestAddress | undefined
  let server: Server | undefined
  let isHeld = false

  const connected = (near: Socket): void => {
    if (!target) return void near.destroy()
    const { host, port } = target
    const far = host.startsWith('/') ? connect(pathIn(host, port)) : connect(port, host)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.pipe(far)
    far.pipe(near)
    if (isHeld) for (const socket of pair) socket.pause()
  }
  const listen = async (): Promise<void> => {
    if (server) return
    const opened = createServer(connected)
    server = opened
    await new Promise<void>((resolve) => opened.listen(pathIn(folder, port()), resolve))
  }
  const port = (): number => target?.port ?? 0
  const cut = async (): Promise<void> => {
    const open = server
    server = undefined
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
    if (open) await new Promise((resolve) => open.close(resolve))
  }
  return {
    through: (address) => {
      target = address
      // It listens before any client connects: both are turns of one event loop.
      void listen()
      return { ...address, host: folder }
    },
    cut,
    heal: listen,
    hold: () => {
      isHeld = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    release: () => {
      isHeld = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    forget: () => {
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    close: async () => {
      await cut()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The path at which PostgreSQL's clients look for a socket in a folder. */
function pathIn(folder: string, port: number): string {
  return join(folder, `.s.PGSQL.${port}`)
}
