/**
 * `npm run demo`: a supplier's first day, from the first push to a booking and its cancellation, shown on the
 * terminal. It calls the service at ARI_URL with the key of ARI_API_KEY (and, as the platform, with the token
 * of ARI_PLATFORM_TOKEN), or starts its own service on a temporary folder and stops it at the end.
 */
import { showCalendar } from './demo/calendar.ts'
import { heading, line, paint, printStep } from './demo/print.ts'
import { serviceToShow } from './demo/service.ts'
import { writeClientTypes } from './write-client-types.ts'

const startedMs = performance.now()
const service = await serviceToShow().catch(failed)
let stopping: Promise<void> | undefined
const stop = () => (stopping ??= service.stop())
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(130)))
}

try {
  line()
  line(paint('bold', "ARI gateway: a supplier's first day"))
  line(
    paint(
      'dim',
      `at ${service.url}/v1, ${service.isOwn ? 'started for this demo' : 'with the key of ARI_API_KEY'}`,
    ),
  )
  await writeClientTypes()
  const { firstDay } = await import('./demo/first-day.ts')
  const stored = await firstDay(service)
  heading('What is stored')
  showCalendar(stored)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  line()
  printStep(
    service.isOwn
      ? `Done in ${seconds} s. The service is stopped and its data are gone; npm start keeps one running, with the documentation at /docs.`
      : `Done in ${seconds} s. The demo's hotel stays in your account; the documentation is at ${service.url}/docs.`,
  )
} catch (error) {
  await stop()
  failed(error)
}
await stop()

function failed(error: unknown): never {
  process.stderr.write(`The demo failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
