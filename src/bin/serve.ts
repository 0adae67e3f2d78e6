import cluster from 'node:cluster'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { loadConfig, type Settings } from '../settings/config.ts'
import { makeFolders } from '../embedded-postgres/make-folders.ts'
import { PrimaryChannel } from '../processes/process-channel.ts'
import type { Service } from '../processes/closers.ts'
import { failureLines } from '../start/failure-lines.ts'

/**
 * The service: starts here, and stops on SIGTERM or SIGINT within 30 seconds after ARI_DRAIN_MS, whatever is in progress.
 */

const stopsWithinMs = 29_500
/** A Ctrl-C under npm arrives twice, from the terminal and from npm. */
const sameSignalMs = 500

/** Present in a worker of a service with several processes, which listens at once for the primary's messages. */
const processes = cluster.isWorker ? new PrimaryChannel() : undefined
let starting: Promise<Service> | undefined
let stopBeganMs: number | undefined
let drainMs = 0

const say = (lines: readonly string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''))
const complain = (lines: readonly string[]) => process.stderr.write(lines.map((line) => `${line}\n`).join(''))

process.on('SIGTERM', () => stopOnSignal('SIGTERM'))
process.on('SIGINT', () => stopOnSignal('SIGINT'))
// Behind an older Node, see bin/ari.js: whoever killed that process alone wants no service left.
if (process.argv.includes('--ends-with-parent')) process.on('disconnect', () => stopOnSignal('SIGTERM'))
process.on('uncaughtException', (error) => {
  // The stack goes to the log; the person at the terminal gets one line.
  void starting?.then(({ log }) => log.fatal({ err: error }, 'uncaught')).catch(() => {})
  void stop(
    1,
    failureLines(error).map((line) => `The service is stopping because of an internal error: ${line}`),
  )
})

try {
  const { settings, warnings } = loadConfig()
  drainMs = settings.drainMs
  if (cluster.isPrimary) complain(warnings.map((warning) => `warning: ${warning}`))
  if (settings.migrate === 'only') await migrateOnly(settings)
  starting = start(settings)
  await starting
} catch (error) {
  if (processes) processes.send({ kind: 'failed', lines: failureLines(error) }, () => process.exit(1))
  else {
    complain(failureLines(error).map((line) => `The service did not start: ${line}`))
    process.exit(1)
  }
}

/** Ends the process. */
async function migrateOnly(settings: Settings): Promise<never> {
  const { bringUpToDate } = await import('../start/service.ts')
  const { applied, version } = await bringUpToDate(settings)
  const done = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
  say([`ARI_MIGRATE is only: the schema is at ${version}: ${done}`])
  return process.exit(0)
}

async function start(settings: Settings): Promise<Service> {
  // Compiled modules are cached beside the data: half of a later start is compiling.
  const compiled = join(settings.dataDir, 'compile-cache')
  try {
    makeFolders(settings.dataDir, 0o700)
    makeFolders(compiled, 0o700)
    enableCompileCache(compiled)
  } catch {
    // Without the cache the start is only slower. Opening the store, if it is here, reports an unusable
    // folder.
  }
  const { startService, startPrimary, startWorker } = await import('../start/service.ts')
  if (processes) return startWorker(settings, processes)
  return settings.processes > 1 ? startPrimary(settings, say) : startService(settings, say)
}

function stopOnSignal(name: string): void {
  if (stopBeganMs === undefined)
    void stop(0, processes ? [] : [`${name}: finishing the requests in progress`])
  else if (performance.now() - stopBeganMs > sameSignalMs) {
    complain([`${name} again: stopped at once`])
    process.exit(1)
  }
}

async function stop(exitCode: number, why: readonly string[]): Promise<void> {
  if (stopBeganMs !== undefined) return
  stopBeganMs = performance.now()
  ;(exitCode === 0 ? say : complain)(why)
  const withinMs = stopsWithinMs + (exitCode === 0 ? drainMs : 0)
  setTimeout(() => {
    complain([`Stopping took longer than ${withinMs / 1000} s: stopped at once`])
    process.exit(1)
  }, withinMs).unref()
  try {
    // Let a start in progress finish first: a partial one can't be undone in order.
    const service = await starting?.catch(() => undefined)
    await service?.stop({ isFault: exitCode !== 0 })
    process.exit(exitCode)
  } catch (error) {
    complain(failureLines(error))
    process.exit(1)
  }
}
