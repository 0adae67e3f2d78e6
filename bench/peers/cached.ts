const cachedMs = 5_000

/** Caches rarely changing data for some seconds, as the usual stack does. */
export function cached<Value>(load: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const kept = new Map<string, { value: Value; untilMs: number }>()
  return async (key) => {
    const known = kept.get(key)
    if (known && known.untilMs > Date.now()) return known.value
    const value = await load(key)
    kept.set(key, { value, untilMs: Date.now() + cachedMs })
    return value
  }
}
