import { everyWeekday, nightsBetween } from '../../ari/blocks/month.ts'
import { RoomRateDays } from '../../offers/stays/room-rate-days.ts'
import { roomRateOf } from '../../offers/stays/booking-catalog.ts'
import type { StayReader } from '../../offers/stays/stays.ts'
import { roomRateKey } from '../../products/store.ts'
import { throttledWarning } from '../../base/log.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { transaction, type Transaction } from '../../postgres/transaction.ts'
import { rememberedOf, type Heard, type Remembered } from './heard.ts'
import { lockOptionalVersions, selectOthersThanReservations, writeAnswer } from './store.ts'

/**
 * Remembers what suppliers said when they were asked, for the searches of all processes (decision 072). It is written a
 * moment later, because the one who asked waits: a process that is killed loses no more than that moment.
 */
export type Memory = {
  /** Answers about one room-rate and stay, one for each party. `isShort`: there are too few units for all of them. */
  heard: (heard: readonly [Heard, ...Heard[]], more?: { isShort: boolean }) => void
  close: () => Promise<void>
}

/** Hotels whose answers are written at once, and the answers that wait. */
const hotelsAtOnceMax = 4
const waitingMax = 1_000

export type MemoryNeeds = Needs & {
  stays: Pick<StayReader, 'readWithin'>
  /** Seconds for which answers are remembered; 0: they are not. */
  liveAnswerSeconds: number
}

export function answerMemory(needs: MemoryNeeds): Memory {
  const { clock, log } = needs
  const keptMs = needs.liveAnswerSeconds * 1_000
  const complain = throttledWarning(log, 'what suppliers answered to price checks is not remembered')
  const waiting = new Map<number, Remembered[]>()
  const busy = new Map<number, Promise<void>>()
  let count = 0

  const remember = async (hotelId: number, answers: readonly Remembered[]): Promise<void> => {
    try {
      await rememberAll(needs, hotelId, answers)
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
    count -= answers.length
    busy.delete(hotelId)
    begin()
  }

  const begin = (): void => {
    for (const [hotelId, answers] of waiting) {
      if (busy.size >= hotelsAtOnceMax) return
      if (busy.has(hotelId)) continue
      waiting.delete(hotelId)
      busy.set(hotelId, remember(hotelId, answers))
    }
  }

  return {
    heard: (heard, { isShort } = { isShort: false }) => {
      if (keptMs === 0) return
      const remembered = rememberedOf(heard, { isShort, atMs: clock.now(), keptMs })
      if (!remembered) return
      if (count >= waitingMax) return complain('too many are waiting to be written')
      count++
      const { hotelId } = remembered
      const others = waiting.get(hotelId)
      if (others) others.push(remembered)
      else waiting.set(hotelId, [remembered])
      begin()
    },
    close: async () => {
      while (busy.size > 0) await Promise.all(busy.values())
    },
  }
}

async function rememberAll(
  needs: MemoryNeeds,
  hotelId: number,
  answers: readonly Remembered[],
): Promise<void> {
  await transaction(needs.db, async (connection) => {
    for (const answer of answers) {
      // Under the hotel's lock: whatever touched the nights since the supplier was asked is committed, and what comes
      // after finds the answer.
      const versions = await lockOptionalVersions(connection, hotelId)
      if (!versions || (await isTouched(needs, connection, answer, versions))) continue
      await writeAnswer(connection, hotelId, answer, needs.clock.now())
    }
  })
}

/** Whether anything but a reservation has touched the room-rate on a night of the stay since the supplier was asked. */
async function isTouched(
  { stays }: MemoryNeeds,
  connection: Transaction,
  { hotelId, revision, catalogVersion, roomNo, rateNo, arrival, departure }: Remembered,
  versions: Parameters<StayReader['readWithin']>[1],
): Promise<boolean> {
  if (versions.catalogVersion !== catalogVersion) return true
  if (versions.revision === revision) return false
  const range = { firstDay: arrival, lastDay: departure - 1 }
  const stay = await stays.readWithin(connection, versions, range)
  const roomRate = stay && roomRateOf(stay.catalog, roomRateKey(roomNo, rateNo))
  if (!roomRate) return true
  const days = new RoomRateDays(stay, { from: arrival, days: departure - arrival }, [])
  days.turnTo(roomRate)
  const blocks = nightsBetween(arrival, departure - 1, everyWeekday).flatMap(({ month, mask }) =>
    (['room', 'rate'] as const).flatMap((row) => {
      const block = days.blocks(row)[month - days.firstMonth]
      return block ? [{ block, mask }] : []
    }),
  )
  const isChanged = (from: number, to: number): boolean =>
    blocks.some(({ block, mask }) => (block.changedBetween(from, to) & mask) !== 0)
  if (!isChanged(revision + 1, versions.revision)) return false
  const others = await selectOthersThanReservations(connection, hotelId, {
    from: revision + 1,
    to: versions.revision,
  })
  return others.some((other) => isChanged(other, other))
}
