import assert from 'node:assert/strict'
import { changesSettled, type Reply, type TestClient, type TestGateway } from '../harness.ts'
import { expectOk } from '../story.ts'

/** The change feed as the platform reads it. */

export type Change = Record<string, unknown>

export function getChanges(platform: TestClient, query: Record<string, string> = {}): Promise<Reply> {
  return platform.get(`/booking/changes?${new URLSearchParams(query).toString()}`)
}

/** The cursor after all changes so far. */
export async function cursorOfNow({ db }: TestGateway, platform: TestClient): Promise<string> {
  await changesSettled(db)
  return String(expectOk(await getChanges(platform)).body['cursor'])
}

export function changesIn(reply: Reply): Change[] {
  const list = expectOk(reply).body['changes']
  assert.ok(Array.isArray(list))
  return list
}
