/**
 * A circuit breaker per URL: a URL that fails repeatedly gets no calls for a while, so that guests don't wait
 * for it in vain; then a single call tries it again. The state is in the memory of the process: each process
 * finds out for itself, after a few calls.
 */

export const circuitStates = ['closed', 'open', 'half_open'] as const
export type CircuitState = (typeof circuitStates)[number]

export const circuitLimits = {
  /** Consecutive calls without an answer that open a closed circuit. */
  failuresToOpen: 5,
  /** How long it stays open at first. */
  openFirstMs: 5_000,
  /** The open time doubles after each failed trial, up to this. */
  openMaxMs: 60_000,
  /** Maximum number of circuits in memory: URLs without a recent failure have none. */
  circuitsMax: 10_000,
} as const

/** `unknown`: the call says nothing about the URL. */
export type CallResult = 'answered' | 'failed' | 'unknown'

/** Permission for one call; its holder must report the result exactly once. */
export type Pass = (result: CallResult) => void

type Circuit = {
  state: CircuitState
  failures: number
  openedAtMs: number
  openForMs: number
  isTrialUnderWay: boolean
}

/** `openForMs`: for how long the URL is not called from now on; 0 unless it was opened. */
export type CircuitChange = { url: string; state: CircuitState; openForMs: number }

export class Circuits {
  readonly #circuits = new Map<string, Circuit>()
  readonly #nowMs: () => number
  readonly #changed: (change: CircuitChange) => void
  #closedCount = 0

  /** `nowMs` must not go backwards; `changed` is called on every change of a state. */
  constructor(nowMs: () => number, changed: (change: CircuitChange) => void = () => {}) {
    this.#nowMs = nowMs
    this.#changed = changed
  }

  /** Undefined: the URL must not be called now. */
  enter(url: string): Pass | undefined {
    const circuit = this.#circuits.get(url)
    if (!circuit || circuit.state === 'closed') return (result) => this.#settleClosed(url, result)
    if (circuit.isTrialUnderWay || this.#nowMs() - circuit.openedAtMs < circuit.openForMs) return undefined
    circuit.isTrialUnderWay = true
    this.#become(url, circuit, 'half_open')
    return (result) => this.#settleTrial(url, circuit, result)
  }

  state(url: string): CircuitState {
    return this.#circuits.get(url)?.state ?? 'closed'
  }

  /** How long the URL is not called from now on; 0 if it may be called, or is being tried. */
  openForMs(url: string): number {
    const circuit = this.#circuits.get(url)
    if (circuit?.state !== 'open') return 0
    return Math.max(0, circuit.openedAtMs + circuit.openForMs - this.#nowMs())
  }

  /** The number of circuits that are not closed. */
  openCount(): number {
    return this.#circuits.size - this.#closedCount
  }

  /** Calls that began before the circuit opened say nothing about it. */
  #settleClosed(url: string, result: CallResult): void {
    const circuit = this.#circuits.get(url)
    if (result === 'unknown' || (circuit && circuit.state !== 'closed')) return
    if (result === 'answered') {
      if (circuit) this.#forget(url)
      return
    }
    const failing = circuit ?? this.#remember(url)
    if (++failing.failures >= circuitLimits.failuresToOpen) {
      this.#closedCount--
      this.#open(url, failing, circuitLimits.openFirstMs)
    }
  }

  #settleTrial(url: string, circuit: Circuit, result: CallResult): void {
    circuit.isTrialUnderWay = false
    if (this.#circuits.get(url) !== circuit) return
    if (result === 'unknown') this.#become(url, circuit, 'open')
    else if (result === 'failed')
      this.#open(url, circuit, Math.min(circuit.openForMs * 2, circuitLimits.openMaxMs))
    else {
      this.#circuits.delete(url)
      this.#changed({ url, state: 'closed', openForMs: 0 })
    }
  }

  #open(url: string, circuit: Circuit, openForMs: number): void {
    circuit.openedAtMs = this.#nowMs()
    circuit.openForMs = openForMs
    this.#become(url, circuit, 'open', openForMs)
  }

  #become(url: string, circuit: Circuit, state: CircuitState, openForMs = 0): void {
    circuit.state = state
    this.#changed({ url, state, openForMs })
  }

  #remember(url: string): Circuit {
    const [oldest] = this.#circuits.keys()
    if (this.#circuits.size >= circuitLimits.circuitsMax && oldest !== undefined) this.#forget(oldest)
    const created: Circuit = {
      state: 'closed',
      failures: 0,
      openedAtMs: 0,
      openForMs: 0,
      isTrialUnderWay: false,
    }
    this.#circuits.set(url, created)
    this.#closedCount++
    return created
  }

  #forget(url: string): void {
    if (this.#circuits.get(url)?.state === 'closed') this.#closedCount--
    this.#circuits.delete(url)
  }
}
