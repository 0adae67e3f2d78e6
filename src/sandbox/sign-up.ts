import { hash, randomUUID } from 'node:crypto'
import type { AlertChannels, Mail } from '../alerts/channels/channels.ts'
import { dayMs, minuteMs } from '../base/calendar.ts'
import { hotelErrors } from '../hotels/contract.ts'
import { isEmail } from '../hotels/hotel-rules.ts'
import type { Operator } from '../http/calls/call.ts'
import { networkOf } from '../http/server/http-server.ts'
import { Rejected } from '../http/rejected.ts'
import { hashSecret } from '../keys/secret.ts'
import { checkName, refuseLookAlikes } from '../keys/names.ts'
import { insertOptionalSupplier, selectOptionalAlike } from '../keys/suppliers.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import { transaction } from '../postgres/transaction.ts'
import { audit } from '../operators/accounts/audit.ts'
import { storedRoles, type SignInLink } from '../operators/contract.ts'
import { commandLine, insertOperator, subjectOf, type ChangeContext } from '../operators/accounts/manage.ts'
import { createSignInLink, looksLikeSecret, makeRandomSecret } from '../operators/sessions/session-store.ts'
import type { SignInContext } from '../operators/sign-in/sign-in.ts'
import { signUpLimits } from '../operators/sign-up-contract.ts'
import { selectOptionalOperator } from '../operators/accounts/store.ts'
import { mailTexts, type MailKind } from './sign-up-mails.ts'

/**
 * Accounts of the sandbox that suppliers' developers make themselves, where ARI_SANDBOX_SIGNUP allows it. The mail
 * has a link of the sign-in page; only its use makes the account. decisions/062-sandbox-sign-up.md.
 */

export type SignUpNeeds = Needs & {
  /** Absent: nobody may. */
  signUp: { publicUrl: string } | undefined
  alertChannels: Pick<AlertChannels, 'mail'>
  revocations: ChangeContext['revocations']
}

/** How the audit log names whoever made an account or came back to one. */
export const signUpItself: Operator = { ...commandLine(undefined), name: 'sign-up' }

/**
 * Sends a mail to the address, unless one of the limits is reached. Who asks learns nothing of that, nor whether there is
 * such an account: the mail is sent after the answer.
 */
export async function requestSignUp(
  needs: SignUpNeeds,
  wanted: { email: string; company: string },
  { visit }: Pick<SignInContext, 'visit'>,
): Promise<void> {
  const { signUp, alertChannels, log, telemetry } = needs
  const send = alertChannels.mail
  if (!signUp || !send) throw noSignUp()
  if (!isEmail(wanted.email)) throw wrongEmail()
  checkName('Company', wanted.company)
  refuseLookAlikes('Company', wanted.company)
  const mail = await transaction(needs.db, (connection) =>
    mailFor(connection, { ...wanted, network: networkKey(visit.address), nowMs: needs.clock.now() }),
  )
  if (mail === undefined) {
    telemetry.limited.inc({ limit: 'sign_up' })
    return
  }
  const { subject, text } = mailTexts[mail.kind](signUp.publicUrl, mail.token)
  const message: Mail = { to: wanted.email, subject, text, messageId: randomUUID() }
  // Whoever gets none asks again in some minutes.
  void send(message).then((sent) => {
    if (!sent.isSent) log.warn({ reason: sent.reason }, 'the mail of a sign-up could not be sent')
  })
}

type Confirmed = { operatorId: number; link: SignInLink; isBack: boolean }
type Wanted = { email: string; company: string; network: Buffer; nowMs: number }
type SignUpRow = {
  operatorId: number | null
  isEnded: boolean
  mails: number
  sinceMs: number
  mailedAtMs: number
}

/** While somebody's link waits, nobody in another network gives the account another name: whoever uses the link would get it. */
const waitsForAnother = `(sign_up.operator_id is null and sign_up.network <> $3 and sign_up.expires_at > instant($8))`

/** Undefined if a limit is reached. */
async function mailFor(
  connection: Queryable,
  wanted: Wanted,
): Promise<{ kind: MailKind; token: string } | undefined> {
  const { nowMs } = wanted
  const email = wanted.email.toLowerCase()
  // One at a time: of several at once, each is counted by the next.
  await connection.query('lock table sign_up in share row exclusive mode')
  const { rows } = await connection.query<SignUpRow>(
    `select operator_id as "operatorId", coalesce(disabled_at = ended_at, false) as "isEnded", mails, epoch_ms(mails_since) as "sinceMs",
       epoch_ms(mailed_at) as "mailedAtMs"
     from sign_up left join operator on operator.id = operator_id where email = $1`,
    [email],
  )
  const [known] = rows
  if (known && nowMs < known.mailedAtMs + signUpLimits.pauseMinutes * minuteMs) return undefined
  const isSameDay = known !== undefined && nowMs < known.sinceMs + dayMs
  const mails = isSameDay ? known.mails + 1 : 1
  if (mails > signUpLimits.mailsOfEmail || !(await isWithinDay(connection, wanted))) return undefined
  const account = known && !known.isEnded ? known.operatorId : null
  const operator = await selectOptionalOperator(connection, account ?? wanted.email)
  // Somebody whom operators invited, or whom they have shut out since.
  const isTaken =
    operator && (account === null ? known?.operatorId !== operator.operatorId : operator.disabledAt !== null)
  const kind = isTaken ? 'taken' : account === null ? 'new' : 'again'
  const token =
    kind === 'again' && account !== null
      ? (await createSignInLink(connection, account, nowMs)).token
      : makeRandomSecret()
  await connection.query(
    `insert into sign_up (email, company, network, token_hash, expires_at, mails, mails_since, mailed_at)
     values ($1, $2, $3, $4, instant($5), $6, instant($7), instant($8))
     on conflict (email) do update set
       company = case when sign_up.operator_id is null and not ${waitsForAnother} then $2 else sign_up.company end,
       network = case when ${waitsForAnother} then sign_up.network else $3 end, token_hash = $4, expires_at = instant($5), mails = $6, mails_since = instant($7), mailed_at = instant($8)`,
    [
      email,
      wanted.company,
      wanted.network,
      kind === 'new' ? Buffer.from(hashSecret(token), 'hex') : null,
      nowMs + signUpLimits.linkHours * 60 * minuteMs,
      mails,
      isSameDay ? known.sinceMs : nowMs,
      nowMs,
    ],
  )
  return { kind, token }
}

/** Whether the network and the whole service may send one more mail today. */
async function isWithinDay(connection: Queryable, { network, nowMs }: Wanted): Promise<boolean> {
  const { rows } = await connection.query<{ all: number; ofNetwork: number }>(
    `select coalesce(sum(mails), 0)::int as all, coalesce(sum(mails) filter (where network = $1), 0)::int as "ofNetwork"
     from sign_up where mailed_at > instant($2)`,
    [network, nowMs - dayMs],
  )
  const { all = 0, ofNetwork = 0 } = rows[0] ?? {}
  return all < signUpLimits.mailsOfService && ofNetwork < signUpLimits.mailsOfNetwork
}

/**
 * Makes the account of a mailed link, or opens an abandoned one again, and returns the token of a sign-in link to it. Of
 * several uses at once, one does; undefined for anything else.
 */
export async function confirmOptionalSignUp(
  needs: Pick<SignUpNeeds, 'db' | 'clock' | 'signUp' | 'revocations'>,
  token: string,
  requestId: string,
): Promise<string | undefined> {
  if (!needs.signUp || !looksLikeSecret(token)) return undefined
  const nowMs = needs.clock.now()
  const context = { operator: signUpItself, requestId, nowMs, revocations: needs.revocations }
  const confirmed = await transaction<Confirmed | undefined>(needs.db, async (connection) => {
    const { rows } = await connection.query<{
      id: number
      email: string
      company: string
      operatorId: number | null
    }>(
      `update sign_up set token_hash = null, confirmed_at = instant($2)
       where token_hash = $1 and expires_at > instant($2)
       returning id, email, company, operator_id as "operatorId"`,
      [Buffer.from(hashSecret(token), 'hex'), nowMs],
    )
    const [row] = rows
    if (!row) return undefined
    if (row.operatorId !== null) return openAgain(connection, row.operatorId, context)
    const { operator, link } = await makeAccount(connection, row, context)
    await connection.query('update sign_up set operator_id = $2 where id = $1', [row.id, operator.operatorId])
    return { operatorId: operator.operatorId, link, isBack: false }
  })
  if (!confirmed) return undefined
  if (confirmed.isBack) await needs.revocations.noteGivenBack(needs.db, 'operator', confirmed.operatorId)
  return confirmed.link.token
}

async function makeAccount(
  connection: Queryable,
  { email, company }: { email: string; company: string },
  context: ChangeContext,
) {
  const { supplierId, name } = await insertSupplier(connection, company)
  await connection.query(
    'update supplier set hotels_max = $2, managed_keys_max = $3, managed_key_rate_max = $4 where id = $1',
    [supplierId, signUpLimits.hotels, signUpLimits.keys, signUpLimits.keyRequestsPerMinute],
  )
  await audit(connection, {
    operator: context.operator,
    requestId: context.requestId,
    action: 'supplier.create',
    subject: `supplier ${supplierId} "${name}"`,
    after: { name },
  })
  return insertOperator(connection, { name: email, role: storedRoles.manager, supplierId }, context)
}

const namesTried = 50

/** The company's name, or one with a number after it: nobody can pass for a supplier that is there. */
async function insertSupplier(
  connection: Queryable,
  company: string,
): Promise<{ supplierId: number; name: string }> {
  for (let number = 1; number <= namesTried; number++) {
    const name = number === 1 ? company : `${company} (${number})`
    const isTaken = (await selectOptionalAlike(connection, name)) !== undefined
    const supplierId = isTaken ? undefined : await insertOptionalSupplier(connection, name)
    if (supplierId !== undefined) return { supplierId, name }
  }
  throw new Rejected(409, {
    type: 'SUPPLIER_EXISTS',
    message: `Supplier "${company}" exists already`,
    hint: 'Sign up under another name',
  })
}

/** Undefined if an operator has shut the person out since. */
async function openAgain(
  connection: Queryable,
  operatorId: number,
  context: ChangeContext,
): Promise<Confirmed | undefined> {
  const { rowCount } = await connection.query(
    `with back as (
       update operator set disabled_at = null from sign_up
       where operator.id = $1 and operator_id = $1 and disabled_at = ended_at returning operator.id
     )
     update sign_up set ended_at = null from back where operator_id = back.id`,
    [operatorId],
  )
  const operator = await selectOptionalOperator(connection, operatorId)
  if (rowCount === 0 || !operator) return undefined
  await audit(connection, {
    operator: context.operator,
    requestId: context.requestId,
    action: 'operator.enable',
    subject: subjectOf(operator),
  })
  const link = await createSignInLink(connection, operatorId, context.nowMs)
  return { operatorId, link, isBack: true }
}

/** The link has expired then, and the mails no longer count. */
export const signUpsKeptMs = 2 * dayMs

/** Those that nobody confirmed. */
export async function deleteOldSignUps(db: Queryable, beforeMs: number): Promise<number> {
  const { rowCount } = await db.query(
    'delete from sign_up where operator_id is null and mailed_at < instant($1)',
    [beforeMs],
  )
  return rowCount ?? 0
}

function networkKey(address: string): Buffer {
  return hash('sha256', `sign-up\n${networkOf(address)}`, 'buffer')
}

function wrongEmail(): Rejected {
  return new Rejected(400, { ...hotelErrors.email, path: '/email' })
}

function noSignUp(): Rejected {
  return new Rejected(404, {
    type: 'NO_SIGN_UP',
    message: 'Nobody can sign up here',
    hint: 'Ask the platform for an account; operators can allow sign-ups in the sandbox with ARI_SANDBOX_SIGNUP',
  })
}
