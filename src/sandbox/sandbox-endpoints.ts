import type { BookNeeds } from '../bookings/idempotency/idempotent-booking.ts'
import { answer, on, type Mounted } from '../http/calls/mount.ts'
import type { AnswerOf } from '../http/route.ts'
import type { Environment } from '../keys/secret.ts'
import type { Needs } from '../postgres/postgres.ts'
import {
  advanceClock,
  readClock,
  renderClock,
  type TestClockNeeds,
  resetAccount,
  type ResetNeeds,
  inSandbox,
} from './account.ts'
import { sandboxRoutes } from './contract.ts'
import { testBookingRoutes } from './test-booking-contract.ts'
import { orderFaults, readFaults, type OrderFaultsNeeds } from './fault-orders.ts'
import { bookTest } from './test-booking.ts'

/** The suppliers' endpoints of the sandbox; the console has its own for the same functions. */

type InSandbox<N> = N & { environment: Environment }

/** POST /push/sandbox/booking. */
export const onBookTest = (needs: InSandbox<BookNeeds>): Mounted =>
  inSandbox(
    needs.environment,
    on(testBookingRoutes.bookTest, ({ body, caller, idempotencyKey }) =>
      bookTest(needs, caller, { body, idempotencyKey }),
    ),
  )

/** POST /push/sandbox/faults. */
export const onOrderFaults = (needs: InSandbox<OrderFaultsNeeds>): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.orderFaults, async ({ body, caller: { supplierId } }) => {
      const faults = await orderFaults(needs, { supplierId, wanted: body.faults })
      const result: AnswerOf<typeof sandboxRoutes.orderFaults> = {
        code: '200',
        message: 'Faults ordered',
        faults,
      }
      return answer(200, result)
    }),
  )

/** GET /push/sandbox/faults. */
export const onGetFaults = (needs: InSandbox<Needs>): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.getFaults, async ({ caller: { supplierId } }) => {
      const faults = await readFaults(needs, supplierId)
      return answer(200, { code: '200', message: 'Faults retrieved successfully', faults })
    }),
  )

/** POST /push/sandbox/clock. */
export const onAdvanceClock = (needs: InSandbox<TestClockNeeds>): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.advanceClock, async ({ body: { advanceBy }, caller: { supplierId } }) => {
      const advanced = await advanceClock(needs, { supplierId, advanceBy })
      const result: AnswerOf<typeof sandboxRoutes.advanceClock> = {
        code: '200',
        message: 'Clock advanced',
        ...advanced,
      }
      return answer(200, result)
    }),
  )

/** GET /push/sandbox/clock. */
export const onGetClock = (needs: InSandbox<Needs>): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.getClock, async ({ caller: { supplierId } }) => {
      const clock = await readClock(needs, supplierId)
      return answer(200, { code: '200', message: 'Clock retrieved successfully', clock })
    }),
  )

/** POST /push/sandbox/reset. */
export const onResetSandbox = (needs: InSandbox<ResetNeeds>): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxRoutes.resetSandbox, async ({ caller: { supplierId } }) => {
      const removed = await resetAccount(needs, supplierId)
      const result: AnswerOf<typeof sandboxRoutes.resetSandbox> = {
        code: '200',
        message: 'Sandbox reset',
        removed,
        clock: renderClock(needs, 0),
      }
      return answer(200, result)
    }),
  )
