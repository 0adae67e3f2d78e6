/** Works on the values in their order, on so many of them at once. */
export async function inTurns<Value>(
  values: readonly Value[],
  atOnce: number,
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const waiting = values.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const value of waiting) await work(value)
    }),
  )
}
