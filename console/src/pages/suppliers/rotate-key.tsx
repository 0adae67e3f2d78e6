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

/** How long an old secret works beside its new one, and until when that is. */
function Overlap({
  label,
  until,
  atOnce,
  minutes,
  onChange,
}: {
  label: string
  until: string
  atOnce: string
  minutes: string
  onChange: (minutes: string) => void
}) {
  const { t } = useTranslation()
  return (
    <>
      <NativeSelect
        label={label}
        value={minutes}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={overlaps.map((value) => ({ value, label: t(`suppliers.rotate.choices.${value}`) }))}
        data-autofocus
      />
      <Alert color={minutes === '0' ? 'yellow' : 'blue'} icon={<Clock size={16} aria-hidden />} role="status">
        {minutes === '0' ? (
          atOnce
        ) : (
          <>
            {until} <Time at={new Date(Date.now() + Number(minutes) * minuteMs).toISOString()} />
          </>
        )}
      </Alert>
    </>
  )
}

export function RotateKey({ keyId, onClose }: { keyId: number; onClose: () => void }) {
  const { t } = useTranslation()
  const [minutes, setMinutes] = useState<string>(usualOverlap)
  const rotate = useSecret('rotateSupplierKey')
  if (rotate.made) {
    const { apiKey, oldKeyUntil } = rotate.made
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
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.rotate.title', { keyId })}
      submit={t('suppliers.rotate.submit')}
      isBusy={rotate.isBusy}
      error={rotate.error}
      onSubmit={() => rotate.run({ params: { keyId }, body: { overlapMinutes: Number(minutes) } })}
    >
      <Text size="sm">{t('suppliers.rotate.what')}</Text>
      <Overlap
        label={t('suppliers.rotate.overlap')}
        until={t('suppliers.rotate.until')}
        atOnce={t('suppliers.rotate.atOnce')}
        minutes={minutes}
        onChange={setMinutes}
      />
    </FormDialog>
  )
}

export function RotateSigningSecret({ keyId, onClose }: { keyId: number; onClose: () => void }) {
  const { t } = useTranslation()
  const [minutes, setMinutes] = useState<string>(usualOverlap)
  const rotate = useSecret('rotateSigningSecret')
  if (rotate.made) {
    const { signingSecret, oldSecretUntil } = rotate.made
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
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.rotateSigning.title', { keyId })}
      submit={t('suppliers.rotateSigning.submit')}
      isBusy={rotate.isBusy}
      error={rotate.error}
      onSubmit={() => rotate.run({ params: { keyId }, body: { overlapMinutes: Number(minutes) } })}
    >
      <Text size="sm">{t('suppliers.rotateSigning.what')}</Text>
      <Overlap
        label={t('suppliers.rotateSigning.overlap')}
        until={t('suppliers.rotateSigning.until')}
        atOnce={t('suppliers.rotateSigning.atOnce')}
        minutes={minutes}
        onChange={setMinutes}
      />
    </FormDialog>
  )
}
