import { selectOperators } from '../../operators/accounts/store.ts'
import { answer, on, type Mounted, onEveryProblem } from '../../http/calls/mount.ts'
import type { Queryable, Needs } from '../../postgres/postgres.ts'
import { operatorRoutes, auditPageLimit, auditRoutes } from './contract.ts'
import { readNumber } from '../list-query.ts'
import { selectMentionedHotels, selectMentionedKeys } from './mentioned.ts'
import type { Revocations } from '../../keys/revocations.ts'
import {
  createOperator as create,
  disableOperator as disable,
  enableOperator as enable,
  newSignInLink,
  resetSecondFactor as reset,
  setRole,
  type ChangeContext,
} from '../../operators/accounts/manage.ts'
import { operatorNotFound } from '../../operators/accounts/refusals.ts'
import { selectAudit, type AuditFilter } from '../../operators/accounts/audit.ts'
import { readId, readListRange, writeCursor, judgeQuery, pageOf } from '../../http/calls/query.ts'

/** GET /operators. */
export const listOperators = ({ db }: { db: Queryable }): Mounted =>
  on(operatorRoutes.listOperators, async () => {
    return answer(200, { operators: await selectOperators(db) })
  })

/** POST /operators and below: operator accounts, which only admins change. */

type OperatorNeeds = Needs & { revocations: Revocations }
type Requested = Pick<ChangeContext, 'operator' | 'requestId'>

export const createOperator = ({ db, ...needs }: OperatorNeeds): Mounted =>
  on(operatorRoutes.createOperator, async ({ body: { name, role }, ...request }) =>
    answer(200, await create(db, { name, role }, changeContext(request, needs))),
  )

export const changeOperatorRole = ({ db, ...needs }: OperatorNeeds): Mounted =>
  on(operatorRoutes.changeOperatorRole, async ({ body: { role }, params, ...request }) =>
    answer(200, { operator: await setRole(db, idOf(params), role, changeContext(request, needs)) }),
  )

export const disableOperator = ({ db, ...needs }: OperatorNeeds): Mounted =>
  on(operatorRoutes.disableOperator, async ({ params, ...request }) =>
    answer(200, { operator: await disable(db, idOf(params), changeContext(request, needs)) }),
  )

export const enableOperator = ({ db, ...needs }: OperatorNeeds): Mounted =>
  on(operatorRoutes.enableOperator, async ({ params, ...request }) =>
    answer(200, { operator: await enable(db, idOf(params), changeContext(request, needs)) }),
  )

export const resetSecondFactor = ({ db, ...needs }: OperatorNeeds): Mounted =>
  on(operatorRoutes.resetSecondFactor, async ({ params, ...request }) =>
    answer(200, { operator: await reset(db, idOf(params), changeContext(request, needs)) }),
  )

export const createSignInLink = ({ db, ...needs }: OperatorNeeds): Mounted =>
  on(operatorRoutes.createSignInLink, async ({ params, ...request }) =>
    answer(200, await newSignInLink(db, idOf(params), changeContext(request, needs))),
  )

function changeContext(
  { operator, requestId }: Requested,
  { clock, revocations }: Omit<OperatorNeeds, 'db'>,
): ChangeContext {
  return { operator, requestId, nowMs: clock.now(), revocations }
}

function idOf({ operatorId }: { operatorId: string }): number {
  const id = readId(operatorId)
  if (id === undefined) throw operatorNotFound(operatorId)
  return id
}

/** GET /audit. */
export const listAudit = ({ db }: { db: Queryable }): Mounted =>
  onEveryProblem(auditRoutes.listAudit, judge, async ({ read: { limit, ...filter } }) => {
    const { page: changes, last } = pageOf(await selectAudit(db, filter, limit + 1), limit)
    return answer(200, {
      changes,
      hotels: await selectMentionedHotels(db, changes),
      keys: await selectMentionedKeys(db, changes),
      nextCursor: last ? writeCursor(last.id) : null,
    })
  })

const judge = judgeQuery((query, problems): AuditFilter & { limit: number } => {
  const { operator, action, subject } = query
  const hotelId = readNumber('hotelId', query, problems)
  const supplierId = readNumber('supplierId', query, problems)
  return { operator, action, subject, hotelId, supplierId, ...readListRange(query, auditPageLimit, problems) }
})
