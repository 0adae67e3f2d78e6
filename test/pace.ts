/**
 * How long tests may take on the machine at hand. `.ci/run` measures the machine and says so by these variables; without
 * them it is a usual one, and there is time for everything.
 */
const {
  /** How many times slower than usual this machine is. */
  ARI_TEST_SLOWNESS = '1',
  /** What all proofs together may take. */
  ARI_TEST_PROOF_SECONDS,
} = process.env

const slowness = Math.max(1, Number(ARI_TEST_SLOWNESS))
const proofSeconds = ARI_TEST_PROOF_SECONDS === undefined ? Infinity : Number(ARI_TEST_PROOF_SECONDS)

/** So many minutes of a usual machine, in milliseconds of this one: how long to wait before something has failed. */
export function minutes(count: number): number {
  return count * 60_000 * slowness
}

/** So many seconds of a usual machine, in milliseconds of this one. */
export function seconds(count: number): number {
  return minutes(count / 60)
}

/**
 * How long, in milliseconds, something is to be kept up: its share of the time for all proofs, at least the floor and
 * at most all of it.
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
  return Math.max(floor, Math.min(full, proofSeconds * share * 1_000))
}

export type RoundsWanted = {
  /** What a usual machine reaches. */
  full: number
  /** Less than this proves too little, however long it takes. */
  floor: number
  /** Of the time for all proofs, 0 to 1. */
  share: number
}

export type Rounds = {
  /** The next round's number, from 0; undefined when there are enough. The time runs from the first. */
  next: () => number | undefined
  done: () => number
  /** How many there were, of how many. */
  summary: () => string
}

/** The rounds of a proof: as many as its share of the time allows, at least the floor, at most all of them. */
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
