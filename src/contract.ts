import { alertRoutes } from './alerts/contract.ts'
import { resyncRoutes } from './alerts/resync/resync-contract.ts'
import { alertSettingsRoutes } from './alerts/channels/settings-contract.ts'
import { ariRoutes, mappingRoutes } from './ari/contract.ts'
import { guardRoutes } from './ari/guard/contract.ts'
import { holdRoutes } from './ari/guard/holds-contract.ts'
import { digestRoutes } from './ari/digest/digest-contract.ts'
import { historyRoutes } from './ari/history/history-contract.ts'
import { undoRoutes } from './ari/history/undo-contract.ts'
import { bulkRoutes } from './bulk/contract.ts'
import { certificationRoutes } from './certification/contract.ts'
import { changeRoutes } from './changes/contract.ts'
import { hotelRoutes } from './hotels/contract.ts'
import { keyRoutes } from './keys/contract.ts'
import { offerRoutes } from './offers/contract.ts'
import { priceCheckRoutes } from './price-check/contract.ts'
import { productRoutes } from './products/contract.ts'
import { pushLogRoutes } from './push-log/contract.ts'
import { referenceRoutes } from './reference/contract.ts'
import { reservationRoutes } from './bookings/contract.ts'
import { reportRoutes } from './bookings/report-contract.ts'
import { tokenLimitRoutes } from './bookings/limits-contract.ts'
import { searchRoutes } from './bookings/search/search-contract.ts'
import { deliveryRoutes } from './deliveries/contract.ts'
import { sandboxRoutes } from './sandbox/contract.ts'
import { testBookingRoutes } from './sandbox/test-booking-contract.ts'
import { taxRoutes } from './taxes/contract.ts'
import { webhookRoutes } from './webhooks/contract.ts'

/**
 * Every route of the service below /v1, shared by the server, the documentation, the client and the tests.
 */
export const routes = {
  ...hotelRoutes,
  ...productRoutes,
  ...taxRoutes,
  ...ariRoutes,
  ...digestRoutes,
  ...historyRoutes,
  ...undoRoutes,
  ...guardRoutes,
  ...holdRoutes,
  ...mappingRoutes,
  ...bulkRoutes,
  ...webhookRoutes,
  ...pushLogRoutes,
  ...referenceRoutes,
  ...keyRoutes,
  ...offerRoutes,
  ...priceCheckRoutes,
  ...changeRoutes,
  ...reservationRoutes,
  ...reportRoutes,
  ...searchRoutes,
  ...tokenLimitRoutes,
  ...sandboxRoutes,
  ...testBookingRoutes,
  ...deliveryRoutes,
  ...alertRoutes,
  ...alertSettingsRoutes,
  ...resyncRoutes,
  ...certificationRoutes,
}

export type RouteName = keyof typeof routes
