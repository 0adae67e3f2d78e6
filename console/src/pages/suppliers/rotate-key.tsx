import { Alert, NativeSelect, Text } from '@mantine/core'
import { Clock } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Time } from '../../parts/time.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { exampleCall, SecretDialog } from './secret-dialog.tsx'
import { useSecret } from './use-secret.ts'

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
