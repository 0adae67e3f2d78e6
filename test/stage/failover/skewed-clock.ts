/**
 * Preloaded into a service: its machine's clock is ARI_TEST_CLOCK_DAYS off, and its first housekeeping runs
 * at once.
 */
const offsetMs = Number(process.env['ARI_TEST_CLOCK_DAYS']) * 86_400_000
const { now } = Date
Date.now = () => now() + offsetMs

const firstHousekeepingMs = 60_000
const { setTimeout: later } = globalThis
Object.defineProperty(globalThis, 'setTimeout', {
  value: (run: () => void, ms?: number) => later(run, ms === firstHousekeepingMs ? 1_000 : ms),
})
