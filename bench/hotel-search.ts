import { client, startGateway, type TestClient, type TestGateway } from '../test/harness.ts'
import type { TestAddress } from '../test/postgres.ts'
import { quantile } from './client.ts'
import { row, type Row } from './table.ts'

const hotels = 100_000
const suppliers = 300
const askedTimes = 20

const searches: Readonly<Record<string, string>> = {
  'the first page': '',
  'a letter': 'search=e',
  'a word of many': 'search=hotel',
  'a name with accents': 'search=Étoile+Zürich',
  'part of a rare word': 'search=c4ca4',
  'a code': 'search=H77777',
  'a platform id': 'search=77777',
  'what nothing has': 'search=qqxyz',
  'words that never meet': 'search=kyoto+alameda+riva',
  'a supplier by name': 'search=supplier+299',
  'hotels of a supplier': 'supplierId=7',
  'a name of a supplier': 'supplierId=7&search=sonne',
  'a rare country and currency': 'country=IS&currency=ISK',
  'not open': 'available=no&search=post',
  'without ARI': 'ari=none',
  stale: 'staleSince=2027-01-20',
  'stale since ever': 'staleSince=2020-01-01',
  'ends soon': 'endsBy=2027-03',
  'lacks products': 'goLive=products',
  'lacks webhooks': 'goLive=webhooks&search=etoile',
  ready: 'goLive=ready',
  'longest without ARI': 'sort=stalest',
  'ARI ending soonest first': 'sort=ending&ari=some',
  newest: 'sort=newest&search=villa',
}

/**
 * Operators' searches must finish while they type, however much is stored: 19 times of 20, for any search.
 */
export async function hotelSearch(_server: TestAddress): Promise<Row[]> {
  const gateway = await startGateway()
  try {
    const authorization = `Bearer ${await gateway.token('operator')}`
    const operator = client(gateway.url, { authorization }, '/console/api')
    await fill(gateway)
    const p95ByName = new Map<string, number>()
    for (const [what, query] of Object.entries(searches)) p95ByName.set(what, await p95Of(operator, query))
    const [slowest = ['', 0]] = [...p95ByName].sort(([, left], [, right]) => right - left)
    return [
      row(
        `console: the slowest of ${p95ByName.size} searches in ${hotels.toLocaleString('en')} hotels (${slowest[0]})`,
        `p95 ${slowest[1].toFixed(0)} ms`,
        `the first page ${(p95ByName.get('the first page') ?? 0).toFixed(0)} ms`,
        slowest[1],
        { atMost: 100 },
        'ms',
      ),
    ]
  } finally {
    await gateway.stop()
  }
}

async function p95Of(operator: TestClient, query: string): Promise<number> {
  const tookMs: number[] = []
  for (let times = 0; times < askedTimes; times++) {
    const begunMs = performance.now()
    const { status, text } = await operator.get(`/hotels?${query}`)
    tookMs.push(performance.now() - begunMs)
    if (status !== 200) throw new Error(text)
  }
  return quantile(tookMs, 0.95)
}

async function fill({ db }: TestGateway): Promise<void> {
  await db.query(
    `insert into supplier (name) select 'Supplier ' || n from generate_series(1, ${suppliers}) as n`,
  )
  await db.query(
    // Values drawn by a hash don't depend on the name, as in real data.
    `insert into hotel (supplier_id, code, name, currency, is_available, min_child_age, max_child_age, time_zone, pushed,
       city_matched, revision, is_offered, ari_at, ari_until_month)
     select supplier.id, 'H' || n,
       (array['Hotel', 'Hôtel', 'Residence', 'Inn', 'Grand Hotel', 'Resort', 'Villa', 'Palace'])[1 + n % 8] || ' '
         || (array['Bellevue', 'Zur Post', 'Étoile', 'Sonne', 'Riva', 'Østerbro', 'Meridian', 'Alameda', 'Kyoto'])[1 + n / 8 % 9]
         || ' ' || substr(md5(n::text), 1, 6),
       case when drawn % 5000 = 0 then 'ISK' else (array['EUR', 'USD', 'JPY'])[1 + drawn % 3] end, drawn % 50 <> 0, 2, 12,
       'Europe/Paris',
       jsonb_build_object('city', city, 'countryCodeISO2',
         case when drawn % 5000 = 0 then 'IS' else (array['FR', 'GB', 'BR', 'JP', 'CH'])[1 + drawn % 5] end,
         'email', 'desk@hotel.example', 'address', jsonb_build_array('1 Long Street', '75000 ' || city),
         'timezone', 'Europe/Paris', 'latitude', 48.85, 'longitude', 2.35),
       city, 1, drawn % 11 <> 0,
       case when drawn % 200 <> 0 then timestamptz '2027-03-01' - drawn % 1000 * interval '1 hour' end,
       case when drawn % 200 <> 0 then 2027 * 12 + 2 + drawn % 24 end
     from generate_series(1, ${hotels}) as n
       cross join lateral (select abs(hashint4(n)::bigint)) as hashed (drawn)
       join supplier on supplier.name = 'Supplier ' || 1 + drawn % ${suppliers}
       cross join lateral (
         select (array['Paris', 'London', 'São Paulo', 'Tokyo', 'Zürich'])[1 + drawn % 5] as city
       ) as place`,
  )
  await db.query(
    `insert into hotel_search
     select id, supplier_id, left(search_text(name), 100), hotel_words(name, code, city_matched, pushed) from hotel`,
  )
  await db.query(
    `insert into api_key (supplier_id, channel_manager, availability_webhook, pushbook_webhook)
     select id, name, 'https://a.example', case when id % 3 = 0 then 'https://b.example' end from supplier`,
  )
  for (const table of ['hotel', 'hotel_search', 'supplier', 'api_key'])
    await db.query(`vacuum analyze ${table}`)
}
