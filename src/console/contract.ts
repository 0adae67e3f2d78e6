import { calendarRoutes } from './calendar-contract.ts'
import { hotelRoutes } from './hotel-contract.ts'
import { overviewRoutes } from './overview-contract.ts'
import { pushRoutes } from './push-contract.ts'
import { referenceRoutes } from './reference-contract.ts'
import { sandboxConsoleRoutes } from './sandbox-contract.ts'
import { deliveryConsoleRoutes } from './delivery-contract.ts'
import { noteRoutes } from './note-contract.ts'
import { priceCheckConsoleRoutes } from './price-check-contract.ts'
import { reservationConsoleRoutes } from './reservation-contract.ts'
import { auditRoutes, operatorRoutes } from './operator-contract.ts'
import { searchRoutes } from './search-contract.ts'
import { sessionRoutes } from './session-contract.ts'
import { supplierRoutes } from './supplier-contract.ts'

/** Every route of the console's own API, below /console/api. */
export const consoleRoutes = {
  ...sessionRoutes,
  ...overviewRoutes,
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
