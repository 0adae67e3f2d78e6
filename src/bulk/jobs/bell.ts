/** Rung when a job is started, so that the worker of this process begins at once. */
export type BulkBell = { ring: () => void; answer: (begin: () => void) => void }

export function bulkBell(): BulkBell {
  let begin = (): void => {}
  return {
    ring: () => begin(),
    answer: (toBegin) => {
      begin = toBegin
    },
  }
}
