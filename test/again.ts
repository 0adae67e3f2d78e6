/**
 * Where chance or the moment decides what a proof meets, what is red once may be a fault of the product that hides the
 * next time.
 */
const never = [
  'proofs/kills/',
  'proofs/models/bulk.',
  'proofs/models/changes.',
  'proofs/programs/processes.',
  'proofs/store/reset-readers.',
]
/** With more, something is broken. */
const most = 6

/** Of the proofs that are red beside others, by their paths from the root, those that run once more, alone: all or none. */
export function againAlone(red: readonly string[]): string[] {
  const isAllowed = red.every((file) => !never.some((start) => file.startsWith(start)))
  return isAllowed && red.length <= most ? [...red] : []
}
