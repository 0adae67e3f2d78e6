/**
 * Two ways to follow the feed: long polling, and a stream of events. Both resume where they were after any
 * failure.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../crash/http.ts'
import { Cache, read, type Change } from './consumer.ts'

const afterFailureMs = 20

export type Follower = {
  name: string
  cache: Cache
  /** Follows until no more changes come. */
  finish: () => Promise<void>
  /** Stops following. */
  leave: () => void
}

export type Platform = { clientOf: () => Client; url: () => string; token: string }

function ask({ clientOf, token }: Platform, query: string): Promise<Record<string, unknown>> {
  return read(clientOf, `/booking/changes${query}`, undefined, { authorization: `Bearer ${token}` })
}

export async function cursorOfNow(platform: Platform): Promise<string> {
  const { cursor } = await ask(platform, '')
  return String(cursor)
}

export function pollingFollower(platform: Platform, supplier: () => Client, start: string): Follower {
  const cache = new Cache(supplier)
  const life = { isEnding: false, isOver: false }
  const follow = async (): Promise<void> => {
    for (let after = start; ;) {
      const isEnding = life.isEnding
      const page = await ask(platform, `?limit=20&wait=1&after=${after}`)
      // The boundary: the answer of the service.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const changes = page['changes'] as Change[]
      for (const change of changes) cache.note(change)
      after = String(page['cursor'])
      if (isEnding && changes.length === 0 && page['hasMore'] === false) return
    }
  }
  const done = follow()
  const finish = async (): Promise<void> => {
    life.isEnding = true
    await done
    await cache.finish()
  }
  const over = (): void => {
    life.isOver = true
    void cache.finish()
  }
  return { name: 'by asking', cache, finish, leave: over }
}

/** Whether no change follows the cursor. */
async function isAtEnd(platform: Platform, cursor: string): Promise<boolean> {
  const { changes, hasMore } = await ask(platform, `?limit=1&after=${cursor}`)
  return Array.isArray(changes) && changes.length === 0 && hasMore === false
}

export function streamingFollower(platform: Platform, supplier: () => Client, start: string): Follower {
  const cache = new Cache(supplier)
  const life = { isOver: false }
  let last = start
  let leave = new AbortController()
  const take = (text: string): void => {
    const fields = new Map(
      text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    if (fields.get('event') === 'change') cache.note(JSON.parse(fields.get('data') ?? ''))
    last = fields.get('id') ?? last
  }
  const connect = async (): Promise<void> => {
    leave = new AbortController()
    const response = await fetch(`${platform.url()}/v1/booking/changes?after=${start}`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${platform.token}`,
        'last-event-id': last,
      },
      signal: leave.signal,
    })
    if (response.status !== 200 || !response.body) return
    let text = ''
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        take(event)
      }
    }
  }
  const follow = async (): Promise<void> => {
    while (!life.isOver) {
      // Broken off by the end of a service, or by `finish`.
      await connect().catch(() => {})
      await wait(afterFailureMs)
    }
  }
  const done = follow()
  const finish = async (): Promise<void> => {
    while (!(await isAtEnd(platform, last))) await wait(afterFailureMs)
    life.isOver = true
    leave.abort()
    await done
    await cache.finish()
  }
  const over = (): void => {
    life.isOver = true
    leave.abort()
    void cache.finish()
  }
  return { name: 'by events', cache, finish, leave: over }
}
