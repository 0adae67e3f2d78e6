/** The faults that a simulated supplier commits on request. */

export const simulatedFaults = [
  'dearer',
  'sold-out',
  'slow',
  'hang',
  '500',
  'garbage',
  'bad-signature',
  'cancel-before-confirm',
] as const
export type SimulatedFault = (typeof simulatedFaults)[number]

/** The subject of a call; a booking is a Confirm or a Cancel. */
export type CallKind = 'check' | 'Confirm' | 'Cancel'

const kindsByWord: Readonly<Record<'check' | 'booking', readonly CallKind[]>> = {
  check: ['check'],
  booking: ['Confirm', 'Cancel'],
}

export const described: Readonly<Record<SimulatedFault, { spoils: readonly CallKind[]; does: string }>> = {
  dearer: { spoils: ['check'], does: 'prices 10 % above those that were pushed' },
  'sold-out': { spoils: ['check'], does: 'no unit is left' },
  slow: { spoils: ['check', 'Confirm', 'Cancel'], does: 'the right answer, after 1.5 s' },
  hang: { spoils: ['check', 'Confirm', 'Cancel'], does: 'no answer at all' },
  '500': { spoils: ['check', 'Confirm', 'Cancel'], does: 'status 500' },
  garbage: { spoils: ['check', 'Confirm', 'Cancel'], does: 'bytes that are not HTTP' },
  'bad-signature': {
    spoils: ['check', 'Confirm', 'Cancel'],
    does: 'every signature is treated as wrong: status 401',
  },
  'cancel-before-confirm': {
    spoils: ['Confirm'],
    does: 'Confirms are refused with 503, so that a cancellation may arrive first',
  },
}

export type FaultOrder = { fault: SimulatedFault; spoils: readonly CallKind[]; times: number }

const timesMax = 1_000_000

/**
 * `FAULT`, `FAULT:check` or `FAULT:booking`, each optionally with `:TIMES`; blanks work in place of colons.
 * Returns the error for any other text.
 */
export function readFaultOrder(text: string): FaultOrder | { problem: string } {
  const [name, ...rest] = text.trim().split(/[\s:]+/)
  const fault = simulatedFaults.find((one) => one === name)
  if (!fault)
    return { problem: `There is no fault "${name}": it must be one of ${simulatedFaults.join(', ')}` }
  let spoils = described[fault].spoils
  let times = Number.POSITIVE_INFINITY
  for (const word of rest) {
    if (word === 'check' || word === 'booking') {
      const kinds = kindsByWord[word]
      spoils = spoils.filter((kind) => kinds.includes(kind))
    } else if (/^[1-9]\d{0,6}$/.test(word) && Number(word) <= timesMax) times = Number(word)
    else return { problem: `"${word}" must be check, booking or a number of calls` }
  }
  if (spoils.length === 0) return { problem: `${fault} does not apply to such calls` }
  return { fault, spoils, times }
}

/** Several orders, separated by commas. */
export function readFaultOrders(text: string): readonly FaultOrder[] | { problem: string } {
  const orders: FaultOrder[] = []
  for (const part of text.split(',')) {
    const order = readFaultOrder(part)
    if ('problem' in order) return order
    orders.push(order)
  }
  return orders
}

/** Faults are committed in the order given, each as often as it says. */
export class FaultPlan {
  #orders: FaultOrder[] = []

  order(order: FaultOrder): void {
    this.#orders.push({ ...order })
  }

  clear(): void {
    this.#orders = []
  }

  /** The fault for the call about to be answered. */
  next(kind: CallKind): SimulatedFault | undefined {
    const order = this.#orders.find(({ spoils }) => spoils.includes(kind))
    if (!order) return undefined
    order.times--
    if (order.times === 0) this.#orders.splice(this.#orders.indexOf(order), 1)
    return order.fault
  }
}
