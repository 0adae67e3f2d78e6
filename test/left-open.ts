/**
 * Loaded into each test file's process: ends, as failed, a process that still runs long after its last test.
 * A failing test may leave a service open, and the file would run until the limit of the whole run.
 */
import { after } from 'node:test'
import { minutes } from './stage/pace.ts'

/** Includes the file's own cleanup: its hooks run after this one. */
const graceMs = minutes(1)

after(() => {
  setTimeout(() => {
    process.stderr.write(`left open: ${process.getActiveResourcesInfo().join(', ')}\n`)
    process.exit(1)
  }, graceMs).unref()
})
