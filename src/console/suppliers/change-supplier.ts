import { selectAccount, setAccount, type Account } from '../../keys/account.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { Rejected, shown } from '../../http/rejected.ts'
import type { AnswerOf, BodyOf } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { supplierRoutes } from './contract.ts'
import { supplierNamed, supplierSubject } from './rules.ts'

/** PUT /suppliers/{supplierId}/account: absent members stay unchanged. */
export const changeSupplier = ({ db }: Needs): Mounted =>
  on(supplierRoutes.changeSupplier, async ({ params, body, operator, requestId }) => {
    rejectWrongTolerance(body)
    const account = await transaction(db, async (connection) => {
      const supplier = await supplierNamed(connection, params.supplierId)
      await connection.query('select from supplier where id = $1 for update', [supplier.supplierId])
      const held = await selectAccount(connection, supplier.supplierId)
      const now = await setAccount(connection, supplier.name, body)
      const { before, after } = differing(held, now)
      if (Object.keys(after).length > 0) {
        const subject = supplierSubject(supplier)
        await audit(connection, { operator, requestId, action: 'supplier.change', subject, before, after })
      }
      return now
    })
    const said: AnswerOf<typeof supplierRoutes.changeSupplier> = { account }
    return answer(200, said)
  })

const toleranceMax = 100

function rejectWrongTolerance({ priceTolerance }: BodyOf<typeof supplierRoutes.changeSupplier>): void {
  if (priceTolerance === undefined) return
  if (/^\d{1,3}(?:\.\d{1,2})?$/.test(priceTolerance) && Number(priceTolerance) <= toleranceMax) return
  throw new Rejected(400, {
    type: 'OUT_OF_RANGE',
    message: `Price tolerance must be a number from 0 to ${toleranceMax} with at most 2 decimals`,
    path: '/priceTolerance',
    value: shown(priceTolerance),
  })
}

/** Only the changed values. */
function differing(held: Account, now: Account): { before: object; after: object } {
  const heldByName = new Map<string, unknown>(Object.entries(held))
  const changed = Object.entries(now).filter(([name, value]) => heldByName.get(name) !== value)
  return {
    before: Object.fromEntries(changed.map(([name]) => [name, heldByName.get(name)])),
    after: Object.fromEntries(changed),
  }
}
