/** A door before the test's PostgreSQL that can be shut, and held half-way: what a service sees when its database is gone. */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestAddress } from './postgres.ts'

export type PostgresProxy = {
  /** The address behind the door, and then the one before it. */
  through: (address: TestAddress) => TestAddress
  /** Breaks every connection and refuses new ones. */
  cut: () => Promise<void>
  heal: () => Promise<void>
  /** Nothing passes, and nobody is told. */
  hold: () => void
  release: () => void
  /** Nothing passes any more over the connections that there are; new ones are as always. */
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
      // Listening is done by the time anybody connects: both are turns of one event loop.
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

/** Where PostgreSQL's clients look for its socket in a folder. */
function pathIn(folder: string, port: number): string {
  return join(folder, `.s.PGSQL.${port}`)
}
