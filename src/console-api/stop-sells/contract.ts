import Type from 'typebox'
import { consoleRoute, oneOf, queryText, text } from '../../http/route.ts'

/** Operators' stop-sells as they were ordered, of all hotels. */

export const stopSellsPerPage = { max: 200, usual: 50 }
/** Rows of a stop-sell that a list shows; it says how many more there are. */
export const stoppedRowsShown = 60

export const stopSellStates = ['active', 'ended'] as const

export type ListedStopSell = {
  stopSellId: number
  hotelId: number
  hotelName: string
  supplierId: number
  supplier: string
  /** Null: ordered before reasons were required. */
  reason: string | null
  operator: string
  at: string
  requestId: string
  /** The first rows, with what is still stopped of them; `rateId` null: the room with all its rates. */
  rows: { roomId: string; rateId: string | null; from: string; to: string }[]
  moreRows: number
  /** When it ends by itself, by the hotel's clock; null: when somebody resumes sales. */
  until: string | null
  endedAt: string | null
  /** Null with `endedAt`: it ended by itself. */
  endedBy: string | null
}

/** Why nothing of a hotel can be sold tonight. */
export type WholeStop = {
  reason: string | null
  /** Null for people of the supplier. */
  operator: string | null
  until: string | null
  /** The last night that it stops. */
  lastNight: string
}

/** Nights of a room with all its rates, or of one of its rates. */
export type NightsOfRow = { isRate: boolean; nights: number }

export const stopSellRoutes = {
  searchStopSells: consoleRoute<{ stopSells: ListedStopSell[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/stop-sells',
    query: Type.Object({
      supplierId: queryText(),
      hotelId: queryText(),
      state: Type.Optional(oneOf(stopSellStates)),
      cursor: queryText(),
      limit: queryText(),
    }),
  }),
  /** `kept`: nights that other stop-sells claim too, which stay stopped. */
  resumeSales: consoleRoute<{ changed: NightsOfRow[]; kept: NightsOfRow[] }>()({
    method: 'POST',
    path: '/stop-sells/{stopSellId}/resume',
    role: 'operator',
    params: Type.Object({ stopSellId: text({ maxLength: 20 }) }),
  }),
}
