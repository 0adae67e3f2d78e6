import { optionalSteps, type OptionalStep } from '../../hotels/contract.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { supplierRoutes, type UnneededStep } from './contract.ts'
import { supplierNamed, supplierSubject } from './rules.ts'

/** Steps of the go-live checklist that a supplier's contract doesn't need. */

export type UnneededSteps = Partial<Record<OptionalStep, UnneededStep>>

export async function selectUnneededSteps(db: Queryable, supplierId: number): Promise<UnneededSteps> {
  const { rows } = await db.query<{ steps: UnneededSteps }>(
    'select unneeded_steps as steps from supplier where id = $1',
    [supplierId],
  )
  return rows[0]?.steps ?? {}
}

/** PUT /suppliers/{supplierId}/go-live/{step}: marks it as not needed, or as needed again. */
export const changeGoLiveStep = ({ db, clock }: Needs): Mounted =>
  on(supplierRoutes.changeGoLiveStep, async ({ params, body, operator, requestId }) => {
    const step = optionalSteps.find((one) => one === params.step)
    if (step === undefined) throw new Rejected(404, stepNotOptional)
    const reason = body.reason?.trim() ?? ''
    if (!body.isNeeded && reason === '') throw new Rejected(400, reasonMissing)
    const at = new Date(clock.now()).toISOString()
    const unneeded = body.isNeeded ? null : { reason, operator: operator.name, at }
    await transaction(db, async (connection) => {
      const supplier = await supplierNamed(connection, params.supplierId)
      await connection.query('select from supplier where id = $1 for no key update', [supplier.supplierId])
      const before = (await selectUnneededSteps(connection, supplier.supplierId))[step]
      if (unneeded === null && before === undefined) return
      await connection.query(
        `update supplier set unneeded_steps = unneeded_steps - $2::text
           || case when $3::jsonb is null then '{}' else jsonb_build_object($2::text, $3::jsonb) end
         where id = $1`,
        [supplier.supplierId, step, unneeded === null ? null : JSON.stringify(unneeded)],
      )
      await audit(connection, {
        operator,
        requestId,
        action: unneeded === null ? 'go-live.needed' : 'go-live.not-needed',
        subject: supplierSubject(supplier),
        before: { step, ...(before === undefined ? {} : { reason: before.reason }) },
        after: { step, ...(unneeded === null ? {} : { reason }) },
      })
    })
    return answer(200, { unneeded })
  })

const stepNotOptional = {
  type: 'STEP_NOT_OPTIONAL',
  message: 'Every hotel needs this step',
  path: 'step',
  hint: `Only these depend on the contract: ${optionalSteps.join(', ')}`,
} as const
const reasonMissing = {
  type: 'REASON_REQUIRED',
  message: 'reason is required to mark a step as not needed',
  path: '/reason',
  hint: 'Say briefly why the contract does not need it',
} as const
