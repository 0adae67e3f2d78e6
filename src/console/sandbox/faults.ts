import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { AnswerOf } from '../../http/route.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { orderFaults, readFaults, type OrderFaultsNeeds } from '../../sandbox/fault-orders.ts'
import { sandboxConsoleRoutes } from './contract.ts'
import { supplierNamed, supplierSubject } from '../suppliers/rules.ts'

type FaultNeeds = OrderFaultsNeeds & { environment: Environment }

/** GET /sandbox/{supplierId}/faults: the pending faults. */
export const listSandboxFaults = (needs: FaultNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.listSandboxFaults, async ({ params }) => {
      const { supplierId } = await supplierNamed(needs.db, params.supplierId)
      return answer(200, { faults: await readFaults(needs, supplierId) })
    }),
  )

/** PUT /sandbox/{supplierId}/faults: replaces all pending faults, including those set by the supplier. */
export const orderSandboxFaults = (needs: FaultNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.orderSandboxFaults, async ({ params, body, operator, requestId }) => {
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const { supplierId } = supplier
      const before = { faults: await readFaults(needs, supplierId) }
      const after = { faults: await orderFaults(needs, { supplierId, wanted: body.faults }) }
      const subject = supplierSubject(supplier)
      await audit(needs.db, { operator, requestId, action: 'sandbox.fault', subject, before, after })
      const said: AnswerOf<typeof sandboxConsoleRoutes.orderSandboxFaults> = after
      return answer(200, said)
    }),
  )
