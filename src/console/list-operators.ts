import { selectOperators } from '../operators/store.ts'
import { answer, on, type Mounted } from '../platform/mount.ts'
import type { Queryable } from '../platform/postgres.ts'
import type { AnswerOf } from '../platform/route.ts'
import { operatorRoutes } from './operator-contract.ts'

/** GET /operators. */
export const listOperators = ({ db }: { db: Queryable }): Mounted =>
  on(operatorRoutes.listOperators, async () => {
    const list: AnswerOf<typeof operatorRoutes.listOperators> = { operators: await selectOperators(db) }
    return answer(200, list)
  })
