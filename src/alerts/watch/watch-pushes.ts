import { instantOf, minuteMs } from '../../base/calendar.ts'
import type { Finding } from '../../findings/store.ts'
import { raiseFindings, settleFindings } from '../../findings/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { workOn } from '../../push-log/bodies/body-work.ts'
import { readPushBytes } from '../../push-log/bodies/bodies.ts'
import { requestIdOfRow } from '../../push-log/request-ids.ts'
import { readRefusedItems, type ItemsOfPush } from './refused-items.ts'
import type { WatchNeeds } from './watch-needs.ts'

/** Watches over what suppliers push: refused items, and requested pushes. */

export const pushWatch = {
  windowMinutes: 15,
  refusedShare: 0.05,
  /** One item that is refused in so many pushes is an alert, whatever the share. */
  sameItemTimes: 3,
  /** Of these pushes of a key, the newest refused ones, the items are counted; those of others are estimated. */
  pushesRead: 20,
  bytesRead: 4_000_000,
  keysAtOnce: 200,
} as const

type KeyTraffic = {
  supplierId: number
  keyId: number
  pushes: number
  bytes: number
  refusedPushes: number
  refusedBytes: number
}

/** `push.refused`: more than 5 % of a key's items in 15 minutes, or one item three times. */
export async function watchRefused(needs: WatchNeeds, nowMs: number): Promise<void> {
  const sinceMs = nowMs - pushWatch.windowMinutes * minuteMs
  const keys = await selectRefusingKeys(needs.db, sinceMs, nowMs)
  const findings: Finding[] = []
  for (const key of keys) {
    const finding = judgeKey(key, await readRefused(needs, key, { sinceMs, nowMs }))
    if (finding) findings.push(finding)
  }
  if (keys.length < pushWatch.keysAtOnce) await settleFindings(needs.db, 'push.refused', { findings, nowMs })
  else await raiseFindings(needs.db, findings, nowMs)
}

async function selectRefusingKeys(db: Queryable, sinceMs: number, nowMs: number): Promise<KeyTraffic[]> {
  const refused = `outcome in ('partial', 'rejected')`
  // Unnamed, so that it is planned with the actual instants and reads only the pages of that time.
  const { rows } = await db.query<KeyTraffic>(
    `with refusing as (
       select distinct key_id from push_log
       where ${refused} and key_id is not null and kind = 'ari' and at > instant($1) and at <= instant($2) limit $3
     )
     select supplier_id as "supplierId", key_id as "keyId", count(*)::int as pushes, sum(body_bytes)::float8 as bytes,
       count(*) filter (where ${refused})::int as "refusedPushes",
       coalesce(sum(body_bytes) filter (where ${refused}), 0)::float8 as "refusedBytes"
     from push_log join refusing using (key_id)
     where kind = 'ari' and outcome <> 'dryRun' and at > instant($1) and at <= instant($2)
     group by 1, 2`,
    [sinceMs, nowMs, pushWatch.keysAtOnce],
  )
  return rows
}

type RefusedPush = ItemsOfPush & { requestId: string; bytes: number }

async function readRefused(
  { db, archive }: WatchNeeds,
  { supplierId, keyId }: KeyTraffic,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<RefusedPush[]> {
  const { rows } = await db.query<{
    id: number
    requestId: string
    atMs: number
    bytes: number
    hotel: string
  }>(
    `select id::float8 as id, ${requestIdOfRow} as "requestId", epoch_ms(at) as "atMs", body_bytes as bytes,
       coalesce(hotel_code, '') as hotel
     from push_log
     where supplier_id = $1 and key_id = $2 and kind = 'ari' and outcome in ('partial', 'rejected')
       and at > instant($3) and at <= instant($4)
     order by id >> 14 desc, id desc limit $5`,
    [supplierId, keyId, sinceMs, nowMs, pushWatch.pushesRead],
  )
  const pushes: RefusedPush[] = []
  let bytesRead = 0
  for (const { atMs, hotel, bytes, ...row } of rows) {
    bytesRead += bytes
    if (pushes.length > 0 && bytesRead > pushWatch.bytesRead) break
    const read = await readPushBytes({ db, archive }, { ...row, at: instantOf(atMs) })
    if (!read) continue
    const refused = await workOn(readRefusedItems, supplierId, [read.body, read.answer], hotel)
    pushes.push({ requestId: row.requestId, bytes, ...refused })
  }
  return pushes
}

/** Of pushes that were not read, the items are estimated by their size. */
export function judgeKey(traffic: KeyTraffic, read: readonly RefusedPush[]): Finding | undefined {
  const itemsRead = sum(read.map(({ items }) => items))
  const bytesPerItem = Math.max(1, sum(read.map(({ bytes }) => bytes)) / Math.max(1, itemsRead))
  const refusedRead = sum(read.map(({ refused }) => refused.length))
  const unread = traffic.refusedPushes - read.length
  const refused =
    refusedRead + (unread > 0 ? Math.round((refusedRead / Math.max(1, read.length)) * unread) : 0)
  const bytesUnread = Math.max(0, traffic.bytes - sum(read.map(({ bytes }) => bytes)))
  const pushesUnread = traffic.pushes - read.length
  const items = itemsRead + Math.max(pushesUnread, Math.round(bytesUnread / bytesPerItem))
  const timesById = new Map<string, number>()
  const timesByType = new Map<string, number>()
  for (const push of read) {
    for (const id of new Set(push.refused.map((item) => item.id)))
      timesById.set(id, (timesById.get(id) ?? 0) + 1)
    for (const { type } of push.refused) timesByType.set(type, (timesByType.get(type) ?? 0) + 1)
  }
  const [sameItem, sameItemTimes] = mostOf(timesById)
  const share = refused / Math.max(1, items)
  if (share <= pushWatch.refusedShare && sameItemTimes < pushWatch.sameItemTimes) return undefined
  return {
    supplierId: traffic.supplierId,
    kind: 'push.refused',
    keyId: traffic.keyId,
    count: refused,
    evidence: {
      minutes: pushWatch.windowMinutes,
      pushes: traffic.pushes,
      itemsAbout: items,
      sharePercent: Math.round(share * 1_000) / 10,
      mostFrequentError: mostOf(timesByType)[0],
      ...(sameItemTimes >= pushWatch.sameItemTimes ? { sameItem, sameItemTimes } : {}),
      requestIds: read.slice(0, 3).map(({ requestId }) => requestId),
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function mostOf(times: ReadonlyMap<string, number>): [string, number] {
  let most: [string, number] = ['', 0]
  for (const one of times) if (one[1] > most[1]) most = one
  return most
}
