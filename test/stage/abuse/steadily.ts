export type Steady = {
  /** Stops sending; resolves when everything is answered, or when the time given is over. */
  stop: (withinMs: number) => Promise<Calls>
}

export type Calls = {
  count: number
  /** Among those answered 200, 0 to 1. */
  share: number
  p99Ms: number
  /** Counts of other answers and of calls without an answer. */
  others: Readonly<Record<string, number>>
}

/**
 * Calls at a steady rate, whatever happened to earlier calls: a slow answer must not spare the service the
 * calls that would have come meanwhile. A call's duration counts from the moment at which it was due.
 */
export function steadily(perSecond: number, send: (count: number) => Promise<{ status: number }>): Steady {
  const beganMs = performance.now()
  const tookMs: number[] = []
  const others: Record<string, number> = {}
  const sent: Promise<void>[] = []
  const over = new AbortController()
  const late = new Promise<string>((resolve) => {
    over.signal.addEventListener('abort', () => resolve('no answer'))
  })
  const call = async (count: number): Promise<void> => {
    const answered = send(count).then(
      ({ status }) => String(status),
      (error: unknown) => reasonOf(error),
    )
    const outcome = await Promise.race([answered, late])
    tookMs.push(performance.now() - beganMs - (count / perSecond) * 1_000)
    if (outcome !== '200') others[outcome] = (others[outcome] ?? 0) + 1
  }
  const sendDue = (): void => {
    const due = ((performance.now() - beganMs) / 1_000) * perSecond
    while (sent.length < due) sent.push(call(sent.length))
  }
  const sending = setInterval(sendDue, 5)
  return {
    stop: async (withinMs) => {
      clearInterval(sending)
      const giveUp = setTimeout(() => over.abort(), withinMs)
      await Promise.all(sent)
      clearTimeout(giveUp)
      const failed = Object.values(others).reduce((sum, count) => sum + count, 0)
      const sorted = tookMs.toSorted((one, other) => one - other)
      const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0
      return { count: sent.length, share: 1 - failed / sent.length, p99Ms, others }
    },
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  return error.cause instanceof Error ? error.cause.message : error.message
}
