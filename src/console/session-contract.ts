import { consoleRoute, type OperatorRole } from '../platform/route.ts'

export type Me = { name: string; role: OperatorRole; environment: 'sandbox' | 'production' }

export const sessionRoutes = {
  whoAmI: consoleRoute<Me>()({ method: 'GET', path: '/me' }),
}
