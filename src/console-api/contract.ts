import { alertConsoleRoutes } from './alerts/contract.ts'
import { calendarRoutes } from './calendar/contract.ts'
import { exportRoutes } from './exports/contract.ts'
import { guardConsoleRoutes } from './guard/contract.ts'
import { holdConsoleRoutes } from './holds/contract.ts'
import { hotelRoutes } from './hotels/contract.ts'
import { numbersRoutes } from './numbers/contract.ts'
import { overviewRoutes } from './overview/contract.ts'
import { peopleRoutes } from './people/contract.ts'
import { pushRoutes } from './pushes/contract.ts'
import { referenceRoutes } from './reference/contract.ts'
import { sandboxConsoleRoutes } from './sandbox/contract.ts'
import { deliveryConsoleRoutes, noteRoutes } from './deliveries/contract.ts'
import { priceCheckConsoleRoutes } from './price-checks/contract.ts'
import { reservationConsoleRoutes } from './bookings/contract.ts'
import { auditRoutes, operatorRoutes, sessionRoutes } from './operators/contract.ts'
import { stopSellRoutes } from './stop-sells/contract.ts'
import { workRoutes } from './work-queue/contract.ts'
import { searchRoutes } from './search/contract.ts'
import { supplierRoutes } from './suppliers/contract.ts'
import { viewRoutes } from './views/contract.ts'

/** Every route of the console's own API, below /console/api. */
export const consoleRoutes = {
  ...sessionRoutes,
  ...viewRoutes,
  ...overviewRoutes,
  ...workRoutes,
  ...alertConsoleRoutes,
  ...guardConsoleRoutes,
  ...holdConsoleRoutes,
  ...searchRoutes,
  ...operatorRoutes,
  ...auditRoutes,
  ...supplierRoutes,
  ...peopleRoutes,
  ...exportRoutes,
  ...referenceRoutes,
  ...sandboxConsoleRoutes,
  ...hotelRoutes,
  ...calendarRoutes,
  ...stopSellRoutes,
  ...pushRoutes,
  ...deliveryConsoleRoutes,
  ...priceCheckConsoleRoutes,
  ...reservationConsoleRoutes,
  ...numbersRoutes,
  ...noteRoutes,
}

export type ConsoleRouteName = keyof typeof consoleRoutes
