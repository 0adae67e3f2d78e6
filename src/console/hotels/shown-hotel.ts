import { firstDay, formatNight, type MonthNumber } from '../../base/calendar.ts'
import type { GoLiveStage, HotelListed } from './contract.ts'
import type { HotelFoundRow } from './store.ts'

/** A hotel as shown in lists. */
export function shownHotel(row: HotelFoundRow, thisMonth: MonthNumber): HotelListed {
  return {
    ...plainOf(row),
    createdAt: row.createdAt.toISOString(),
    lastAriAt: row.lastAriAt?.toISOString() ?? null,
    ariUntilMonth: row.ariUntilMonth === null ? null : formatNight(firstDay(row.ariUntilMonth)).slice(0, 7),
    goLive: stageOf(row, thisMonth),
  }
}

function plainOf({
  isOffered: _isOffered,
  hasWebhooks: _hasWebhooks,
  sortKey: _sortKey,
  ...hotel
}: HotelFoundRow) {
  return hotel
}

function stageOf(
  { isOffered, ariUntilMonth, hasWebhooks }: HotelFoundRow,
  thisMonth: MonthNumber,
): GoLiveStage {
  if (!isOffered) return 'products'
  if (ariUntilMonth === null || ariUntilMonth < thisMonth) return 'ari'
  return hasWebhooks ? 'ready' : 'webhooks'
}
