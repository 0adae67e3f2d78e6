export type GatherLimits = {
  /** A read with this many keys takes no further callers. */
  keysMax: number
  readsAtOnceMax: number
}

type Batch<Key, Found> = { keys: Set<Key> } & PromiseWithResolvers<ReadonlyMap<Key, Found>>

/**
 * Answers many callers with one statement: those of one turn of the event loop, and those that arrived while
 * the maximum number of reads was running. A read begins after all of its callers asked, so no answer is
 * older than its question. It begins at the end of a turn, so that the requests that have arrived by then take
 * part.
 */
export function gather<Key, Found>(
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>,
  { keysMax, readsAtOnceMax }: GatherLimits,
): (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>> {
  const waiting: Batch<Key, Found>[] = []
  let reading = 0
  const begin = (): void => {
    const batch = reading < readsAtOnceMax ? waiting.shift() : undefined
    if (!batch) return
    reading++
    void read([...batch.keys])
      .then(batch.resolve, batch.reject)
      .finally(() => {
        reading--
        setImmediate(begin)
      })
    begin()
  }
  const openBatch = (): Batch<Key, Found> => {
    const last = waiting.at(-1)
    if (last && last.keys.size < keysMax) return last
    if (!last) setImmediate(begin)
    const batch = { keys: new Set<Key>(), ...Promise.withResolvers<ReadonlyMap<Key, Found>>() }
    waiting.push(batch)
    return batch
  }
  return (keys) => {
    const { keys: gathered, promise } = openBatch()
    for (const key of keys) gathered.add(key)
    return promise
  }
}
