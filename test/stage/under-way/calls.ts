import { after } from 'node:test'
import { gatewayForTests, type GatewayOptions, type Reply, type TestGateway } from '../harness.ts'
import { minutes } from '../pace.ts'
import { httpAnswer, startReceiver, type Behaviour, type Receiver } from '../servers/receiver.ts'
import { expectOk } from '../story.ts'
import type { Shop } from '../scenes/booking.ts'

/** What is under way while something changes: calls that a supplier's URL holds, and alerts that are looked for. */

export type Fields = Record<string, unknown>

/** A service whose suppliers are on this machine; a price check waits for them as long as a test needs. */
export function gatewayForCalls(options: GatewayOptions = {}): Promise<TestGateway> {
  return gatewayForTests({
    allowPrivate: true,
    outbound: { reach: (vetted) => vetted },
    checkBudgetMs: minutes(1),
    callWithinMs: minutes(1),
    ...options,
  })
}

/** A receiver that is closed after the test, or outside of one after the file's tests; not to be made in a hook. */
export async function receiverOf(behave?: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver(behave)
  after(() => receiver.close())
  return receiver
}

export const urlOf = (receiver: Receiver, path = ''): string => `http://127.0.0.1:${receiver.port}/${path}`

/** What a URL for price checks answers: two nights at 100.00 and 10 % by default. */
type Live = { status?: number; inventory?: number; before?: number[]; after?: number[]; more?: Fields }

type LiveUrl = {
  receiver: Receiver
  /** From now on. */
  answers: (live: Live) => void
  /** Makes a call that asks the URL, and resolves once it has; the URL answers when it is let go. */
  held: (call: () => Promise<Reply>) => Promise<{ answer: Promise<Reply>; letGo: () => void }>
}

/** Registers a URL for price checks. */
export async function liveUrl({ supplier }: Pick<Shop, 'supplier'>): Promise<LiveUrl> {
  let live: Live = {}
  let onAsked: (() => void) | undefined
  let until: Promise<void> | undefined
  const receiver = await receiverOf((socket, { body }) => {
    const { roomId, rateId } = JSON.parse(body.toString())
    if (roomId === undefined) return socket.write(httpAnswer(200, '{}'))
    const { status = 200, inventory = 9, before = [100, 100], after: afterTax = [110, 110], more } = live
    const amounts = { amountBeforeTax: before, amountAfterTax: afterTax }
    const roomRate = { roomId, rateId, currency: 'USD', inventory, ...amounts, ...more }
    onAsked?.()
    void Promise.resolve(until).then(() => socket.write(httpAnswer(status, JSON.stringify({ roomRate }))))
    return undefined
  })
  expectOk(await supplier.post('/push/webhook/availability', { webhook: urlOf(receiver, 'check') }))
  return {
    receiver,
    answers: (next) => {
      live = next
    },
    held: async (call) => {
      const release = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      until = release.promise
      onAsked = asked.resolve
      const answer = call()
      await asked.promise
      until = undefined
      onAsked = undefined
      return { answer, letGo: release.resolve }
    },
  }
}

export const typesOf = ({ body }: Reply): unknown[] =>
  Object.values<Fields>(Object(body['errors'])).map(({ type }) => type)
