import { selectOperators } from '../../operators/store.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { AnswerOf } from '../../http/route.ts'
import { operatorRoutes } from './contract.ts'

/** GET /operators. */
export const listOperators = ({ db }: { db: Queryable }): Mounted =>
  on(operatorRoutes.listOperators, async () => {
    const list: AnswerOf<typeof operatorRoutes.listOperators> = { operators: await selectOperators(db) }
    return answer(200, list)
  })
