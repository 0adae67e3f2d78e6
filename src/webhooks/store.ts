import type { Queryable } from '../platform/postgres.ts'

export const webhookKinds = ['availability', 'pushbook'] as const
export type WebhookKind = (typeof webhookKinds)[number]

const columnOf = { availability: 'availability_webhook', pushbook: 'pushbook_webhook' } as const

export type SavedWebhook = { isChanged: boolean; isSecretNew: boolean }

/** Puts the URL on the key's record, and the secret if the record has none. */
export async function saveWebhook(
  connection: Queryable,
  keyId: number,
  { kind, href, signingSecret }: { kind: WebhookKind; href: string; signingSecret: string },
): Promise<SavedWebhook> {
  const column = columnOf[kind]
  const { rows } = await connection.query<{ before: string | null; hasSecret: boolean }>(
    `select ${column} as before, signing_secret is not null as "hasSecret" from api_key where id = $1 for update`,
    [keyId],
  )
  const [held] = rows
  if (!held) throw new Error(`key ${keyId} called but is not there`)
  const isChanged = held.before !== href
  if (isChanged || !held.hasSecret) {
    await connection.query(
      `update api_key set ${column} = $2, signing_secret = coalesce(signing_secret, $3) where id = $1`,
      [keyId, href, signingSecret],
    )
  }
  return { isChanged, isSecretNew: !held.hasSecret }
}
