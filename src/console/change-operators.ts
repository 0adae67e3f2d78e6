import {
  createOperator as create,
  disableOperator as disable,
  enableOperator as enable,
  newSignInLink,
  operatorNotFound,
  resetSecondFactor as reset,
  setRole,
  type Doing,
} from '../operators/manage.ts'
import { answer, on, type Mounted } from '../platform/mount.ts'
import type { Needs } from '../platform/needs.ts'
import { operatorRoutes } from './operator-contract.ts'

/** POST /operators and what is below it: accounts of people, which only admins change. */

type Asked = Pick<Doing, 'operator' | 'requestId'>

export const createOperator = ({ db, clock }: Needs): Mounted =>
  on(operatorRoutes.createOperator, async ({ body: { name, role }, ...asked }) =>
    answer(200, await create(db, { name, role }, doing(asked, clock.now()))),
  )

export const changeOperatorRole = ({ db, clock }: Needs): Mounted =>
  on(operatorRoutes.changeOperatorRole, async ({ body: { role }, params, ...asked }) =>
    answer(200, { operator: await setRole(db, idOf(params), role, doing(asked, clock.now())) }),
  )

export const disableOperator = ({ db, clock }: Needs): Mounted =>
  on(operatorRoutes.disableOperator, async ({ params, ...asked }) =>
    answer(200, { operator: await disable(db, idOf(params), doing(asked, clock.now())) }),
  )

export const enableOperator = ({ db, clock }: Needs): Mounted =>
  on(operatorRoutes.enableOperator, async ({ params, ...asked }) =>
    answer(200, { operator: await enable(db, idOf(params), doing(asked, clock.now())) }),
  )

export const resetSecondFactor = ({ db, clock }: Needs): Mounted =>
  on(operatorRoutes.resetSecondFactor, async ({ params, ...asked }) =>
    answer(200, { operator: await reset(db, idOf(params), doing(asked, clock.now())) }),
  )

export const createSignInLink = ({ db, clock }: Needs): Mounted =>
  on(operatorRoutes.createSignInLink, async ({ params, ...asked }) =>
    answer(200, await newSignInLink(db, idOf(params), doing(asked, clock.now()))),
  )

function doing({ operator, requestId }: Asked, nowMs: number): Doing {
  return { operator, requestId, nowMs }
}

const idMax = 2_147_483_647

function idOf({ operatorId }: { operatorId: string }): number {
  const id = /^[1-9]\d{0,9}$/.test(operatorId) ? Number(operatorId) : 0
  if (id >= 1 && id <= idMax) return id
  throw operatorNotFound(operatorId)
}
