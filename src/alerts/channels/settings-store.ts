import type { FindingKind } from '../../findings/contract.ts'
import type { FindingName } from '../../findings/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { overlapping } from '../../webhooks/store.ts'
import { alertEmails, testEverySeconds } from './settings-contract.ts'

/** Who is told: all SQL, in whole statements. */

export type AlertSettings = {
  kinds: FindingKind[] | null
  webhook: string | null
  signingSecret: string | null
  /** That secret, and those before it whose overlap lasts. */
  signingSecrets: readonly string[]
  codesSent: number
  emails: { email: string; isConfirmed: boolean; codeSentAtMs: number | null }[]
}

/** SQL: the secrets that sign at `now`, a parameter in milliseconds, newest first; none without a row. */
export function secretsColumn(settings: string, now: string): string {
  const unlessOver = (column: string) =>
    `case when ${settings}.${column}_until > instant(${now}) then ${settings}.${column} end`
  return `to_json(array_remove(array[${settings}.signing_secret, ${unlessOver('signing_secret_previous')},
    ${unlessOver('signing_secret_older')}], null))`
}

/** The subject of `webhook.failing` if the URL for alerts fails. */
export const alertsSubject = 'alerts'

/** The finding that the URL for alerts fails. */
export function failingAlertsUrl(supplierId: number): FindingName {
  return { supplierId, kind: 'webhook.failing', subject: alertsSubject }
}

const none: AlertSettings = {
  kinds: null,
  webhook: null,
  signingSecret: null,
  signingSecrets: [],
  codesSent: 0,
  emails: [],
}

export async function selectSettings(
  db: Queryable,
  supplierId: number,
  nowMs: number,
): Promise<AlertSettings> {
  const { rows } = await db.query<AlertSettings>(
    `select kinds, webhook, signing_secret as "signingSecret",
       ${secretsColumn('alert_settings', '$2')} as "signingSecrets",
       case when codes_since > instant($2) - interval '1 day' then codes_sent else 0 end as "codesSent",
       coalesce((select json_agg(json_build_object('email', address, 'isConfirmed', confirmed_at is not null,
           'codeSentAtMs', epoch_ms(code_sent_at)) order by address)
         from alert_email where alert_email.supplier_id = alert_settings.supplier_id), '[]') as emails
     from alert_settings where supplier_id = $1`,
    [supplierId, nowMs],
  )
  return rows[0] ?? none
}

/** The row of the account, locked until the transaction ends. */
export async function lockSettings(connection: Queryable, supplierId: number, nowMs: number): Promise<void> {
  await connection.query(
    `insert into alert_settings (supplier_id, codes_since) values ($1, instant($2)) on conflict do nothing`,
    [supplierId, nowMs],
  )
  await connection.query('select from alert_settings where supplier_id = $1 for update', [supplierId])
}

export async function writeSettings(
  connection: Queryable,
  supplierId: number,
  { kinds, webhook, signingSecret }: Pick<AlertSettings, 'kinds' | 'webhook' | 'signingSecret'>,
): Promise<void> {
  await connection.query(
    'update alert_settings set kinds = $2, webhook = $3, signing_secret = $4 where supplier_id = $1',
    [supplierId, kinds, webhook, signingSecret],
  )
}

/** False if the account has no secret yet. One that was replaced before goes on signing, but not beyond this overlap. */
export async function rotateAlertSecret(
  db: Queryable,
  supplierId: number,
  { signingSecret, oldUntilMs, nowMs }: { signingSecret: string; oldUntilMs: number; nowMs: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update alert_settings set signing_secret = $2, signing_secret_previous = signing_secret,
       signing_secret_previous_until = instant($3), signing_secret_older = signing_secret_previous,
       signing_secret_older_until = least(signing_secret_previous_until, instant($3))
     where supplier_id = $1 and signing_secret is not null
       and (instant($3) <= instant($4) or signing_secret_older is null or signing_secret_older_until <= instant($4))`,
    [supplierId, signingSecret, oldUntilMs, nowMs],
  )
  if (rowCount === 1) return true
  const { rows } = await db.query<{ olderUntilMs: number | null }>(
    `select epoch_ms(signing_secret_older_until) as "olderUntilMs" from alert_settings
     where supplier_id = $1 and signing_secret is not null`,
    [supplierId],
  )
  if (rows[0]) throw overlapping((rows[0].olderUntilMs ?? nowMs) - nowMs)
  return false
}

export async function deleteOtherEmails(
  connection: Queryable,
  supplierId: number,
  emails: readonly string[],
): Promise<void> {
  await connection.query('delete from alert_email where supplier_id = $1 and address <> all($2::text[])', [
    supplierId,
    emails,
  ])
}

export async function writeCode(
  connection: Queryable,
  supplierId: number,
  { email, codeHash, nowMs }: { email: string; codeHash: Buffer; nowMs: number },
): Promise<void> {
  await connection.query(
    `insert into alert_email (supplier_id, address, code_hash, code_sent_at) values ($1, $2, $3, instant($4))
     on conflict (supplier_id, address) do update
       set code_hash = excluded.code_hash, code_sent_at = excluded.code_sent_at, wrong_codes = 0`,
    [supplierId, email, codeHash, nowMs],
  )
  await connection.query(
    `update alert_settings set
       codes_sent = case when codes_since > instant($2) - interval '1 day' then codes_sent else 0 end + 1,
       codes_since = case when codes_since > instant($2) - interval '1 day' then codes_since else instant($2) end
     where supplier_id = $1`,
    [supplierId, nowMs],
  )
}

/** Confirms the address if the code is right; a wrong one is counted. */
export async function tryCode(
  db: Queryable,
  supplierId: number,
  { email, codeHash, nowMs }: { email: string; codeHash: Buffer; nowMs: number },
): Promise<boolean> {
  const { rows } = await db.query<{ isRight: boolean }>(
    `update alert_email set
       confirmed_at = case when code_hash = $3 then instant($4) else confirmed_at end,
       wrong_codes = case when code_hash = $3 then 0 else wrong_codes + 1 end,
       code_hash = case when code_hash = $3 then null else code_hash end
     where supplier_id = $1 and address = $2 and code_hash is not null
       and wrong_codes < ${alertEmails.wrongCodesMax}
       and code_sent_at > instant($4) - make_interval(hours => ${alertEmails.codeHours})
     returning code_hash is null as "isRight"`,
    [supplierId, email, codeHash, nowMs],
  )
  return rows[0]?.isRight ?? false
}

/** Whether a test may be sent now. */
export async function takeTest(db: Queryable, supplierId: number, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update alert_settings set tested_at = instant($2)
     where supplier_id = $1
       and (tested_at is null or tested_at <= instant($2) - make_interval(secs => ${testEverySeconds}))`,
    [supplierId, nowMs],
  )
  return rowCount === 1
}
