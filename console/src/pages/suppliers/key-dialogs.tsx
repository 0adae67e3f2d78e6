import { NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Supplier, SupplierKey } from '../../../../src/console/suppliers/contract.ts'
import { useChange } from '../../api.ts'
import { endOfDay, lastDayOf } from './days.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'

const invalidates = ['getSupplier', 'listSuppliers'] as const

type DialogProps = { held: SupplierKey; onClose: () => void }

/** Permanent, so it asks for the supplier's name. */
export function RevokeKey({ held: { keyId }, supplier, onClose }: DialogProps & { supplier: string }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const revoke = useChange('revokeSupplierKey', { invalidates })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.revoke.title', { keyId })}
      submit={t('suppliers.revoke.submit')}
      isBusy={revoke.isPending}
      isReady={typed === supplier}
      isDangerous
      error={revoke.error}
      onSubmit={() => revoke.mutate({ params: { keyId } }, { onSuccess: onClose })}
    >
      <Text size="sm">{t('suppliers.revoke.what')}</Text>
      <TextInput
        label={t('suppliers.revoke.type', { name: supplier })}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}

export function ExpireKey({ held: { keyId, expiresAt }, onClose }: DialogProps) {
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
  held: { keyId, limits, unknownFields },
  usual,
  onClose,
}: DialogProps & { usual: Supplier['defaultLimits'] }) {
  const { t } = useTranslation()
  const [values, setValues] = useState<Limits>(limits)
  const [refuses, setRefuses] = useState(unknownFields === 'reject')
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
          { params: { keyId }, body: { ...values, unknownFields: refuses ? 'reject' : 'warn' } },
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
      </Stack>
    </FormDialog>
  )
}
