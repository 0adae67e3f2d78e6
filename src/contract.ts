import { ariRoutes } from './ari/contract.ts'
import { mappingRoutes } from './ari/mappings-contract.ts'
import { hotelRoutes } from './hotels/contract.ts'
import { keyRoutes } from './keys/contract.ts'
import { productRoutes } from './products/contract.ts'
import { pushLogRoutes } from './push-log/contract.ts'
import { referenceRoutes } from './reference/contract.ts'
import { taxRoutes } from './taxes/contract.ts'
import { webhookRoutes } from './webhooks/contract.ts'

/** Every route of the service below /v1: what the server, the documentation, the client and the tests agree on. */
export const routes = {
  ...hotelRoutes,
  ...productRoutes,
  ...taxRoutes,
  ...ariRoutes,
  ...mappingRoutes,
  ...webhookRoutes,
  ...pushLogRoutes,
  ...referenceRoutes,
  ...keyRoutes,
}

export type RouteName = keyof typeof routes
