/**
 * A reading that many ask for at once: those who ask while one is under way are answered together by the next. What
 * is read was begun after it was asked for, so nobody is told what was older than the question.
 */
export function gathered<Value>(
  read: (keys: readonly number[]) => Promise<ReadonlyMap<number, Value>>,
  { readingsAtOnceMax }: { readingsAtOnceMax: number },
): (keys: readonly number[]) => Promise<ReadonlyMap<number, Value>> {
  let underWay = 0
  let next:
    | { keys: Set<number>; answered: Promise<ReadonlyMap<number, Value>>; begin: () => void }
    | undefined
  const begin = (): void => {
    const batch = next
    if (!batch || underWay >= readingsAtOnceMax) return
    next = undefined
    underWay++
    batch.begin()
  }
  return (keys) => {
    next ??= makeBatch()
    const { answered } = next
    for (const key of keys) next.keys.add(key)
    begin()
    return answered
  }

  function makeBatch(): NonNullable<typeof next> {
    const batched = new Set<number>()
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<number, Value>>()
    return {
      keys: batched,
      answered: promise,
      begin: () =>
        void read([...batched])
          .then(resolve, reject)
          .finally(() => {
            underWay--
            begin()
          }),
    }
  }
}
