import { sparing } from '../base/log.ts'
import { raiseAlerts, selectFigures, type DeliveryFigures } from './alerts.ts'
import { addressWaiting, retryRefusedAddresses } from './nowhere.ts'
import { hourOf } from '../bookings/delivery-schedule.ts'
import type { Place } from './slots.ts'
import { requeueLost, selectDue } from './store.ts'
import type { DeliveryNeeds } from './needs.ts'
import { runHourly } from './hourly-run.ts'

/** Retries become due by the clock, and hints may be missed, so the worker polls. */
const lookEveryMs = 500
const alertsEveryMs = 2_000
const figuresEveryMs = 15_000

/** Polls for due deliveries, expired leases, the hourly run, and alerts. */
export function startWatch(
  needs: DeliveryNeeds,
  onDue: (due: readonly Place[]) => void,
): { close: () => Promise<void> } {
  const { db, clock, log } = needs
  const complain = sparing(log, 'deliveries are not looked for')
  let hourMade: number | undefined
  let isFirst = true
  const last = { alertsMs: -Infinity, figuresMs: -Infinity }
  let figures: DeliveryFigures = { queued: 0, dead: 0, alerts: 0, oldestSeconds: 0 }
  measure(needs, () => figures)

  const look = async (): Promise<void> => {
    const lost = await requeueLost(db, clock.now())
    if (lost > 0) log.warn({ lost }, 'deliveries that were left behind are sent again')
    if (isFirst) await retryRefusedAddresses(needs)
    isFirst = false
    const addressed = await addressWaiting(needs)
    if (addressed > 0) log.info({ addressed }, 'deliveries that had no URL have one now')
    const hour = hourOf(clock.now())
    if (hour !== hourMade) {
      const { hours, deliveries } = await runHourly(needs)
      hourMade = hour
      const level = deliveries > 0 ? 'info' : 'debug'
      if (hours.length > 0) log[level]({ hours: hours.map(instantText), deliveries }, 'hourly run')
    }
    onDue(await selectDue(db, clock.now()))
    const nowMs = performance.now()
    if (nowMs - last.alertsMs >= alertsEveryMs) {
      last.alertsMs = nowMs
      await raiseAlerts(needs)
    }
    if (nowMs - last.figuresMs >= figuresEveryMs) {
      last.figuresMs = nowMs
      figures = await selectFigures(db, clock.now())
    }
  }

  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let looking: Promise<void> = Promise.resolve()
  const lookAgain = (): void => {
    looking = look()
      .catch((error: unknown) => complain(error instanceof Error ? error.message : String(error)))
      .then(() => {
        if (!isClosed) timer = setTimeout(lookAgain, lookEveryMs)
      })
  }
  lookAgain()
  return {
    close: () => {
      isClosed = true
      clearTimeout(timer)
      return looking
    },
  }
}

function instantText(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

function measure({ telemetry }: DeliveryNeeds, figures: () => DeliveryFigures): void {
  const { gauge } = telemetry
  gauge('ari_deliveries_queued', 'Deliveries that are due or will be', () => figures().queued)
  gauge('ari_deliveries_dead', 'Deliveries that were given up', () => figures().dead)
  gauge('ari_delivery_alerts_open', 'Reservations undelivered for too long', () => figures().alerts)
  gauge(
    'ari_delivery_oldest_seconds',
    'Age of the oldest undelivered reservation',
    () => figures().oldestSeconds,
  )
}
