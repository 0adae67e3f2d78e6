import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { sandboxAccountRoutes } from '../../sandbox/account-contract.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { callAs, supplierCaller, type AsSupplier } from './as-supplier.ts'
import { sandboxConsoleRoutes } from './contract.ts'
import { supplierNamed, supplierSubject } from '../suppliers/rules.ts'

type ClockNeeds = Needs & { environment: Environment; asSupplier: AsSupplier }

/** GET /sandbox/{supplierId}/clock. */
export const getSandboxClock = ({ db, environment, asSupplier }: ClockNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.getSandboxClock, async (call) => {
      const caller = supplierCaller(await supplierNamed(db, call.params.supplierId))
      const { json } = await callAs(asSupplier.getClock, call, { body: undefined, caller })
      // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: what the suppliers' endpoint just wrote, by its contract.
      const { clock }: AnswerOf<typeof sandboxAccountRoutes.getClock> = JSON.parse(json)
      return answer(200, { clock })
    }),
  )

/** POST /sandbox/{supplierId}/clock. */
export const advanceSandboxClock = ({ db, environment, asSupplier }: ClockNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.advanceSandboxClock, async (call) => {
      const { params, body, operator, requestId } = call
      const supplier = await supplierNamed(db, params.supplierId)
      const caller = supplierCaller(supplier)
      const { json } = await callAs(asSupplier.advanceClock, call, { body, caller })
      // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary, as above.
      const { clock, deliveriesDue }: AnswerOf<typeof sandboxAccountRoutes.advanceClock> = JSON.parse(json)
      const subject = supplierSubject(supplier)
      await audit(db, { operator, requestId, action: 'sandbox.advance-clock', subject, after: { clock } })
      const said: AnswerOf<typeof sandboxConsoleRoutes.advanceSandboxClock> = { clock, deliveriesDue }
      return answer(200, said)
    }),
  )

/** POST /sandbox/{supplierId}/reset. */
export const resetSandboxAccount = ({ db, environment, asSupplier }: ClockNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.resetSandboxAccount, async (call) => {
      const { params, operator, requestId } = call
      const supplier = await supplierNamed(db, params.supplierId)
      const caller = supplierCaller(supplier)
      const { json } = await callAs(asSupplier.resetSandbox, call, { body: undefined, caller })
      // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary, as above.
      const { removed }: AnswerOf<typeof sandboxAccountRoutes.resetSandbox> = JSON.parse(json)
      const subject = supplierSubject(supplier)
      await audit(db, { operator, requestId, action: 'sandbox.reset', subject, before: removed })
      const said: AnswerOf<typeof sandboxConsoleRoutes.resetSandboxAccount> = { removed }
      return answer(200, said)
    }),
  )
