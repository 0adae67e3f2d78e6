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
  getSupplierGuard: consoleRoute<{ guard: ConsoleGuard }>()({
    method: 'GET',
    path: '/suppliers/{supplierId}/guard',
    params,
  }),
  setSupplierGuard: consoleRoute<{ guard: ConsoleGuard }>()({
    method: 'PUT',
    path: '/suppliers/{supplierId}/guard',
    role: 'admin',
    params,
    body,
  }),
}
