import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { TestAddress } from '../postgres.ts'

/** Services of which one works at a time, and the next one is ready when it is killed. */
export type Processes = {
  /** Lets the next one work; resolves when it does. */
  begin: () => Promise<void>
  kill: () => Promise<void>
  /** Where to call the one that works, or the next one. */
  url: () => Promise<string>
  close: () => Promise<void>
}

type Started = { child: ChildProcessByStdio<Writable, Readable, null>; url: string }

const program = resolve(import.meta.dirname, 'process.ts')

export function processesOn(address: TestAddress): Processes {
  let ready = started(address)
  let working: Started | undefined
  let began = Promise.withResolvers<string>()
  return {
    begin: async () => {
      working = await ready
      ready = started(address)
      working.child.stdin.write('go\n')
      began.resolve(working.url)
    },
    kill: async () => {
      if (!working) return
      began = Promise.withResolvers()
      await killed(working)
      working = undefined
    },
    url: () => began.promise,
    close: async () => {
      if (working) await killed(working)
      await killed(await ready)
    },
  }
}

async function started(address: TestAddress): Promise<Started> {
  const child = spawn(process.execPath, [program, JSON.stringify(address)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { child, url: String(line).trim() }
}

async function killed({ child }: Started): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
