import { Alert, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Supplier, SupplierKey } from '../../../../src/console-api/suppliers/contract.ts'
import { useChange } from '../../api.ts'
import { Confirm, FormDialog } from '../../parts/dialogs.tsx'
import { Time } from '../../parts/values/time.tsx'
import { endOfDay, exampleCall, SecretDialog, useSecret } from './new-key.tsx'

const invalidates = ['getSupplier', 'listSuppliers'] as const

type DialogProps = { supplierKey: SupplierKey; onClose: () => void }

export function RevokeKey({ supplierKey: { keyId }, supplier, onClose }: DialogProps & { supplier: string }) {
  const { t } = useTranslation()
  const revoke = useChange('revokeSupplierKey', { invalidates })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('suppliers.revoke.title', { keyId, supplier })}
      confirm={t('suppliers.revoke.submit')}
      isBusy={revoke.isPending}
      isDangerous
      error={revoke.error}
      onConfirm={() => revoke.mutate({ params: { keyId } }, { onSuccess: onClose })}
    >
      <Text size="sm">{t('suppliers.revoke.what')}</Text>
    </Confirm>
  )
}

export function ExpireKey({ supplierKey: { keyId, expiresAt }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const [lastDay, setLastDay] = useState(lastDayOf(expiresAt))
  const expire = useChange('expireSupplierKey', { invalidates })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.expire.title', { keyId })}
      submit={t('suppliers.expire.submit')}
      isBusy={expire.isPending}
      error={expire.error}
      onSubmit={() =>
        expire.mutate({ params: { keyId }, body: { at: endOfDay(lastDay) } }, { onSuccess: onClose })
      }
    >
      <Text size="sm">{t('suppliers.expire.what')}</Text>
      <TextInput
        type="date"
        label={t('suppliers.expire.at')}
        description={t('suppliers.expire.atHint')}
        value={lastDay}
        onChange={(event) => setLastDay(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}

export const limitNames = [
  'requestsPerMinute',
  'requestsBurst',
  'bodyBytesMax',
  'ariItemsMax',
  'ariCellsMax',
] as const
type LimitName = (typeof limitNames)[number]
type Limits = SupplierKey['limits']

export function LimitKey({
  supplierKey: { keyId, limits, unknownFields, echo },
  usual,
  onClose,
}: DialogProps & { usual: Supplier['defaultLimits'] }) {
  const { t } = useTranslation()
  const [values, setValues] = useState<Limits>(limits)
  const [refuses, setRefuses] = useState(unknownFields === 'reject')
  const [echoes, setEchoes] = useState(echo)
  const limit = useChange('limitSupplierKey', { invalidates })
  const set = (name: LimitName, value: number | string) =>
    setValues((before) => ({ ...before, [name]: typeof value === 'number' ? value : null }))
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.limit.title', { keyId })}
      submit={t('suppliers.limit.submit')}
      isBusy={limit.isPending}
      error={limit.error}
      onSubmit={() =>
        limit.mutate(
          {
            params: { keyId },
            body: { ...values, unknownFields: refuses ? 'reject' : 'warn', echo: echoes },
          },
          { onSuccess: onClose },
        )
      }
    >
      <Text size="sm">{t('suppliers.limit.what')}</Text>
      <Stack gap="sm">
        {limitNames.map((name) => (
          <NumberInput
            key={name}
            label={t(`suppliers.limit.${name}`)}
            description={t(`suppliers.limit.hint.${name}`)}
            placeholder={usual[name].toLocaleString('en')}
            value={values[name] ?? ''}
            onChange={(value) => set(name, value)}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
          />
        ))}
        <Switch
          label={t('suppliers.limit.unknownFields')}
          description={t('suppliers.limit.hint.unknownFields')}
          checked={refuses}
          onChange={(event) => setRefuses(event.currentTarget.checked)}
        />
        <Switch
          label={t('suppliers.limit.echo')}
          description={t('suppliers.limit.hint.echo')}
          checked={echoes}
          onChange={(event) => setEchoes(event.currentTarget.checked)}
        />
      </Stack>
    </FormDialog>
  )
}

const overlaps = ['0', '60', '1440', '10080', '43200'] as const
const usualOverlap = '1440'
const minuteMs = 60_000

export function RotateKey({ keyId, onClose }: { keyId: number; onClose: () => void }) {
  const { t } = useTranslation()
  const { made, ...rotation } = useSecret('rotateSupplierKey')
  if (!made) return <OverlapForm of="rotate" keyId={keyId} onClose={onClose} {...rotation} />
  const { apiKey, oldKeyUntil } = made
  return (
    <SecretDialog
      title={t('suppliers.rotate.doneTitle', { keyId })}
      what={t('suppliers.secret.key')}
      secret={apiKey}
      example={exampleCall(apiKey)}
      onClose={onClose}
    >
      <Text size="sm" component="div">
        {t('suppliers.rotate.until')} <Time at={oldKeyUntil} />
      </Text>
    </SecretDialog>
  )
}

export function RotateSigningSecret({ keyId, onClose }: { keyId: number; onClose: () => void }) {
  const { t } = useTranslation()
  const { made, ...rotation } = useSecret('rotateSigningSecret')
  if (!made) return <OverlapForm of="rotateSigning" keyId={keyId} onClose={onClose} {...rotation} />
  const { signingSecret, oldSecretUntil } = made
  return (
    <SecretDialog
      title={t('suppliers.rotateSigning.doneTitle', { keyId })}
      what={t('suppliers.secret.signing')}
      secret={signingSecret}
      onClose={onClose}
    >
      <Text size="sm" component="div">
        {t('suppliers.rotateSigning.until')} <Time at={oldSecretUntil} />
      </Text>
      <Text size="sm" c="dimmed">
        {t('suppliers.secret.verify')}
      </Text>
    </SecretDialog>
  )
}

/** Asks how long the old secret keeps working, and shows the resulting time. */
function OverlapForm({
  of,
  keyId,
  isBusy,
  error,
  run,
  onClose,
}: {
  of: 'rotate' | 'rotateSigning'
  keyId: number
  isBusy: boolean
  error?: unknown
  run: (input: { params: { keyId: number }; body: { overlapMinutes: number } }) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [minutes, setMinutes] = useState<string>(usualOverlap)
  const until = new Date(Date.now() + Number(minutes) * minuteMs).toISOString()
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t(`suppliers.${of}.title`, { keyId })}
      submit={t(`suppliers.${of}.submit`)}
      isBusy={isBusy}
      error={error}
      onSubmit={() => run({ params: { keyId }, body: { overlapMinutes: Number(minutes) } })}
    >
      <Text size="sm">{t(`suppliers.${of}.what`)}</Text>
      <NativeSelect
        label={t(`suppliers.${of}.overlap`)}
        value={minutes}
        onChange={(event) => setMinutes(event.currentTarget.value)}
        data={overlaps.map((value) => ({ value, label: t(`suppliers.rotate.choices.${value}`) }))}
        data-autofocus
      />
      <Alert color={minutes === '0' ? 'yellow' : 'blue'} icon={<Clock size={16} aria-hidden />} role="status">
        {minutes === '0' ? (
          t(`suppliers.${of}.atOnce`)
        ) : (
          <>
            {t(`suppliers.${of}.until`)} <Time at={until} />
          </>
        )}
      </Alert>
    </FormDialog>
  )
}

/** The last day (UTC) before an expiry; '' for none. */
function lastDayOf(end: string | null): string {
  return end === null ? '' : new Date(Date.parse(end) - 1).toISOString().slice(0, 10)
}
