import { performance } from 'node:perf_hooks'

/**
 * Counts of the last day in steps of some minutes, from tables of millions of rows. A completed step no longer
 * changes: it is counted once and remembered. After a start, the day is counted backwards from now, as far as each call
 * has time for.
 */

export type StepRow = { stepMs: number }

type CountSteps<Row extends StepRow> = (fromMs: number, toMs: number) => Promise<Row[]>

export type StepLimits = {
  stepMs: number
  /** The number of steps. */
  steps: number
  /** After this time, everything answered before the end of a step is committed. */
  settledAfterMs: number
  /** Steps per statement. */
  stepsAtOnce: number
  /** How long one call may spend on uncounted steps. */
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

  /** Counts of the steps since `sinceMs`, which is a day ago once the whole day is counted. */
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
      // However slow it is, each call counts some more steps.
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
