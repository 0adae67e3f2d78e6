/**
 * `npm run console:data`: a service for trying the console, with five suppliers, 300 hotels and four busy
 * past days in which much went wrong: refused pushes, a supplier that can't be reached, prices that drift. It
 * runs on a temporary folder until Ctrl-C, on the port PORT (default 8080).
 */
import { fillService } from './console-data/days.ts'
import { startPastService } from './console-data/service.ts'
import type { SuppliersServer } from './console-data/suppliers-server.ts'

const port = Number(process.env['PORT'] ?? '8080')
const startedMs = performance.now()
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const service = await startPastService(port)
let server: SuppliersServer | undefined
let stopping: Promise<void> | undefined
const stop = (): Promise<void> => (stopping ??= close())
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(0)))
}

try {
  server = await fillService(service, say)
  say(`Done in ${((performance.now() - startedMs) / 1000).toFixed(0)} s.`)
  say('')
  service.watch()
  say(`  Sign in once, within an hour:  ${await service.signInUrl()}`)
  say('')
  say('It runs until Ctrl-C, and its data go with it.')
} catch (error) {
  await stop()
  throw error
}

async function close(): Promise<void> {
  await service.stop()
  await server?.close()
}
