import { performance } from 'node:perf_hooks'

/**
 * Counts of the last day in steps of some minutes, out of tables of millions of rows. A step that is over does not
 * change any more: it is counted once and remembered. After a start the day is counted from now backwards, as far as
 * each look at it has time for.
 */

export type StepRow = { stepMs: number }

type CountSteps<Row extends StepRow> = (fromMs: number, toMs: number) => Promise<Row[]>

export type StepLimits = {
  stepMs: number
  /** How many steps back. */
  steps: number
  /** What was answered before the end of a step is committed by then. */
  settledAfterMs: number
  /** Steps counted by one statement. */
  stepsAtOnce: number
  /** So long one look may count what was not counted yet. */
  budgetMs: number
}

export class RateSteps<Row extends StepRow> {
  readonly #limits: StepLimits
  readonly #count: CountSteps<Row>
  readonly #rowsByStep = new Map<number, Row[]>()

  constructor(limits: StepLimits, count: CountSteps<Row>) {
    this.#limits = limits
    this.#count = count
  }

  /** Rows of the steps since `sinceMs`, which is a day ago once all of it is counted. */
  async read(nowMs: number): Promise<{ sinceMs: number; rows: Row[] }> {
    const { stepMs, steps, settledAfterMs, budgetMs, stepsAtOnce } = this.#limits
    const beganMs = performance.now()
    const last = Math.floor(nowMs / stepMs) * stepMs
    const first = last - (steps - 1) * stepMs
    for (const step of this.#rowsByStep.keys()) if (step < first) this.#rowsByStep.delete(step)
    const settled = Math.floor((nowMs - settledAfterMs) / stepMs) * stepMs
    const open = await this.#count(settled, last + stepMs)
    let sinceMs = settled
    let isFirst = true
    const rows = [...open]
    while (sinceMs > first) {
      const known = this.#rowsByStep.get(sinceMs - stepMs)
      if (known) {
        rows.push(...known)
        sinceMs -= stepMs
        continue
      }
      // However slow it is, each look goes on by some steps.
      if (!isFirst && performance.now() - beganMs > budgetMs) break
      isFirst = false
      let fromMs = sinceMs - stepMs
      const farthest = Math.max(first, sinceMs - stepsAtOnce * stepMs)
      while (fromMs > farthest && !this.#rowsByStep.has(fromMs - stepMs)) fromMs -= stepMs
      await this.#remember(fromMs, sinceMs)
    }
    return { sinceMs, rows }
  }

  async #remember(fromMs: number, toMs: number): Promise<void> {
    const counted = Map.groupBy(await this.#count(fromMs, toMs), (row) => row.stepMs)
    for (let step = fromMs; step < toMs; step += this.#limits.stepMs)
      this.#rowsByStep.set(step, counted.get(step) ?? [])
  }
}
