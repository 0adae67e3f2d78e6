import { createSupplier as create } from '../../keys/suppliers.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { supplierRoutes } from './contract.ts'
import { supplierSubject } from './rules.ts'

/** POST /suppliers. */
export const createSupplier = ({ db }: Needs): Mounted =>
  on(supplierRoutes.createSupplier, async ({ body: { name }, operator, requestId }) => {
    const made: AnswerOf<typeof supplierRoutes.createSupplier> = await transaction(db, async (connection) => {
      const { supplierId } = await create(connection, name)
      const subject = supplierSubject({ supplierId, name })
      await audit(connection, { operator, requestId, action: 'supplier.create', subject, after: { name } })
      return { supplierId }
    })
    return answer(201, made)
  })
