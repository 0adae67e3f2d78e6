import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Supplier, SupplierKey } from '../../../../src/console-api/suppliers/contract.ts'
import { Code } from '../../parts/values/code.tsx'
import { useFilter } from '../../parts/lists/filters.tsx'
import { useCan, useIsManager } from '../../parts/session.tsx'
import { useSought } from '../../parts/sought.ts'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import { Ago, Time } from '../../parts/values/time.tsx'
import { ExpireKey, LimitKey, limitNames, RevokeKey, RotateKey, RotateSigningSecret } from './key-dialogs.tsx'
import classes from './suppliers.module.css'
import { WebhookLine } from './webhook-line.tsx'

const kindByStatus: Readonly<Record<SupplierKey['status'], StatusKind>> = {
  active: 'good',
  expired: 'warn',
  revoked: 'idle',
}

const dialogs = ['rotate', 'signing', 'expire', 'limit', 'revoke'] as const
type Dialog = (typeof dialogs)[number]

/** One key: its secrets, expiry, limits and webhooks, and the actions on it. */
export function KeyPanel({ supplier, supplierKey }: { supplier: Supplier; supplierKey: SupplierKey }) {
  const { t } = useTranslation()
  const [asked, setAsked] = useFilter('do')
  const [sought] = useFilter('key')
  const active = supplier.keys.filter((key) => key.status === 'active')
  const isOnly = active.length === 1 && active[0]?.keyId === supplierKey.keyId
  const [chosen, setDialog] = useState<Dialog>()
  // A link that asks for a dialog, as Ctrl+K gives, means the only key; among several, somebody chooses.
  const mayChange = useCan('admin')
  const isManager = useIsManager()
  const dialog = chosen ?? (mayChange && isOnly ? dialogs.find((one) => one === asked) : undefined)
  const { keyId, status, channelManager, secrets, webhooks } = supplierKey
  const isActive = status === 'active'
  const isSought = sought === String(keyId)
  const place = useSought<HTMLElement>(isSought)
  const close = () => {
    setDialog(undefined)
    if (asked !== '') setAsked('')
  }
  return (
    <section
      ref={place}
      className={classes['panel']}
      tabIndex={-1}
      data-sought={isSought || undefined}
      aria-labelledby={`key-${keyId}`}
    >
      <div className={classes['panelTop']}>
        <Group gap="xs">
          <Title order={3} id={`key-${keyId}`}>
            {t('suppliers.keys.heading', { keyId })}
          </Title>
          <Text size="sm" c="dimmed">
            {t('suppliers.keys.by', { channelManager })}
          </Text>
          <StatusBadge kind={kindByStatus[status]} label={t(`suppliers.keys.status.${status}`)} />
          {isActive && secrets.length > 1 && <StatusBadge kind="info" label={t('suppliers.keys.rotating')} />}
        </Group>
        {(mayChange || isManager) && (
          <KeyActions supplierKey={supplierKey} isAdmin={mayChange} open={setDialog} />
        )}
      </div>
      <KeyFacts supplierKey={supplierKey} />
      <Webhooks supplierKey={supplierKey} isCallable={isActive} />
      {webhooks.length === 0 && isActive && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('suppliers.webhooks.none')}
        </Text>
      )}
      {dialog === 'rotate' && <RotateKey keyId={keyId} onClose={close} />}
      {dialog === 'signing' && <RotateSigningSecret keyId={keyId} onClose={close} />}
      {dialog === 'expire' && <ExpireKey supplierKey={supplierKey} onClose={close} />}
      {dialog === 'limit' && (
        <LimitKey supplierKey={supplierKey} usual={supplier.defaultLimits} onClose={close} />
      )}
      {dialog === 'revoke' && (
        <RevokeKey supplierKey={supplierKey} supplier={supplier.name} onClose={close} />
      )}
    </section>
  )
}

/** Admins change everything about a key; a manager of its supplier rotates and revokes it. */
function KeyActions({
  supplierKey,
  isAdmin,
  open,
}: {
  supplierKey: SupplierKey
  isAdmin: boolean
  open: (dialog: Dialog) => void
}) {
  const { t } = useTranslation()
  const { keyId, status, hasSigningSecret } = supplierKey
  if (status === 'revoked') return null
  return (
    <Group gap={6} role="group" aria-label={t('suppliers.keys.actions', { keyId })}>
      {status === 'active' && (
        <Button variant="default" onClick={() => open('rotate')}>
          {t('suppliers.keys.rotate')}
        </Button>
      )}
      {isAdmin && hasSigningSecret && (
        <Button variant="default" onClick={() => open('signing')}>
          {t('suppliers.keys.rotateSigning')}
        </Button>
      )}
      {isAdmin && (
        <>
          <Button variant="default" onClick={() => open('limit')}>
            {t('suppliers.keys.limit')}
          </Button>
          <Button variant="default" onClick={() => open('expire')}>
            {t('suppliers.keys.expire')}
          </Button>
        </>
      )}
      <Button variant="light" color="red" onClick={() => open('revoke')}>
        {t('suppliers.keys.revoke')}
      </Button>
    </Group>
  )
}

function KeyFacts({ supplierKey }: { supplierKey: SupplierKey }) {
  const { t } = useTranslation()
  const { status, secrets, createdAt, lastUsedAt, lastRefusedAt, expiresAt, revokedAt, limits } = supplierKey
  const own = limitNames.flatMap((name) => {
    const value = limits[name]
    if (value === null) return []
    const isWithout = value === 0 && name === 'requestsPerMinute'
    const text = isWithout ? t('suppliers.keys.noLimit') : value.toLocaleString('en')
    return [`${t(`suppliers.limit.${name}`)}: ${text}`]
  })
  return (
    <dl className={classes['facts']}>
      <dt>{t('suppliers.keys.lastUsed')}</dt>
      <dd>
        <Ago at={lastUsedAt} />
      </dd>
      {lastRefusedAt !== null && (
        <>
          <dt>{t('suppliers.keys.lastRefused')}</dt>
          <dd>
            <Ago at={lastRefusedAt} />. {t(`suppliers.keys.refusedBecause.${status}`)}
          </dd>
        </>
      )}
      {revokedAt === null && (
        <>
          <dt>{t('suppliers.keys.secrets')}</dt>
          <dd>
            {secrets.map(({ tail, worksUntil }) => (
              <div key={tail}>
                {t('suppliers.keys.endsIn')} <Code>{tail}</Code>
                {worksUntil !== null && (
                  <>
                    , {t('suppliers.keys.worksUntil')} <Time at={worksUntil} />
                  </>
                )}
              </div>
            ))}
          </dd>
        </>
      )}
      <dt>{t('suppliers.keys.created')}</dt>
      <dd>
        <Time at={createdAt} />
      </dd>
      <dt>{t(revokedAt === null ? 'suppliers.keys.expires' : 'suppliers.keys.revokedAt')}</dt>
      <dd>
        {revokedAt === null && expiresAt === null ? (
          t('suppliers.keys.never')
        ) : (
          <Time at={revokedAt ?? expiresAt} />
        )}
      </dd>
      <dt>{t('suppliers.keys.limits')}</dt>
      <dd>{own.length === 0 ? t('suppliers.keys.usualLimits') : own.join(' · ')}</dd>
    </dl>
  )
}

function Webhooks({ supplierKey, isCallable }: { supplierKey: SupplierKey; isCallable: boolean }) {
  const { t } = useTranslation()
  const { keyId, webhooks, oldSigningSecretUntil } = supplierKey
  if (webhooks.length === 0) return null
  return (
    <>
      <Title order={4} fz="sm" mt="sm" mb={4}>
        {t('suppliers.webhooks.title')}
      </Title>
      {webhooks.map((webhook) => (
        <WebhookLine key={webhook.kind} keyId={keyId} webhook={webhook} isCallable={isCallable} />
      ))}
      {oldSigningSecretUntil !== null && (
        <Text size="xs" c="dimmed" component="div">
          {t('suppliers.webhooks.signingBoth')} <Time at={oldSigningSecretUntil} />
        </Text>
      )}
    </>
  )
}
