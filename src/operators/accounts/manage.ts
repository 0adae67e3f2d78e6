import { checkName, refuseLookAlikes } from '../../keys/names.ts'
import type { Revocations } from '../../keys/revocations.ts'
import type { Operator } from '../../http/calls/call.ts'
import type { Database, Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import { operatorRoles, type OperatorRole } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { audit } from './audit.ts'
import { roleOf, type AuditAction, type SignInLink, type StoredOperator } from '../contract.ts'
import {
  disabledByPlatform,
  hasSignedIn,
  ofSupplier,
  operatorNotFound,
  ownSecondFactor,
  ownSignInLink,
} from './refusals.ts'
import { removeSecondFactor } from './second-factor.ts'
import { deleteSessionsOf, createSignInLink, deleteSignInLinks } from '../sessions/session-store.ts'
import {
  insertOptionalOperator,
  type NewOperator,
  lockAdmins,
  lockOptionalOperator,
  selectOptionalOperator,
  updateDisabled,
  updateEnabled,
  updatePassword,
  updateRole,
} from './store.ts'

/** What admins do with operators, in the console and on the command line. */

/** The operator who makes a change, in which request and when. */
export type ChangeContext = {
  operator: Operator
  requestId: string | undefined
  nowMs: number
  revocations: Revocations
}

/** How the audit log names changes by a user of the operating system on the command line. */
export function commandLine(user: string | undefined): Operator {
  const name = user === undefined ? 'command line' : `command line (${user})`
  return { id: undefined, name, role: 'admin', sessionId: undefined, address: undefined }
}

/** How the audit log names what the service created by itself in an empty store. */
export const firstStart: Operator = { ...commandLine(undefined), name: 'first start' }

export type CreatedOperator = { operator: StoredOperator; link: SignInLink }

/** Creates an operator, who signs in by the link and chooses a password; refuses a name that is taken. */
export function createOperator(
  db: Database,
  newOperator: NewOperator,
  context: ChangeContext,
): Promise<CreatedOperator> {
  return transaction(db, (connection) => insertOperator(connection, newOperator, context))
}

/** Creates the first admin of an empty store; undefined if there is an operator. Only one of several processes does. */
export function createFirstAdmin(
  db: Database,
  name: string,
  context: ChangeContext,
): Promise<CreatedOperator | undefined> {
  return transaction(db, async (connection) => {
    await connection.query('lock table operator in share row exclusive mode')
    const { rows } = await connection.query('select from operator limit 1')
    return rows.length > 0 ? undefined : insertOperator(connection, { name, role: 'admin' }, context)
  })
}

/** The same within an open transaction. */
export async function insertOperator(
  connection: Queryable,
  { name, role, supplierId }: NewOperator,
  context: ChangeContext,
): Promise<CreatedOperator> {
  checkName('Operator', name)
  refuseLookAlikes('Operator', name)
  const { nowMs } = context
  const operatorId = await insertOptionalOperator(connection, { name, role, supplierId, nowMs })
  if (operatorId === undefined) {
    throw new Rejected(409, {
      type: 'OPERATOR_EXISTS',
      message: `The name "${name}" is taken`,
      path: '/name',
      hint: 'Upper and lower case do not matter',
    })
  }
  const link = await createSignInLink(connection, operatorId, context.nowMs)
  const operator = await selectOperator(connection, operatorId)
  await audit(connection, {
    ...actorOf(context),
    action: 'operator.create',
    subject: subjectOf(operator),
    after: { name, role: roleOf(operator), ...(supplierId === undefined ? {} : { supplierId }) },
  })
  return { operator, link }
}

/** Takes effect with the next request. */
export async function setRole(
  db: Database,
  which: number | string,
  role: OperatorRole,
  context: ChangeContext,
): Promise<StoredOperator> {
  const change = { isLess: false }
  const after = await changeOperator(
    db,
    which,
    context,
    'operator.role',
    async (connection, operator, admins) => {
      if (role !== 'admin') refuseLastAdmin(operator, admins)
      else if (operator.supplierId !== null) throw ofSupplier(operator)
      await updateRole(connection, operator.operatorId, role)
      change.isLess = operatorRoles.indexOf(role) < operatorRoles.indexOf(operator.role)
      if (change.isLess) await context.revocations.note(connection, 'operator', operator.operatorId)
    },
  )
  if (!change.isLess) await context.revocations.noteGivenBack(db, 'operator', after.operatorId)
  return after
}

/** Ends sessions and links, and refuses further sign-ins. */
export function disableOperator(
  db: Database,
  which: number | string,
  context: ChangeContext,
): Promise<StoredOperator> {
  return changeOperator(db, which, context, 'operator.disable', async (connection, operator, admins) => {
    refuseLastAdmin(operator, admins)
    await updateDisabled(connection, operator.operatorId, {
      atMs: context.nowMs,
      byPlatform: !context.operator.supplier,
    })
    await deleteSessionsOf(connection, operator.operatorId)
    await deleteSignInLinks(connection, operator.operatorId)
    await context.revocations.note(connection, 'operator', operator.operatorId)
  })
}

export async function enableOperator(
  db: Database,
  which: number | string,
  context: ChangeContext,
): Promise<StoredOperator> {
  const after = await changeOperator(db, which, context, 'operator.enable', async (connection, operator) => {
    if (context.operator.supplier && operator.disabledByPlatform) throw disabledByPlatform(operator)
    await updateEnabled(connection, operator.operatorId)
  })
  await context.revocations.noteGivenBack(db, 'operator', after.operatorId)
  return after
}

/** For operators who lost the app and the recovery codes. Ends sessions and links, because others may have the app now. */
export function resetSecondFactor(
  db: Database,
  which: number | string,
  context: ChangeContext,
): Promise<StoredOperator> {
  return changeOperator(
    db,
    which,
    context,
    'operator.second-factor-reset',
    async (connection, { operatorId }) => {
      // An open session must not be enough to remove its own second factor.
      if (operatorId === context.operator.id) throw ownSecondFactor()
      await removeSecondFactor(connection, operatorId)
      await deleteSessionsOf(connection, operatorId)
      await deleteSignInLinks(connection, operatorId)
    },
  )
}

export function newSignInLink(
  db: Database,
  which: number | string,
  context: ChangeContext,
): Promise<CreatedOperator> {
  return transaction(db, async (connection) => {
    const operator = await lockOptionalOperator(connection, which)
    if (!operator) throw operatorNotFound(which)
    // After a sign-in by link the password can be replaced without the current one: a session must not be enough for it.
    if (operator.operatorId === context.operator.id) throw ownSignInLink()
    if (context.operator.supplier && operator.lastSignInAt !== null) throw hasSignedIn(operator)
    if (operator.disabledAt !== null) {
      throw new Rejected(409, {
        type: 'OPERATOR_DISABLED',
        message: `Operator "${operator.name}" is disabled`,
        hint: 'Enable the operator first',
      })
    }
    if (operator.supplierId !== null && !context.operator.supplier)
      await takeBack(connection, operator.operatorId, context)
    const link = await createSignInLink(connection, operator.operatorId, context.nowMs)
    await audit(connection, {
      ...actorOf(context),
      action: 'operator.sign-in-link',
      subject: subjectOf(operator),
      after: { expiresAt: link.expiresAt },
    })
    return { operator, link }
  })
}

/** A person's account, from whoever may have used a manager's link instead: neither session nor password is left. */
async function takeBack(
  connection: Queryable,
  operatorId: number,
  { revocations }: ChangeContext,
): Promise<void> {
  await revocations.note(connection, 'password', operatorId)
  await updatePassword(connection, operatorId, null)
  await deleteSessionsOf(connection, operatorId)
}

function actorOf({ operator, requestId }: ChangeContext): Pick<ChangeContext, 'operator' | 'requestId'> {
  return { operator, requestId }
}

/** How the audit log names an operator. */
export function subjectOf({ operatorId, name }: Pick<StoredOperator, 'operatorId' | 'name'>): string {
  return `operator ${operatorId} "${name}"`
}

function changeOperator(
  db: Database,
  which: number | string,
  context: ChangeContext,
  action: AuditAction,
  change: (connection: Queryable, operator: StoredOperator, admins: readonly number[]) => Promise<void>,
): Promise<StoredOperator> {
  return transaction(db, async (connection) => {
    const admins = await lockAdmins(connection)
    const before = await selectOperator(connection, which)
    await change(connection, before, admins)
    const after = await selectOperator(connection, before.operatorId)
    await audit(connection, {
      ...actorOf(context),
      action,
      subject: subjectOf(before),
      before: auditedState(before),
      after: auditedState(after),
    })
    return after
  })
}

function auditedState(of: StoredOperator): object {
  const { disabledAt, hasSecondFactor } = of
  return { role: roleOf(of), disabledAt, hasSecondFactor }
}

async function selectOperator(db: Queryable, which: number | string): Promise<StoredOperator> {
  const operator = await selectOptionalOperator(db, which)
  if (operator) return operator
  throw operatorNotFound(which)
}

function refuseLastAdmin(operator: StoredOperator, admins: readonly number[]): void {
  if (admins.length > 1 || admins[0] !== operator.operatorId) return
  throw new Rejected(409, {
    type: 'LAST_ADMIN',
    message: `"${operator.name}" is the only admin who can sign in`,
    hint: 'Make somebody else an admin first',
  })
}
