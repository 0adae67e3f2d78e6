import { setTimeout as wait } from 'node:timers/promises'

/**
 * How long tests may take on this machine. `.ci/run` measures the machine and passes the result on; without it the
 * machine counts as usual.
 */
const {
  ARI_TEST_SLOWNESS = '1',
  /** Total time for the rounds of all proofs; `Infinity` is time for all rounds. */
  ARI_TEST_PROOF_SECONDS = '120',
  /** Of random rounds; the same in every run, so that what was green stays green. With `--all` it is drawn. */
  ARI_TEST_SEED = '612299805',
  /** Of a round that is to be repeated, as named by a failure. */
  ARI_PROOF_SEED,
} = process.env

/** How many times slower than usual this machine is. */
export const slowness = Math.max(1, Number(ARI_TEST_SLOWNESS))
const proofSeconds = Number(ARI_TEST_PROOF_SECONDS)

/** Of the one round that is to be repeated. */
export const repeatedSeed = ARI_PROOF_SEED === undefined ? undefined : Number(ARI_PROOF_SEED)
/** Random rounds draw from it; further ones from the numbers after it. */
export const firstSeed = repeatedSeed ?? Number(ARI_TEST_SEED)

/**
 * This many minutes on a usual machine, in milliseconds on this one: the wait before something counts as
 * failed.
 */
export function minutes(count: number): number {
  return Math.round(count * 60_000 * slowness)
}

/** This many seconds on a usual machine, in milliseconds on this one. */
export function seconds(count: number): number {
  return minutes(count / 60)
}

/**
 * How long, in milliseconds, to keep something up: its share of the time for all proofs, at least the floor
 * and at most all of it.
 */
export function lastingWithin({
  full,
  floor,
  share,
}: {
  full: number
  floor: number
  share: number
}): number {
  return Math.max(floor, Math.min(full, Math.round(proofSeconds * share * 1_000)))
}

export type RoundsWanted = {
  /** The number that a usual machine reaches. */
  full: number
  /** Fewer than this prove too little, however long they take. */
  floor: number
  /** Share of the time for all proofs, 0 to 1. */
  share: number
}

export type Rounds = {
  /**
   * The next round's number, from 0; undefined when there have been enough. The time counts from the first.
   */
  next: () => number | undefined
  done: () => number
  /** The number of rounds run, and the number wanted. */
  summary: () => string
}

/**
 * The rounds of a proof: as many as its share of the time allows, at least the floor, at most all of them.
 */
export function roundsWithin({ full, floor, share }: RoundsWanted): Rounds {
  let done = 0
  let endMs: number | undefined
  return {
    next: () => {
      endMs ??= performance.now() + proofSeconds * share * 1_000
      if (done >= full || (done >= floor && performance.now() > endMs)) return undefined
      return done++
    },
    done: () => done,
    summary: () => `${done} of ${full} rounds${done < full ? ', which was all the time allowed' : ''}`,
  }
}

/** Resolves once the condition holds; the test's own time limit ends it otherwise. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(20)
}
