import { relative, sep } from 'node:path'
import { root } from './stage/files.ts'
import { slowness } from './stage/pace.ts'

/**
 * The folders of each lane, together of about the same length. What kills servers or computes would leave the processor
 * idle for a third of its time, programs that start and stop for half of it, and pages for two thirds, so lanes run side
 * by side.
 */
const laneFolders = [
  ['attacks', 'kills'],
  ['packages', 'programs', 'store'],
  ['models', 'sale', 'pages'],
  ['whole-console'],
]

/** On a slow machine what computes takes longer, but what waits doesn't: fewer lanes keep it busy. */
const lanesAtOnce = slowness < 2 ? 4 : 3

/** A call takes the lane's next proof; a lane at its end takes the last one of the lane that has most left. */
export function lanesOf(proofs: readonly string[]): (() => string | undefined)[] {
  const waiting = laneFolders.map((): string[] => [])
  for (const file of proofs) {
    const [, folder = ''] = relative(root, file).split(sep)
    const lane = waiting[laneFolders.findIndex((folders) => folders.includes(folder))]
    if (!lane) throw new Error(`proofs/${folder} has no lane in test/lanes.ts`)
    lane.push(file)
  }
  return waiting.slice(0, lanesAtOnce).map((lane) => () => {
    const [longest] = waiting.toSorted((left, right) => right.length - left.length)
    return lane.shift() ?? longest?.pop()
  })
}
