import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '../../src/postgres/postgres.ts'
import { runHourly, type HourlyRun } from '../../src/deliveries/worker/hourly-run.ts'
import { book, startDeliveryTest, type DeliveryTest } from '../../test/stage/scenes/deliveries.ts'

/** The hourly run runs once for each hour, whatever clock changes the world has, on virtual time. */

const hourMs = 3_600_000
const years = { from: '2026-01-01T00:00:00Z', to: '2032-01-01T00:00:00Z' }
const noon = Date.parse('2027-03-01T12:00:00Z')

let stage: DeliveryTest
let second: Database
let reservationId = 0
const timeZone = process.env['TZ']

before(async () => {
  stage = await startDeliveryTest()
  const supplier = await stage.supplierAt('hourly', undefined)
  const [booked] = await book(stage.gateway, supplier)
  reservationId = booked?.reservationId ?? 0
  // As if its URL had been registered.
  await stage.gateway.db.query("update delivery set endpoint = 1, give_up_at = 'infinity'")
  const other = await stage.gateway.second()
  second = other.db
})
after(async () => {
  if (timeZone === undefined) delete process.env['TZ']
  else process.env['TZ'] = timeZone
  await stage.stop()
})

/** A process's poll, at a given instant. */
type Look = (db: Database, nowMs: number) => Promise<HourlyRun>

const look: Look = (db, nowMs) =>
  runHourly({ db, clock: { now: () => nowMs }, vault: { openableKeyIds: () => [] } })

/** One delivery that waits for the run, and no hour done. */
async function startAnew(): Promise<void> {
  await stage.gateway.db.query('truncate hourly_run')
  await waitAgain()
}

async function waitAgain(): Promise<number> {
  const { rowCount } = await stage.gateway.db.query(
    "update delivery set due_at = 'infinity' where reservation_id = $1 and due_at <> 'infinity'",
    [reservationId],
  )
  return rowCount ?? 0
}

/**
 * Two processes poll concurrently at each of these instants; returns the hours that were run, and how often
 * the delivery became due.
 */
async function watch(
  instants: readonly number[],
  byLook: Look = look,
): Promise<{ hours: number[]; due: number }> {
  const hours: number[] = []
  let due = 0
  for (const nowMs of instants) {
    const runs = await Promise.all([byLook(stage.gateway.db, nowMs), byLook(second, nowMs)])
    hours.push(...runs.flatMap((run) => run.hours))
    due += await waitAgain()
  }
  return { hours, due }
}

function every(stepMs: number, fromMs: number, toMs: number): number[] {
  return Array.from(
    { length: Math.floor((toMs - fromMs) / stepMs) + 1 },
    (_, index) => fromMs + index * stepMs,
  )
}

const hoursBetween = (fromMs: number, toMs: number): number[] => every(hourMs, fromMs, toMs)
const shown = (hours: readonly number[]): string[] =>
  hours.map((hour) => new Date(hour).toISOString().slice(0, 13))

/** Every instant at which some zone's clocks change, with one of those zones. */
function clockChanges(): Map<number, string> {
  const zoneByInstant = new Map<number, string>()
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    let at = Temporal.Instant.from(years.from).toZonedDateTimeISO(zone)
    for (;;) {
      const next = at.getTimeZoneTransition('next')
      if (!next || Temporal.Instant.compare(next.toInstant(), Temporal.Instant.from(years.to)) >= 0) break
      zoneByInstant.set(next.epochMilliseconds, zone)
      at = next
    }
  }
  return zoneByInstant
}

/** The hours skipped or doubled around the changes, in a process of the zone whose clocks change. */
async function problems(changes: ReadonlyMap<number, string>, byLook: Look): Promise<string[]> {
  const wrong: string[] = []
  for (const [changeMs, zone] of changes) {
    process.env['TZ'] = zone
    await startAnew()
    const firstMs = Math.floor(changeMs / hourMs) * hourMs - 2 * hourMs
    const { hours, due } = await watch(every(20 * 60_000 + 1_000, firstMs, firstMs + 5 * hourMs - 1), byLook)
    const wanted = hoursBetween(firstMs, firstMs + 4 * hourMs)
    if (shown(hours).join() !== shown(wanted).join())
      wrong.push(`${zone}: ${shown(hours).join(' ')} instead of ${shown(wanted).join(' ')}`)
    else if (due !== wanted.length) wrong.push(`${zone}: due ${due} times in ${wanted.length} hours`)
  }
  return wrong
}

test('around every change of clocks of every zone, 2026 to 2031, two processes make each hour once', async (t) => {
  const changes = clockChanges()
  assert.deepEqual(await problems(changes, look), [])
  t.diagnostic(`${changes.size} changes of clocks`)
})

test('the comparison finds a run that goes by the clock on the wall', async () => {
  const made = new Set<string>()
  const byWall: Look = async (db, nowMs) => {
    const wall = new Date(nowMs)
    const mark = `${wall.getFullYear()}-${wall.getMonth()}-${wall.getDate()} ${wall.getHours()}`
    if (made.has(mark)) return { hours: [], deliveries: 0 }
    made.add(mark)
    return await look(db, nowMs)
  }
  const autumn = Date.parse('2027-10-31T01:00:00Z')
  const wrong = await problems(new Map([[autumn, 'Europe/Paris']]), byWall)
  assert.equal(wrong.length, 1, wrong.join('\n'))
})

test('a clock that is set back makes no hour twice, and one that ran ahead none when it comes by again', async () => {
  const at = (hours: number): number => noon + hours * hourMs
  await startAnew()
  await watch([-3, -2, -1].map(at))
  const back = await watch([0.5, -2, -1.5, -0.9, 0, 0.9, 1].map(at))
  assert.deepEqual([shown(back.hours), back.due], [shown([0, 1].map(at)), 2])
  const ahead = await watch([5, 1.5, 2, 4.9, 5.5, 6].map(at))
  assert.deepEqual([shown(ahead.hours), ahead.due], [shown([2, 3, 4, 5, 6].map(at)), 2])
})

test('missed hours are made up for by one run, and none of them twice after a restart', async () => {
  await startAnew()
  const { hours, due } = await watch([noon, noon + 7.4 * hourMs, noon + 7.4 * hourMs, noon + 8 * hourMs])
  assert.deepEqual([shown(hours), due], [shown(hoursBetween(noon, noon + 8 * hourMs)), 3])
})

test('a run that is cut off leaves no trace, and the next poll repeats it', async () => {
  await startAnew()
  await watch([noon])
  for (const statement of [
    'insert into hourly_run',
    'update delivery set due_at',
    'update hourly_run',
    'commit',
  ]) {
    const cut = cutAt(stage.gateway.db, statement)
    await assert.rejects(look(cut, noon + hourMs), /cut off/)
    const { rows } = await stage.gateway.db.query<{ made: number; due: number }>(
      `select (select count(*)::int from hourly_run) as made,
         (select count(*)::int from delivery where due_at <> 'infinity') as due`,
    )
    assert.deepEqual([statement, rows], [statement, [{ made: 1, due: 0 }]])
  }
  assert.deepEqual(await watch([noon + hourMs]), { hours: [noon + hourMs], due: 1 })
})

/** A database whose connection breaks before a statement, which loses everything uncommitted. */
function cutAt(db: Database, statement: string): Database {
  const pool = new Proxy(db.unhurried.pool, {
    get: (target, name) => {
      if (name !== 'connect') return Reflect.get(target, name)
      return async () => {
        const client = await target.connect()
        const query = client.query.bind(client)
        const restore = (): void => void Reflect.deleteProperty(client, 'query')
        Object.defineProperty(client, 'query', {
          configurable: true,
          value: (asked: string | { text: string }, values?: unknown[]) => {
            const text = typeof asked === 'string' ? asked : asked.text
            if (!text.trim().startsWith(statement)) return query(asked, values)
            restore()
            return Promise.reject(new Error('cut off'))
          },
        })
        return client
      }
    },
  })
  return { ...db, unhurried: { ...db.unhurried, pool } }
}
