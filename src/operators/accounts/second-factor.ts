import { hash, randomInt, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { Rejected } from '../../http/rejected.ts'
import type { SecondFactorSetup } from '../contract.ts'

/**
 * The second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for people who lost it. Every
 * code works once: one statement claims its time step or deletes its row.
 */

type SecondFactorNeeds = Pick<Needs, 'db' | 'clock'> & { mfaKeys: MfaKeys }

/** `none`: the operator has no second factor; `missing`: has one, but no code was sent. */
export type Proof = 'none' | 'missing' | 'wrong' | 'code' | 'recovery code'

const stepSeconds = 30
/** One time step before and after: phone clocks are off by some seconds, and typing takes time. */
const toleranceSeconds = 30
const recoveryCodeCount = 10
/** Without look-alikes; 16 of them are 80 bits, so a fast hash is enough. */
const recoveryAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const recoveryLength = 16

export async function proveSecondFactor(
  needs: SecondFactorNeeds,
  operatorId: number,
  code: string | undefined,
): Promise<Proof> {
  const { rows } = await needs.db.query<{ sealed: Buffer | null; lastStep: number | null }>(
    'select totp_secret as sealed, totp_last_step::float8 as "lastStep" from operator where id = $1',
    [operatorId],
  )
  const { sealed = null, lastStep = null } = rows[0] ?? {}
  if (sealed === null) return 'none'
  if (code === undefined) return 'missing'
  const typed = withoutSeparators(code)
  if (!codeOfApp.test(typed))
    return (await useRecoveryCode(needs.db, operatorId, typed.toUpperCase())) ? 'recovery code' : 'wrong'
  const secret = openSecret(sealed, operatorId, needs.mfaKeys)
  const step = await stepOf(secret, typed, needs.clock.now(), lastStep)
  if (step === undefined) return 'wrong'
  const { rowCount } = await needs.db.query(
    // Sealed again with the current key, so that a replaced key can be removed.
    `update operator set totp_last_step = $3, totp_secret = $4
     where id = $1 and totp_secret = $2 and (totp_last_step is null or totp_last_step < $3)`,
    [operatorId, sealed, step, sealSecret(secret, operatorId, needs.mfaKeys)],
  )
  return rowCount === 1 ? 'code' : 'wrong'
}

const codeOfApp = /^\d{6}$/

/** The code as people type it, in groups. */
function withoutSeparators(code: string): string {
  return code.replaceAll(/[\s-]/g, '')
}

/** The time step of the code; undefined if it is wrong or its step was already used. */
async function stepOf(
  secret: string,
  token: string,
  nowMs: number,
  lastStep: number | null,
): Promise<number | undefined> {
  if (!codeOfApp.test(token)) return undefined
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

/** Creates a secret for an app, stored with the session until a code proves that the app has it. */
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

/** Makes the session's secret the operator's; returns new recovery codes, which replace the previous ones. */
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
  if (!pending) throw noSetupInProgress()
  const secret = openSecret(pending, operatorId, mfaKeys)
  const nowMs = clock.now()
  const step = await stepOf(secret, withoutSeparators(code), nowMs, null)
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
    message: 'A code from your authenticator app is required as well',
    path: '/code',
    hint: 'Or one of your recovery codes; if you have neither, an admin can reset your second factor',
  })
}

export function codeRefused(status: 401 | 403 | 400 = 400): Rejected {
  return new Rejected(status, {
    type: 'CODE_REFUSED',
    message: 'The code is wrong, too old, or already used',
    path: '/code',
    hint: 'Wait for the next code in the app, and check that the clock of the device is right',
  })
}

function noSetupInProgress(): Rejected {
  return new Rejected(409, {
    type: 'SETUP_NOT_BEGUN',
    message: 'No setup of a second factor is in progress',
    hint: 'POST /me/second-factor first, in the same session',
  })
}

/**
 * How secrets of second factors are stored: the service must compute codes with them, so a hash won't do. With
 * ARI_MFA_KEY they are sealed (AES-256-GCM) and bound to their operator; without it they are plain. The first byte says
 * which.
 */

/** The first key seals, every key opens; none: nothing is sealed. */
export type MfaKeys = readonly Buffer[]

const kinds = { plain: 0, sealed: 1 } as const
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16

function sealSecret(secret: string, operatorId: number, [key]: MfaKeys): Buffer {
  const plain = Buffer.from(secret)
  if (!key) return Buffer.concat([Buffer.of(kinds.plain), plain])
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(operatorId))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(kinds.sealed), keyIdOf(key), nonce, cipher.getAuthTag(), sealed])
}

/** Throws if the key is missing or the secret belongs to another operator. */
function openSecret(stored: Buffer, operatorId: number, keys: MfaKeys): string {
  if (stored[0] === kinds.plain) return stored.subarray(1).toString()
  const [nonceAt, tagAt, sealedAt] = [
    1 + keyIdBytes,
    1 + keyIdBytes + nonceBytes,
    1 + keyIdBytes + nonceBytes + tagBytes,
  ]
  const key = keys.find((one) => keyIdOf(one).equals(stored.subarray(1, nonceAt)))
  if (!key) {
    throw new Error(
      `The second factor of operator ${operatorId} is encrypted with a key that is not in ARI_MFA_KEY: add that key, or reset the second factor`,
    )
  }
  const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(nonceAt, tagAt), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(boundTo(operatorId)).setAuthTag(stored.subarray(tagAt, sealedAt))
  return Buffer.concat([decipher.update(stored.subarray(sealedAt)), decipher.final()]).toString()
}

function keyIdOf(key: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from('id of an mfa key '), key]), 'buffer').subarray(
    0,
    keyIdBytes,
  )
}

function boundTo(operatorId: number): Buffer {
  return Buffer.from(`second factor of operator ${operatorId}`)
}
