import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { AnswerOf } from '../../http/route.ts'
import { advanceClock, readClock, type TestClockNeeds } from '../../sandbox/account-clock.ts'
import { resetAccount, type ResetNeeds } from '../../sandbox/account-reset.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { sandboxConsoleRoutes } from './contract.ts'
import { supplierNamed, supplierSubject } from '../suppliers/rules.ts'

type ClockNeeds = TestClockNeeds & ResetNeeds & { environment: Environment }

/** GET /sandbox/{supplierId}/clock. */
export const getSandboxClock = (needs: ClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.getSandboxClock, async (call) => {
      const { supplierId } = await supplierNamed(needs.db, call.params.supplierId)
      return answer(200, { clock: await readClock(needs, supplierId) })
    }),
  )

/** POST /sandbox/{supplierId}/clock. */
export const advanceSandboxClock = (needs: ClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.advanceSandboxClock, async (call) => {
      const { params, body, operator, requestId } = call
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const { supplierId } = supplier
      const { clock, deliveriesDue } = await advanceClock(needs, { supplierId, advanceBy: body.advanceBy })
      const subject = supplierSubject(supplier)
      await audit(needs.db, {
        operator,
        requestId,
        action: 'sandbox.advance-clock',
        subject,
        after: { clock },
      })
      const said: AnswerOf<typeof sandboxConsoleRoutes.advanceSandboxClock> = { clock, deliveriesDue }
      return answer(200, said)
    }),
  )

/** POST /sandbox/{supplierId}/reset. */
export const resetSandboxAccount = (needs: ClockNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.resetSandboxAccount, async (call) => {
      const { params, operator, requestId } = call
      const supplier = await supplierNamed(needs.db, params.supplierId)
      const removed = await resetAccount(needs, supplier.supplierId)
      const subject = supplierSubject(supplier)
      await audit(needs.db, { operator, requestId, action: 'sandbox.reset', subject, before: removed })
      const said: AnswerOf<typeof sandboxConsoleRoutes.resetSandboxAccount> = { removed }
      return answer(200, said)
    }),
  )
