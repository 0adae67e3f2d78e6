import { dayMs } from '../base/calendar.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs } from '../postgres/postgres.ts'
import { readPushPage } from '../push-log/read/pages.ts'
import type { PushRow } from '../push-log/read/store.ts'
import { evidenceLimits } from './contract.ts'
import { readHotelFacts } from './coverage.ts'
import type { Evidence } from './evidence.ts'
import type { Facts, PushFact } from './facts.ts'
import {
  selectAttemptFacts,
  selectBookingFacts,
  selectCheckNotes,
  selectPriceCheckFacts,
  type CertifiedScope,
} from './store.ts'

/** Dry runs prove nothing. So many of them take hours to make, and the accounts are judged every quarter of an hour. */
const rowsSearchedMax = 20_000

type FactNeeds = Needs & { evidence: Evidence }

/** Reads the newest traffic: each statement has a limit, so an account with years of it costs no more than a new one. */
export async function gatherFacts(needs: FactNeeds, scope: CertifiedScope): Promise<Facts> {
  const { clock } = needs
  const db = needs.db.unhurried
  const nowMs = clock.now()
  const { pushes: rows } = await readPushPage(
    db,
    scope.supplierId,
    { hotelId: scope.hotelId, isDryRun: false, sinceMs: nowMs - evidenceLimits.days * dayMs },
    { position: undefined, limit: evidenceLimits.pushes, nowMs, rowsMax: rowsSearchedMax },
  )
  const pushes = await withFacts(needs, scope.supplierId, rows)
  const hotels = await readHotels(needs, scope.supplierId, pushes)
  return {
    nowMs,
    pushes,
    attempts: await selectAttemptFacts(db, scope),
    priceChecks: await selectPriceCheckFacts(db, scope),
    bookings: await selectBookingFacts(db, scope),
    notes: await selectCheckNotes(db, scope.supplierId),
    hotels: await readHotelFacts(db, hotels, nowMs),
  }
}

async function withFacts(
  { evidence, ...needs }: FactNeeds,
  supplierId: number,
  rows: readonly PushRow[],
): Promise<PushFact[]> {
  let bytes = 0
  const wanted = rows
    .filter(({ kind, outcome }) => kind === 'ari' && outcome !== 'rejected')
    .slice(0, evidenceLimits.bodies)
    .filter(({ bodyBytes }) => (bytes += bodyBytes) <= evidenceLimits.bodyBytes)
  const facts = await evidence.factsOf(needs.db.unhurried, supplierId, wanted)
  return rows.map(
    ({ id, at, requestId, kind, hotelId, outcome, problems, cellsChanged, bodyBytes, keyId }) => ({
      id,
      atMs: Date.parse(at),
      requestId,
      kind,
      hotelId,
      outcome,
      problemTypes: problems?.types ?? [],
      problemMessage: problems?.message ?? null,
      cellsChanged,
      bodyBytes,
      keyId,
      ari: facts.get(id),
    }),
  )
}

async function readHotels({ db }: Needs, supplierId: number, pushes: readonly PushFact[]) {
  const codes = new Set<string>()
  for (const { kind, outcome, hotelId } of pushes) {
    if (codes.size === evidenceLimits.hotels) break
    if (kind === 'ari' && hotelId !== null && outcome !== 'rejected') codes.add(hotelId)
  }
  const hotels = await Promise.all([...codes].map((code) => selectOptionalHotel(db, supplierId, code)))
  return hotels.flatMap((hotel) => (hotel ? [hotel] : []))
}
