import assert from 'node:assert/strict'
import type { TestClient } from './harness.ts'
import { expectOk } from './story.ts'

const pagesMax = 1_000

/** All pages of a list, read one after another by their cursors. The path already has a query. */
export async function pagesOf(client: TestClient, path: string): Promise<Record<string, unknown>[]> {
  const pages: Record<string, unknown>[] = []
  let cursor = ''
  while (pages.length < pagesMax) {
    const { body } = expectOk(await client.get(`${path}${cursor}`))
    pages.push(body)
    const { nextCursor: next } = body
    if (next === null) return pages
    assert.ok(typeof next === 'string')
    cursor = `&cursor=${next}`
  }
  throw new Error(`${path} has no last page`)
}
