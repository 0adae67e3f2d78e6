import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export type DemoService = {
  /** Without a trailing slash. */
  url: string
  apiKey: string
  /** Without it, only the supplier's side is shown. */
  platformToken: string | undefined
  /** Whether the demo started it, so that it contains nobody else's data. */
  isOwn: boolean
  stop: () => Promise<void>
}

const root = resolve(import.meta.dirname, '../..')
const startTimeoutMs = 60_000

export async function serviceToShow(): Promise<DemoService> {
  const { ARI_URL: url, ARI_API_KEY: apiKey, ARI_PLATFORM_TOKEN: token } = process.env
  if (url && apiKey) {
    const platformToken = token === '' ? undefined : token
    return {
      url: url.replace(/\/(?:v1\/?)?$/, ''),
      apiKey,
      platformToken,
      isOwn: false,
      stop: async () => {},
    }
  }
  if (url || apiKey) throw new Error('Set both ARI_URL and ARI_API_KEY, or neither')
  return ownService()
}

async function ownService(): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), 'ari-demo-'))
  // As root the embedded PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711)
  const child = spawn(process.execPath, [join(root, 'src/bin/serve.ts')], {
    // Away from the checkout's .env and the settings of the user who runs the demo.
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ARI_DATA_DIR: join(folder, 'data'),
      PORT: '0',
      LOG_LEVEL: 'error',
      // The simulated supplier listens on this machine.
      ARI_ALLOW_PRIVATE_WEBHOOKS: 'true',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Ctrl-C on the terminal goes to the demo, which then stops the service.
    detached: true,
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const output = await welcome(child)
    const url = /ready in [\d.]+ s at (\S+)/.exec(output)?.[1]
    const apiKey = /Supplier key\s+(\S+)/.exec(output)?.[1]
    const platformToken = /Platform token\s+(\S+)/.exec(output)?.[1]
    if (url === undefined || apiKey === undefined || platformToken === undefined)
      throw new Error(`The service printed no key: ${output}`)
    return { url, apiKey, platformToken, isOwn: true, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The service's output when it is ready, up to the key and the token. */
function welcome({ stdout, ...child }: ChildProcess): Promise<string> {
  return new Promise((resolved, rejected) => {
    let output = ''
    const late = setTimeout(
      () => rejected(new Error(`The service did not start in ${startTimeoutMs / 1000} s`)),
      startTimeoutMs,
    )
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (!/Platform token.*\n/.test(output)) return
      clearTimeout(late)
      resolved(output)
    })
    stdout?.once('end', () => {
      clearTimeout(late)
      rejected(new Error(`The service did not start (exit code ${child.exitCode ?? 'unknown'})`))
    })
  })
}
