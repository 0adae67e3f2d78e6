import Type from 'typebox'
import { sentSettings, type RuleBody } from '../../ari/guard/contract.ts'
import { consoleRoute, text } from '../../http/route.ts'

/** The guard of an account, and the one that new accounts begin with. Its supplier can change it at any time. */

export type ConsoleGuard = {
  rules: RuleBody[]
  learned: boolean
  expiryHours: number
  onExpiry: 'discard' | 'apply'
}

/**
 * A rule of an account, by its place, whose amount names no currency and was set before some hotels changed theirs, which
 * don't follow it. `hotelIds` are the first few of them.
 */
export type LapsedRule = { rule: number; hotels: number; hotelIds: string[] }
type AccountGuard = { guard: ConsoleGuard; lapsed?: LapsedRule[] }

const params = Type.Object({ supplierId: text({ maxLength: 20, description: 'Number of the supplier' }) })
const body = Type.Object(sentSettings)

export const guardConsoleRoutes = {
  getDefaultGuard: consoleRoute<{ guard: ConsoleGuard }>()({ method: 'GET', path: '/guard' }),
  setDefaultGuard: consoleRoute<{ guard: ConsoleGuard }>()({
    method: 'PUT',
    path: '/guard',
    role: 'admin',
    body,
  }),
  getSupplierGuard: consoleRoute<AccountGuard>()({
    method: 'GET',
    path: '/suppliers/{supplierId}/guard',
    params,
  }),
  setSupplierGuard: consoleRoute<AccountGuard>()({
    method: 'PUT',
    path: '/suppliers/{supplierId}/guard',
    role: 'admin',
    params,
    body,
  }),
}
