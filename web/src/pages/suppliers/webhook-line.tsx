import { Button, Group, Text } from '@mantine/core'
import { PhoneCall } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { SupplierWebhook } from '../../../../src/console-api/suppliers/contract.ts'
import { type AnswerTo, useChange } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { ForManagers } from '../../parts/session.tsx'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import { Ago } from '../../parts/values/time.tsx'
import classes from './suppliers.module.css'

const kindByCircuit: Readonly<Record<NonNullable<SupplierWebhook['circuit']>, StatusKind>> = {
  closed: 'good',
  half_open: 'warn',
  open: 'bad',
}

/** A URL of a key: its registration, its health, and a test call. */
export function WebhookLine({
  keyId,
  webhook: { kind, url, registeredAt, circuit, fault },
  isCallable,
}: {
  keyId: number
  webhook: SupplierWebhook
  isCallable: boolean
}) {
  const { t } = useTranslation()
  const what = t(`suppliers.webhooks.${kind}`)
  const test = useChange('pingWebhook', { invalidates: ['listSandboxCalls'] })
  return (
    <div className={classes['webhook']}>
      <div className={classes['webhookTop']}>
        <div>
          <Text size="sm" fw={500}>
            {what}
          </Text>
          <Code copies={what}>{url}</Code>
        </div>
        {isCallable && (
          <ForManagers>
            <Button
              variant="default"
              leftSection={<PhoneCall size={14} aria-hidden />}
              aria-label={t('suppliers.webhooks.testOf', { what, keyId })}
              loading={test.isPending}
              onClick={() => test.mutate({ params: { keyId }, body: { kind } })}
            >
              {t('suppliers.webhooks.test')}
            </Button>
          </ForManagers>
        )}
      </div>
      <Group gap="xs">
        <Text size="xs" c="dimmed" component="span">
          {t('suppliers.webhooks.registered')} <Ago at={registeredAt} />
        </Text>
        {fault !== null && <StatusBadge kind="bad" label={t('suppliers.webhooks.notCallable', { fault })} />}
        {circuit !== null && fault === null && (
          <StatusBadge kind={kindByCircuit[circuit]} label={t(`suppliers.webhooks.circuit.${circuit}`)} />
        )}
        <div role="status">{test.data && <PingBadge ping={test.data.ping} />}</div>
      </Group>
      {test.error && <ErrorNote error={test.error} />}
    </div>
  )
}

function PingBadge({ ping }: { ping: AnswerTo<'pingWebhook'>['ping'] }) {
  const { t } = useTranslation()
  const { status, httpStatus, message = '', durationMs: ms = 0 } = ping
  if (status === 'skipped') return <StatusBadge kind="warn" label={t('suppliers.webhooks.skipped')} />
  const result = resultOfPing(httpStatus)
  return (
    <StatusBadge
      kind={kindOfPing[result]}
      label={t(`suppliers.webhooks.${result}`, { status: httpStatus, ms, message })}
    />
  )
}

/** The result of a ping. Endpoints need not support pings, so a status other than 2xx proves no fault: docs/callbacks.md. */
type PingOutcome = 'answered' | 'reached' | 'failed'

export const kindOfPing: Readonly<Record<PingOutcome, StatusKind>> = {
  answered: 'good',
  reached: 'warn',
  failed: 'bad',
}

/** `httpStatus` is that of the response, if it was complete. */
export function resultOfPing(httpStatus: number | null | undefined): PingOutcome {
  if (httpStatus === null || httpStatus === undefined) return 'failed'
  return isGoodStatus(httpStatus) ? 'answered' : 'reached'
}

export function isGoodStatus(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus <= 299
}
