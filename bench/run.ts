/** The benchmark table: this service beside peers that are measured in the same run, on the same PostgreSQL. */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestPostgres, type TestAddress } from '../test/stage/postgres.ts'
import { besideBadEndpoints } from './bad-endpoints.ts'
import { bulk } from './bulk.ts'
import { calendar } from './calendar.ts'
import { deliveries } from './deliveries.ts'
import { digest } from './digest.ts'
import { impact } from './impact.ts'
import { hotelSearch } from './hotel-search.ts'
import { manyHotels } from './many-hotels.ts'
import { manyProcesses } from './many-processes.ts'
import { million } from './million.ts'
import { offers } from './offers.ts'
import { priceChecks } from './price-checks.ts'
import { pushLists } from './push-lists.ts'
import { fullYear, smallPushesTo } from './pushes.ts'
import { startTimes } from './start-times.ts'
import { table, type Row } from './stage/table.ts'

const parts = {
  small: smallPushesTo,
  year: fullYear,
  hotels: manyHotels,
  offers,
  processes: manyProcesses,
  'price-check': priceChecks,
  deliveries,
  start: startTimes,
  'bad-endpoints': besideBadEndpoints,
  search: hotelSearch,
  calendar,
  digest: (server) => digest(server, slowness),
  impact,
} satisfies Record<string, (server: TestAddress) => Promise<Row[]>>

/** Only when named: they take up to half an hour and 10 GB of disk. */
const onlyWhenNamed: Readonly<Record<string, (server: TestAddress) => Promise<Row[]>>> = {
  million: (server) => million(server, { hotels: Number(values.hotels), months: 10 * Number(values.hotels) }),
  bulk: (server) => bulk(server, Number(values.lines)),
  'push-lists': (server) => pushLists(server, Number(values.pushes)),
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    hotels: { type: 'string', default: '1000000' },
    pushes: { type: 'string', default: '10000000' },
    lines: { type: 'string', default: '1000000' },
  },
})
const wanted = new Set(values.only ?? Object.keys(parts))

const slowness = Number(
  execFileSync(process.execPath, [resolve(import.meta.dirname, '../scripts/machine-speed.ts')]),
)
/** As docs/scaling.md says for so many hotels, of which no default would hold a part. */
const bufferMegabytes = wanted.has('million') ? Math.floor(totalmem() / 4 / 2 ** 20) : undefined
const postgres = await startTestPostgres({ bufferMegabytes })
process.stdout.write(
  `${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, Node ${process.version}, PostgreSQL ${postgres.version}\n`,
)
process.stdout.write(`The machine is ${slowness} times slower than usual.\n`)
if (bufferMegabytes !== undefined)
  process.stdout.write(`PostgreSQL has ${bufferMegabytes} MB of shared_buffers.\n`)
process.stdout.write(
  'Load generator, service and PostgreSQL share the machine. Bars are ratios to peers of the same run.\n\n',
)
try {
  const rows: Row[] = []
  for (const [name, measure] of Object.entries({ ...parts, ...onlyWhenNamed })) {
    if (!wanted.has(name)) continue
    process.stderr.write(`measuring: ${name}\n`)
    rows.push(...(await measure(postgres.address)))
  }
  process.stdout.write(table(rows))
} finally {
  await postgres.stop()
}
