import { hash, randomInt } from 'node:crypto'
import type { Needs } from '../postgres/needs.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { Rejected } from '../http/rejected.ts'
import type { SecondFactorSetup } from './contract.ts'
import { openSecret, sealSecret, type MfaKeys } from './second-factor-secret.ts'

/**
 * The second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for whoever lost it. A code is used once: the
 * step of time that it was for, or its row, is taken by one statement.
 */

export type SecondFactorNeeds = Pick<Needs, 'db' | 'clock'> & { mfaKeys: MfaKeys }

/** `none`: there is no second factor; `missing`: there is one, and no code was sent. */
export type Proof = 'none' | 'missing' | 'wrong' | 'code' | 'recovery code'

const stepSeconds = 30
/** A step of time before and after: phones are off by some seconds, and people type. */
const toleranceSeconds = 30
const recoveryCodeCount = 10
/** Without those that look alike; 16 of them are 80 bits, so that a fast hash will do. */
const recoveryAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const recoveryLength = 16

export async function proveSecondFactor(
  needs: SecondFactorNeeds,
  operatorId: number,
  code: string | undefined,
): Promise<Proof> {
  const { rows } = await needs.db.query<{ kept: Buffer | null; lastStep: number | null }>(
    'select totp_secret as kept, totp_last_step::float8 as "lastStep" from operator where id = $1',
    [operatorId],
  )
  const { kept = null, lastStep = null } = rows[0] ?? {}
  if (kept === null) return 'none'
  if (code === undefined) return 'missing'
  const typed = code.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!/^\d{6}$/.test(typed))
    return (await useRecoveryCode(needs.db, operatorId, typed)) ? 'recovery code' : 'wrong'
  const secret = openSecret(kept, operatorId, needs.mfaKeys)
  const step = await stepOf(secret, typed, needs.clock.now(), lastStep)
  if (step === undefined) return 'wrong'
  const { rowCount } = await needs.db.query(
    // Sealed anew, so that a key that was replaced can go.
    `update operator set totp_last_step = $3, totp_secret = $4
     where id = $1 and totp_secret = $2 and (totp_last_step is null or totp_last_step < $3)`,
    [operatorId, kept, step, sealSecret(secret, operatorId, needs.mfaKeys)],
  )
  return rowCount === 1 ? 'code' : 'wrong'
}

/** The step of time that the code is for; undefined when it is wrong, or of a step that was used. */
async function stepOf(
  secret: string,
  token: string,
  nowMs: number,
  lastStep: number | null,
): Promise<number | undefined> {
  const { verify } = await import('otplib')
  const verified = await verify({
    secret,
    token,
    period: stepSeconds,
    epoch: Math.floor(nowMs / 1000),
    epochTolerance: toleranceSeconds,
    ...(lastStep === null ? {} : { afterTimeStep: lastStep }),
  })
  return verified.valid && 'timeStep' in verified ? verified.timeStep : undefined
}

async function useRecoveryCode(db: Queryable, operatorId: number, typed: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from operator_recovery_code where hash = $1 and operator_id = $2',
    [hashOfCode(typed), operatorId],
  )
  return rowCount === 1
}

/** A secret for an app, kept with the session until a code shows that the app has it. */
export async function beginSetup(
  { db, mfaKeys }: SecondFactorNeeds,
  {
    operatorId,
    sessionId,
    issuer,
    name,
  }: { operatorId: number; sessionId: string; issuer: string; name: string },
): Promise<SecondFactorSetup> {
  const { generateSecret, generateURI } = await import('otplib')
  const secret = generateSecret()
  await db.query('update operator_session set pending_totp = $2 where hash = $1', [
    Buffer.from(sessionId, 'hex'),
    sealSecret(secret, operatorId, mfaKeys),
  ])
  return { secret, uri: generateURI({ issuer, label: name, secret, period: stepSeconds }) }
}

/** The session's secret is the operator's from now on; answers new recovery codes, in place of those before. */
export async function finishSetup(
  connection: Queryable,
  { clock, mfaKeys }: Pick<SecondFactorNeeds, 'clock' | 'mfaKeys'>,
  { operatorId, sessionId, code }: { operatorId: number; sessionId: string; code: string },
): Promise<string[]> {
  const { rows } = await connection.query<{ pending: Buffer | null }>(
    'select pending_totp as pending from operator_session where hash = $1 for update',
    [Buffer.from(sessionId, 'hex')],
  )
  const pending = rows[0]?.pending
  if (!pending) throw setupNotBegun()
  const secret = openSecret(pending, operatorId, mfaKeys)
  const nowMs = clock.now()
  const step = await stepOf(secret, code.replaceAll(/\s/g, ''), nowMs, null)
  if (step === undefined) throw codeRefused()
  await connection.query(
    `update operator set totp_secret = $2, totp_last_step = $3, totp_since = instant($4)
     where id = $1`,
    [operatorId, pending, step, nowMs],
  )
  return replaceRecoveryCodes(connection, operatorId)
}

async function replaceRecoveryCodes(connection: Queryable, operatorId: number): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, makeRecoveryCode)
  await connection.query('delete from operator_recovery_code where operator_id = $1', [operatorId])
  await connection.query(
    'insert into operator_recovery_code (hash, operator_id) select unnest($1::bytea[]), $2',
    [codes.map(hashOfCode), operatorId],
  )
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'))
}

export async function countRecoveryCodes(db: Queryable, operatorId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from operator_recovery_code where operator_id = $1',
    [operatorId],
  )
  return rows[0]?.count ?? 0
}

export async function removeSecondFactor(connection: Queryable, operatorId: number): Promise<void> {
  await connection.query('delete from operator_recovery_code where operator_id = $1', [operatorId])
  await connection.query(
    'update operator set totp_secret = null, totp_last_step = null, totp_since = null where id = $1',
    [operatorId],
  )
}

function makeRecoveryCode(): string {
  return Array.from(
    { length: recoveryLength },
    () => recoveryAlphabet[randomInt(recoveryAlphabet.length)],
  ).join('')
}

function hashOfCode(code: string): Buffer {
  return hash('sha256', code, 'buffer')
}

export function codeMissing(status: 401 | 403): Rejected {
  return new Rejected(status, {
    type: 'CODE_REQUIRED',
    message: 'A code of your authenticator app is needed too',
    path: '/code',
    hint: 'Or one of your recovery codes; an admin can reset the second factor of whoever has neither',
  })
}

export function codeRefused(status: 401 | 403 | 400 = 400): Rejected {
  return new Rejected(status, {
    type: 'CODE_REFUSED',
    message: 'The code is wrong, too old, or was used already',
    path: '/code',
    hint: 'Wait for the next code of the app, and check that the clock of the device is right',
  })
}

function setupNotBegun(): Rejected {
  return new Rejected(409, {
    type: 'SETUP_NOT_BEGUN',
    message: 'Nothing was begun that could be finished',
    hint: 'POST /me/second-factor first, in the same session',
  })
}
