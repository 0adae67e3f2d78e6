import { Argument, Command, Option } from 'commander'
import { loadConfig } from '../settings/config.ts'
import { personRoles, storedRoles, type SignInLink, type StoredOperator } from '../operators/contract.ts'
import {
  createOperator,
  disableOperator,
  enableOperator,
  newSignInLink,
  resetSecondFactor,
  setRole,
  type ChangeContext,
} from '../operators/accounts/manage.ts'
import { signInUrl } from '../operators/sessions/session-store.ts'
import { selectOperators, type NewOperator } from '../operators/accounts/store.ts'
import { supplierIdOf } from '../keys/suppliers.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { operatorRoles, type OperatorRole } from '../http/route.ts'
import { addressOf, announcedAddress } from '../settings/service-address.ts'
import { commandLineUser, withSession, type Session } from './session.ts'
import { printJson, printOutcome, printTable, remark } from './print.ts'

type Given = { json?: boolean }

export function operatorCommand(): Command {
  const operator = new Command('operator')
    .description('manage the people who sign in to the console')
    .addHelpText(
      'after',
      `
A viewer can see everything but change nothing; an operator works with suppliers, hotels and reservations; an admin
can also manage operators. What you change with these commands is recorded in the console's audit log.

Examples:
  ari operator create --name maria@example.com --role admin
  ari operator list
  ari operator set-role maria@example.com operator
  ari operator disable maria@example.com         also ends the sessions
  ari operator enable maria@example.com
  ari operator sign-in-link maria@example.com    for somebody who forgot the password
  ari operator reset-second-factor maria@example.com
  ari operator create --name pia@seapms.example --role manager --supplier "Sea PMS"

With --supplier, the account is for one of the supplier's people, a viewer or a manager, who sees only that supplier's data.`,
    )
  addCreate(operator)
  addList(operator)
  addSetRole(operator)
  operator
    .command('disable')
    .description('disable an operator; ends the sessions within a second')
    .addArgument(nameArgument())
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withSession(async ({ db, ...session }) => {
        const disabled = await disableOperator(db, name, changeContext(session))
        printOutcome(given, listedJson(disabled), `Operator "${disabled.name}" is disabled`)
      }),
    )
  operator
    .command('enable')
    .description('enable a disabled operator')
    .addArgument(nameArgument())
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withSession(async ({ db, ...session }) => {
        const enabled = await enableOperator(db, name, changeContext(session))
        printOutcome(given, listedJson(enabled), `Operator "${enabled.name}" is enabled`)
      }),
    )
  operator
    .command('reset-second-factor')
    .description("remove an operator's lost second factor; also ends the sessions")
    .addArgument(nameArgument())
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withSession(async ({ db, ...session }) => {
        const reset = await resetSecondFactor(db, name, changeContext(session))
        printOutcome(given, listedJson(reset), `Operator "${reset.name}" no longer has a second factor`)
      }),
    )
  operator
    .command('sign-in-link')
    .description('print a link that signs the operator in once; earlier links stop working')
    .addArgument(nameArgument())
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withSession(async ({ db, ...session }) => {
        const { operator: of, link } = await newSignInLink(db, name, changeContext(session))
        printLink(given, of, link)
      }),
    )
  return operator
}

function addCreate(operator: Command): void {
  operator
    .command('create')
    .description(
      'create an operator; prints a link for signing in and choosing a password, which is not shown again',
    )
    .requiredOption('--name <name>', 'a name or an e-mail address; not case-sensitive')
    .addOption(
      new Option('--role <role>', 'what the operator may do; manager only with --supplier')
        .choices([...operatorRoles, 'manager'])
        .makeOptionMandatory(),
    )
    .option('--supplier <name>', 'the supplier that the person works for')
    .option('--json', 'print JSON')
    .action((given: Given & { name: string; role: OperatorRole | 'manager'; supplier?: string }) =>
      withSession(async ({ db, ...session }) => {
        // As with a first key, this assigns a new database to an environment.
        await session.environment()
        const account = await newAccount(db, given)
        const { operator: made, link } = await createOperator(db, account, changeContext(session))
        printLink(given, made, link)
      }),
    )
}

async function newAccount(
  db: Queryable,
  { name, role, supplier }: { name: string; role: OperatorRole | 'manager'; supplier?: string },
): Promise<NewOperator> {
  if (supplier === undefined) {
    if (role !== 'manager') return { name, role }
    throw new Error('the role manager is only for people of a supplier: name the supplier with --supplier')
  }
  const personRole = personRoles.find((one) => one === role)
  if (!personRole)
    throw new Error(`with --supplier, the role must be ${personRoles.join(' or ')}, not ${role}`)
  const supplierId = await supplierIdOf(db, supplier)
  return { name, role: storedRoles[personRole], supplierId }
}

function addList(operator: Command): void {
  operator
    .command('list')
    .description('list all operators, or the people of a supplier')
    .option('--supplier <name>', 'the supplier whose people to list')
    .option('--json', 'print JSON')
    .action((given: Given & { supplier?: string }) =>
      withSession(async ({ db }) => {
        const supplierId = given.supplier === undefined ? null : await supplierIdOf(db, given.supplier)
        const operators = await selectOperators(db, supplierId)
        if (given.json) return printJson(operators.map(listedJson))
        printTable(
          [
            'OPERATOR ID',
            'NAME',
            'ROLE',
            'STATUS',
            'PASSWORD',
            'OPENID',
            'SECOND FACTOR',
            'CREATED',
            'LAST SIGN-IN',
          ],
          operators.map((one) => [
            one.operatorId,
            one.name,
            one.role,
            one.disabledAt === null ? 'active' : 'disabled',
            one.hasPassword ? 'yes' : 'no',
            one.isLinked ? 'yes' : 'no',
            one.hasSecondFactor ? 'yes' : 'no',
            one.createdAt,
            one.lastSignInAt,
          ]),
        )
      }),
    )
}

function addSetRole(operator: Command): void {
  operator
    .command('set-role')
    .description("change an operator's role, from the next request on")
    .addArgument(nameArgument())
    .addArgument(new Argument('<role>', 'what the operator may do').choices([...operatorRoles]))
    .option('--json', 'print JSON')
    .action((name: string, role: OperatorRole, given: Given) =>
      withSession(async ({ db, ...session }) => {
        const changed = await setRole(db, name, role, changeContext(session))
        printOutcome(given, listedJson(changed), `Operator "${changed.name}" has the role ${changed.role}`)
      }),
    )
}

function nameArgument(): Argument {
  return new Argument('<name>', 'as in operator list')
}

function changeContext({ nowMs, revocations }: Pick<Session, 'nowMs' | 'revocations'>): ChangeContext {
  return { operator: commandLineUser(), requestId: undefined, nowMs, revocations }
}

function listedJson({ operatorId, ...operator }: StoredOperator): object {
  return { operatorId: String(operatorId), ...operator }
}

/** Prints the link at the address of the service that runs here; without one, at that of the settings. */
function printLink(given: Given, operator: StoredOperator, { token, expiresAt }: SignInLink): void {
  const { settings } = loadConfig()
  const address = settings.publicUrl ?? announcedAddress(settings.dataDir, 'console') ?? addressOf(settings)
  const url = signInUrl(address, token)
  printOutcome(given, { ...listedJson(operator), signInUrl: url, expiresAt }, url)
  remark(`It signs "${operator.name}" in once, until ${expiresAt}. It is not shown again.`)
}
