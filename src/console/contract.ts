import { alertConsoleRoutes } from './alerts/contract.ts'
import { calendarRoutes } from './calendar/contract.ts'
import { holdConsoleRoutes } from './holds/contract.ts'
import { hotelRoutes } from './hotels/contract.ts'
import { overviewRoutes } from './overview/contract.ts'
import { pushRoutes } from './pushes/contract.ts'
import { referenceRoutes } from './reference/contract.ts'
import { sandboxConsoleRoutes } from './sandbox/contract.ts'
import { deliveryConsoleRoutes, noteRoutes } from './deliveries/contract.ts'
import { priceCheckConsoleRoutes } from './price-checks/contract.ts'
import { reservationConsoleRoutes } from './bookings/contract.ts'
import { auditRoutes, operatorRoutes, sessionRoutes } from './operators/contract.ts'
import { searchRoutes } from './search/contract.ts'
import { supplierRoutes } from './suppliers/contract.ts'

/** Every route of the console's own API, below /console/api. */
export const consoleRoutes = {
  ...sessionRoutes,
  ...overviewRoutes,
  ...alertConsoleRoutes,
  ...holdConsoleRoutes,
  ...searchRoutes,
  ...operatorRoutes,
  ...auditRoutes,
  ...supplierRoutes,
  ...referenceRoutes,
  ...sandboxConsoleRoutes,
  ...hotelRoutes,
  ...calendarRoutes,
  ...pushRoutes,
  ...deliveryConsoleRoutes,
  ...priceCheckConsoleRoutes,
  ...reservationConsoleRoutes,
  ...noteRoutes,
}

export type ConsoleRouteName = keyof typeof consoleRoutes
