import { seeded } from '../fuzz/random.ts'
import { inTurns } from '../in-turns.ts'
import { compareDeliveries, untilDelivered } from './compare.ts'
import { book, cancel, change } from './guest.ts'
import { newHistory, type History } from './history.ts'
import { Hotel } from './hotel.ts'
import { refuseBegun, report } from './reports.ts'
import { openStage, type Counted } from './stage.ts'

/**
 * Histories side by side, each of one hotel, under one clock: it stops before, at and after deadlines, and everything else
 * happens while it stands.
 */

export const historiesPerBatch = 15
const ticks = 13
const historiesAtOnce = 4
const hourMs = 3_600_000
const dayMs = 24 * hourMs

export async function openLedger(seed: number) {
  const { stage, close } = await openStage(seed)
  const failures: string[] = []
  const { gateway, counted } = stage

  const batch = async (number: number): Promise<void> => {
    const clock = seeded(seed + number)
    let histories: History[] = []
    const fail = (history: History | undefined, error: unknown): void => {
      failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
      histories = histories.filter((one) => one !== history)
    }
    const all = Array.from({ length: historiesPerBatch }, (_, index) => index)
    await inTurns(all, historiesAtOnce, async (index) => {
      const own = seeded((seed + number) * 1_000 + index)
      histories[index] = newHistory(stage, await Hotel.open(stage, own, `L${seed + number}-${index}`), own)
    })
    for (let tick = 0; tick < ticks; tick++) {
      gateway.clock.set(new Date(nextInstant(histories, clock, tick, counted)).toISOString())
      await inTurns(histories, historiesAtOnce, async (history) => {
        try {
          await step(history)
        } catch (error) {
          fail(history, error)
        }
      })
    }
    await untilDelivered(
      stage,
      histories.flatMap(({ reservations }) => reservations),
    )
    for (const history of histories) {
      try {
        for (const reservation of history.reservations) compareDeliveries(history, reservation)
      } catch (error) {
        fail(history, error)
      }
    }
    gateway.clock.set(new Date(gateway.clock.now() + hourMs).toISOString())
  }
  return { batch, counted, delivered: stage.receiver.counted, failures, close }
}

/** Some time later, or a second before, at or after the next deadline of somebody; in the end the stays begin. */
function nextInstant(
  histories: readonly History[],
  { chance, pick, below }: ReturnType<typeof seeded>,
  tick: number,
  counted: Counted,
): number {
  const now = histories[0]?.stage.gateway.clock.now() ?? 0
  if (tick >= ticks - 3) return now + dayMs + below(3) * dayMs + 1_000
  const ahead = histories
    .flatMap(({ reservations }) => reservations.at(-1)?.state.rooms ?? [])
    .flatMap(({ steps = [] }) => steps)
    .map(({ fromMs }) => fromMs)
    .filter((fromMs) => fromMs > now + 2_000 && fromMs < now + 2 * dayMs)
  if (ahead.length === 0 || chance(0.4)) return now + pick([5_000, 60_000, hourMs, 11 * hourMs, 26 * hourMs])
  counted.deadlinesMet++
  return pick(ahead) + pick([-1_000, 0, 1_000])
}

async function step(history: History): Promise<void> {
  const { random, hotel } = history
  if (random.chance(0.4)) await push(history)
  const last = history.reservations.at(-1)
  if (!last) return book(history)
  if (last.status === 'Cancel') return random.chance(0.6) ? book(history) : report(history, last)
  if (hotel.today > last.state.checkin || last.hasArrived) {
    if (random.chance(0.15)) return refuseBegun(history, last)
    return random.chance(0.2) ? book(history) : report(history, last)
  }
  if (random.chance(0.1)) return report(history, last)
  if (random.chance(0.17)) return cancel(history, last)
  await change(history, last)
}

async function push({ hotel, note, random, stage: { counted } }: History): Promise<void> {
  const kind = random.pick(['price', 'price', 'policy', 'policy', 'mealPlan', 'taxes', 'currency'] as const)
  if (kind === 'price') {
    counted.pricePushes++
    note({ price: await hotel.pushPrices() })
  } else if (kind === 'policy') {
    counted.policyPushes++
    note({ policy: await hotel.pushPolicy() })
  } else if (kind === 'mealPlan') {
    counted.mealPlanPushes++
    note({ mealPlan: await hotel.pushMealPlan() })
  } else if (kind === 'taxes') {
    counted.taxPushes++
    note({ taxes: await hotel.pushTaxes() })
  } else {
    counted.currencyPushes++
    note({ currency: await hotel.pushCurrency() })
  }
}
