/**
 * Loaded into each test file's process: one that still runs long after its last test is ended, and has failed. A test
 * that fails may leave a service open, and the file would run until the whole run's limit.
 */
import { after } from 'node:test'

/** What the file itself cleans up counts: its hooks run after this one. */
const graceMs = 60_000

after(() => {
  setTimeout(() => {
    process.stderr.write(`left open: ${process.getActiveResourcesInfo().join(', ')}\n`)
    process.exit(1)
  }, graceMs).unref()
})
