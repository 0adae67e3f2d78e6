import { packBodies } from '../src/push-log/bodies/pack-bodies.ts'
import { asAdmin, type TestAddress } from '../test/stage/postgres.ts'
import {
  addUsualTables,
  benchNow,
  load,
  middleOf,
  openStage,
  residentMegabytes,
  startPeer,
  type Measured,
  type Stage,
} from './stage/stage.ts'
import { perSecond, row, measuredText, type Row } from './stage/table.ts'
import { fullYearPush, smallPushes, type Workload } from './stage/workload.ts'

const connections = 64
const seconds = 8
const warmSeconds = 4

/**
 * Small pushes: first to existing months, then to new ones. Peers take turns, so that a drift of the machine
 * affects all.
 */
export async function smallPushesTo(server: TestAddress): Promise<Row[]> {
  const existing: Workload = { hotels: 1_000, roomsPerHotel: 2, ratesPerRoom: 2 }
  const stage = await openStage(server, existing)
  await addUsualTables(stage)
  // Two months ahead, so that after the warm-up nearly every push finds its months.
  const bodies = smallPushes(existing, 20_000, 60, 1)
  const ours = await median('ours', stage, bodies)
  const usual = await median('usual', stage, bodies)
  const noop = await median('noop', stage, bodies)
  const logged = await bytesPerLoggedPush(stage)
  await stage.drop()

  // Two years ahead in many hotels: nearly every push makes two new months.
  const spread: Workload = { hotels: 20_000, roomsPerHotel: 2, ratesPerRoom: 2 }
  const fresh = await openStage(server, spread)
  const peer = await startPeer('ours', fresh)
  await load(peer, fresh, smallPushes(spread, 5_000, 720, 3), { connections, seconds: 2 })
  const made = await load(peer, fresh, smallPushes(spread, 200_000, 720, 4), { connections, seconds })
  const { rows } = await fresh.db.query<{ months: number }>('select count(*)::int as months from ari_month')
  const megabytes = await residentMegabytes(peer)
  await peer.stop()
  await fresh.drop()

  return [
    row(
      'small pushes, durable',
      measuredText(ours),
      `usual stack ${measuredText(usual)}`,
      ours.perSecond / usual.perSecond,
      { atLeast: 10 },
    ),
    row(
      'small pushes, months exist',
      measuredText(ours),
      `no-op ceiling ${measuredText(noop)}`,
      ours.perSecond / noop.perSecond,
      { atLeast: 0.3 },
    ),
    row(
      `small pushes, months new (${rows[0]?.months ?? 0} made)`,
      measuredText(made),
      `no-op ceiling ${measuredText(noop)}`,
      made.perSecond / noop.perSecond,
      { atLeast: 0.2 },
    ),
    row(
      'bytes a small push leaves in the log, indexes included',
      logged.toFixed(0),
      '',
      logged,
      { atMost: 300 },
      'B',
    ),
    row(
      'memory after that load',
      `${megabytes.toFixed(0)} MB resident`,
      '',
      megabytes,
      { atMost: 250 },
      'MB',
    ),
  ]
}

/** Once the bodies are packed, as they are a minute later; without the empty tables of the days to come. */
async function bytesPerLoggedPush({ db, address }: Stage): Promise<number> {
  await packBodies(db, benchNow + 86_400_000)
  await asAdmin(address, 'vacuum push_body_batch')
  const { rows } = await db.query<{ bytes: number }>(
    `select (select sum(pg_total_relation_size(relid)) from (
         select relid from pg_partition_tree('push_log') where pg_relation_size(relid) > 0
         union all select relid from pg_partition_tree('push_body_segment') where pg_relation_size(relid) > 0
         union all select 'push_body_batch'::regclass
       ) as tables (relid))::float8 / (select count(*) from push_log) as bytes`,
  )
  return rows[0]?.bytes ?? Infinity
}

async function median(
  name: 'ours' | 'usual' | 'noop',
  stage: Stage,
  bodies: readonly string[],
): Promise<Measured> {
  const peer = await startPeer(name, stage)
  await load(peer, stage, bodies, { connections, seconds: warmSeconds })
  const runs: Measured[] = []
  for (let run = 0; run < 3; run++) runs.push(await load(peer, stage, bodies, { connections, seconds }))
  await peer.stop()
  return middleOf(runs)
}

/** A year of a hotel with 50 room-rates as one push; four clients, each with its own hotels. */
export async function fullYear(server: TestAddress): Promise<Row[]> {
  const workload: Workload = { hotels: 24, roomsPerHotel: 10, ratesPerRoom: 5 }
  const cellsPerPush = (10 * 5 + 10) * 365
  const bodies = Array.from({ length: workload.hotels }, (_, hotel) =>
    fullYearPush(`H${hotel}`, workload, hotel),
  )
  const stage = await openStage(server, workload)
  await addUsualTables(stage)
  const how = { connections: 4, seconds: 15 }
  const measured: Record<'ours' | 'usual', number> = { ours: 0, usual: 0 }
  for (const name of ['ours', 'usual'] as const) {
    const peer = await startPeer(name, stage)
    // Every hotel once, as far as the time goes.
    await load(peer, stage, bodies, { connections: 4, seconds: name === 'ours' ? 6 : 20 })
    measured[name] = (await load(peer, stage, bodies, how)).perSecond * cellsPerPush
    await peer.stop()
  }
  const bytes = await bytesPerCell(stage, cellsPerPush)
  await stage.drop()
  return [
    row(
      'full-year pushes (50 room-rates × 365 nights, 4 prices)',
      `${perSecond(measured.ours)} cells`,
      `usual stack ${perSecond(measured.usual)} cells`,
      measured.ours / measured.usual,
      { atLeast: 50 },
    ),
    row(
      'bytes stored a cell',
      bytes.ours.toFixed(1),
      `a row a night ${bytes.usual.toFixed(0)}`,
      bytes.ours,
      { atMost: 8 },
      'B',
    ),
  ]
}

/**
 * The size of tables with their indexes, compacted as they would be after a quiet night, per cell of the hotels
 * that each side got to: the slower one may not have reached them all.
 */
async function bytesPerCell(
  { db, address }: Stage,
  cellsPerHotel: number,
): Promise<{ ours: number; usual: number }> {
  await asAdmin(address, 'vacuum full ari_month')
  await asAdmin(address, 'vacuum full usual_rate_daily')
  await asAdmin(address, 'vacuum full usual_inventory')
  const { rows } = await db.query<{ ours: number; hotels: number; usual: number; cells: number }>(
    `select pg_total_relation_size('ari_month')::float8 as ours,
       (select count(distinct hotel_id) from ari_month)::float8 as hotels,
       (pg_total_relation_size('usual_rate_daily') + pg_total_relation_size('usual_inventory'))::float8 as usual,
       ((select count(*) from usual_rate_daily) + (select count(*) from usual_inventory))::float8 as cells`,
  )
  const [{ ours, hotels, usual, cells } = { ours: 0, hotels: 1, usual: 0, cells: 1 }] = rows
  return { ours: ours / (hotels * cellsPerHotel), usual: usual / cells }
}
