import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/audit.ts'
import type { UncheckedCall } from '../../http/call.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { callAs, supplierCaller, type AsSupplier } from './as-supplier.ts'
import { sandboxConsoleRoutes, type SandboxFault } from './contract.ts'
import { supplierNamed, supplierSubject } from '../suppliers/rules.ts'

type FaultNeeds = Needs & { environment: Environment; asSupplier: AsSupplier }

/** GET /sandbox/{supplierId}/faults: those that are still to come. */
export const listSandboxFaults = ({ db, environment, asSupplier }: FaultNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.listSandboxFaults, async (call) => {
      const caller = supplierCaller(await supplierNamed(db, call.params.supplierId))
      const { json } = await callAs(asSupplier.getFaults, call, { body: undefined, caller })
      return answer(200, { faults: faultsOf(json) })
    }),
  )

/** PUT /sandbox/{supplierId}/faults: in the place of what was ordered before, by the supplier too. */
export const orderSandboxFaults = ({ db, environment, asSupplier }: FaultNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.orderSandboxFaults, async (call) => {
      const { params, body, operator, requestId } = call
      const supplier = await supplierNamed(db, params.supplierId)
      const caller = supplierCaller(supplier)
      const before = await faultsNow(asSupplier, call, supplier)
      const { json } = await callAs(asSupplier.orderFaults, call, { body, caller })
      const faults = faultsOf(json)
      const subject = supplierSubject(supplier)
      const change = { before: { faults: before }, after: { faults } }
      await audit(db, { operator, requestId, action: 'sandbox.fault', subject, ...change })
      const said: AnswerOf<typeof sandboxConsoleRoutes.orderSandboxFaults> = { faults }
      return answer(200, said)
    }),
  )

async function faultsNow(
  asSupplier: AsSupplier,
  call: UncheckedCall,
  supplier: { supplierId: number; name: string },
): Promise<SandboxFault[]> {
  const caller = supplierCaller(supplier)
  return faultsOf((await callAs(asSupplier.getFaults, call, { body: undefined, caller })).json)
}

function faultsOf(json: string): SandboxFault[] {
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: what the suppliers' endpoint just wrote, by its contract.
  const said: AnswerOf<typeof sandboxConsoleRoutes.listSandboxFaults> = JSON.parse(json)
  return said.faults
}
