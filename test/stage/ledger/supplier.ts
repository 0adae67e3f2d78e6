import { httpAnswer, startReceiver, type ReceivedCall } from '../servers/receiver.ts'
import type { Random } from '../fuzz/random.ts'
import type { Socket } from 'node:net'

/** The hotel's side: a server that often fails, and what reached it. */

type Body = Record<string, unknown>
export type Taken = { version: number; body: Body }
export type FailingSupplier = Awaited<ReturnType<typeof startFailingSupplier>>

/** A delivery is given up after three days of the service's clock; so old, it is always taken. */
const takenAfterMs = 48 * 3_600_000

export async function startFailingSupplier(random: Random, now: () => number) {
  /** What was taken, in order, by reservation; also what the service never heard of. */
  const taken = new Map<string, Taken[]>()
  const counted = { deliveries: 0, refused: 0, unavailable: 0, cut: 0, answerLost: 0 }
  let isHealthy = false
  const take = (reservations: readonly Body[]): void => {
    for (const body of reservations) {
      const id = String(body['reservation_id'])
      const all = taken.get(id) ?? []
      taken.set(id, all)
      all.push({ version: Number(body['reservation_version']), body })
    }
  }
  const behave = (socket: Socket, call: ReceivedCall): void => {
    const reservations = reservationsOf(call)
    const isOld = reservations.some(
      (one) => now() - Date.parse(String(one['modified_datetime'])) > takenAfterMs,
    )
    const kind = reservations.length === 0 || isHealthy || isOld ? 'well' : random.pick(kinds)
    if (kind === 'cut') {
      counted.cut++
      socket.destroy()
      return
    }
    if (kind === 'refused' || kind === 'unavailable') {
      counted[kind]++
      socket.write(httpAnswer(kind === 'refused' ? 422 : 503, '{}'))
      return
    }
    take(reservations)
    counted.deliveries += reservations.length
    if (kind === 'answerLost') {
      counted.answerLost++
      socket.destroy()
    } else socket.write(httpAnswer(200, '{}'))
  }
  const receiver = await startReceiver(behave)
  return {
    taken,
    counted,
    url: `http://127.0.0.1:${receiver.port}/pushbook`,
    close: receiver.close,
    heal: (isWell: boolean) => {
      isHealthy = isWell
    },
  }
}

const kinds = ['well', 'well', 'well', 'well', 'refused', 'unavailable', 'cut', 'answerLost'] as const

function reservationsOf({ body }: ReceivedCall): Body[] {
  const found: unknown = Object(JSON.parse(body.toString()))['reservations']
  return [Object(found)['reservation'] ?? []].flat()
}
