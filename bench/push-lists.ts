import pg from 'pg'
import { createKey } from '../src/keys/manage.ts'
import { preparePartitions } from '../src/push-log/bodies/housekeeping.ts'
import { client, type TestClient } from '../test/stage/harness.ts'
import type { TestAddress } from '../test/stage/postgres.ts'
import { operatorOf, slowestRow, timesOfEach } from './hotel-search.ts'
import { benchNow, openStage, startGatewayOn, type Stage } from './stage/stage.ts'
import type { Row } from './stage/table.ts'

/** One supplier sends half of all pushes; these share the rest. */
const otherSuppliers = 39
const days = 10
const hotelsOfEach = 3
const dayMs = 86_400_000

const supplierLists: Readonly<Record<string, string>> = {
  all: '',
  'of a hotel': 'hotelId=H0',
  refused: 'outcome=rejected',
  'with a frequent warning': 'problem=COMMON',
  'with a rare warning': 'problem=RARE',
  'of products': 'kind=products',
}

/** `{supplier}` and `{hotel}` are those of the largest supplier. */
const consoleLists: Readonly<Record<string, string>> = {
  all: '',
  'of a supplier': 'supplierId={supplier}',
  'of a hotel': 'hotelId={hotel}',
  refused: 'outcome=rejected',
  'answered with 400': 'status=400',
  'of a supplier, refused': 'supplierId={supplier}&outcome=rejected',
}

/** How long the first page of each list of pushes takes, with this many in the log. */
export async function pushLists(server: TestAddress, pushes: number): Promise<Row[]> {
  const stage = await openStage(server, { hotels: hotelsOfEach, roomsPerHotel: 1, ratesPerRoom: 1 })
  try {
    await fillLog(stage, pushes)
    const gateway = await startGatewayOn(server, stage)
    try {
      const { rows } = await stage.db.query<{ supplier: number; hotel: number }>(
        `select supplier_id as supplier, id as hotel from hotel where code = 'H0' order by id limit 1`,
      )
      const { supplier = 0, hotel = 0 } = rows[0] ?? {}
      const ofConsole = Object.entries(consoleLists).map(([what, query]): [string, string] => [
        what,
        query.replace('{supplier}', String(supplier)).replace('{hotel}', String(hotel)),
      ])
      const largest = client(gateway.url, { 'x-api-key': stage.apiKey })
      return [
        await slowestOf('API', pushes, largest, '/push/log?', supplierLists),
        await slowestOf(
          'console',
          pushes,
          await operatorOf(gateway),
          '/pushes?',
          Object.fromEntries(ofConsole),
        ),
      ]
    } finally {
      await gateway.stop()
    }
  } finally {
    await stage.drop()
  }
}

async function slowestOf(
  where: string,
  pushes: number,
  caller: TestClient,
  path: string,
  queries: Readonly<Record<string, string>>,
): Promise<Row> {
  const answered = await timesOfEach(caller, path, queries)
  const lists = `${answered.length} lists of ${pushes.toLocaleString('en')} pushes`
  return slowestRow(answered, (name) => `${where}: the slowest of ${lists} (${name})`, 30)
}

/** One push in 1,000 is refused, one in ten has a warning, and one in 100,000 a rare one. */
async function fillLog({ address, db }: Stage, pushes: number): Promise<void> {
  for (let number = 1; number <= otherSuppliers; number++) {
    const supplier = `other ${number}`
    await createKey(db, 'sandbox', { supplier, channelManager: supplier, expiresAtMs: null, limits: {} })
  }
  const connection = new pg.Client(address)
  await connection.connect()
  try {
    await connection.query(
      `insert into hotel (supplier_id, key_id, code, name, currency, is_available, min_child_age, max_child_age, time_zone, pushed, revision, catalog_version)
       select supplier_id, key.id, 'H' || n, 'Hotel', 'USD', true, 2, 12, 'UTC', '{}', 1, 1
       from (select * from api_key order by id offset 1) as key, generate_series(0, ${hotelsOfEach} - 1) as n`,
    )
    for (let day = days - 1; day >= 0; day--) {
      await preparePartitions(db, benchNow - day * dayMs)
      await connection.query(
        `insert into push_log (at, supplier_id, key_id, request_uuid, kind, hotel_id, hotel_code, outcome, problems, warnings,
           status, revision, cells_changed, duration_ms, body_bytes, body_encoding, body)
         select instant($1::float8) - (${day} + (1 - n / $2::float8) / 3) * interval '1 day', hotel.supplier_id, hotel.key_id, gen_random_uuid(), 'ari',
           hotel.id, hotel.code, case when n % 1000 = 0 then 'rejected' else 'applied' end::push_outcome,
           case when n % 1000 = 0 then jsonb_build_array(1, jsonb_build_array('ROOM_NOT_FOUND'), 'x') end,
           case when n % 10 = 0 then jsonb_build_array(1, jsonb_build_array(case when n % 100000 = 0 then 'RARE' else 'COMMON' end), 'x') end,
           case when n % 1000 = 0 then 400 end, n, 1, 1, 200, 'identity', $3
         from generate_series(1, $2::int) as n
         join (select *, row_number() over (order by id) - 1 as number from hotel) as hotel
           on hotel.number = case when n % 2 = 0 then n / 2 % ${hotelsOfEach} else ${hotelsOfEach} + n / 2 % ${hotelsOfEach * otherSuppliers} end
         order by n`,
        [benchNow, Math.floor(pushes / days), Buffer.alloc(40)],
      )
    }
    await connection.query('vacuum analyze push_log')
  } finally {
    await connection.end()
  }
}
