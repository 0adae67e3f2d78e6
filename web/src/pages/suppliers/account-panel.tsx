import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Supplier, SupplierAccount } from '../../../../src/console-api/suppliers/contract.ts'
import { useChange } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useCan } from '../../parts/session.tsx'
import classes from './suppliers.module.css'

const switches = [
  'deliversCards',
  'mayPushOnDemand',
  'mayRetrieve',
  'requireCertification',
  'isCertified',
] as const

/** The contract settings of the account. Changes apply from the next booking on. */
export function AccountPanel({ supplier: { supplierId, account } }: { supplier: Supplier }) {
  const { t } = useTranslation()
  const mayChange = useCan('admin')
  const [changes, setChanges] = useState<Partial<SupplierAccount>>({})
  const save = useChange('changeSupplier', { invalidates: ['getSupplier'] })
  const edited = { ...account, ...changes }
  const isChanged = Object.entries(changes).some(
    ([name, value]) => new Map(Object.entries(account)).get(name) !== value,
  )
  const set = (change: Partial<SupplierAccount>) => {
    save.reset()
    setChanges((before) => ({ ...before, ...change }))
  }
  return (
    <section className={classes['panel']} aria-labelledby="account">
      <Title order={2} id="account" mb="sm">
        {t('suppliers.account.title')}
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ params: { supplierId }, body: changes }, { onSuccess: () => setChanges({}) })
        }}
      >
        <Stack gap="sm">
          <PriceCheckChoices edited={edited} isDisabled={!mayChange} set={set} />
          <PercentField
            name="priceTolerance"
            maxLength={6}
            edited={edited}
            isDisabled={!mayChange}
            set={set}
          />
          <NativeSelect
            label={t('suppliers.account.pricesAre')}
            description={t('suppliers.account.pricesAreHint')}
            value={edited.pricesAre}
            disabled={!mayChange}
            onChange={(event) => set({ pricesAre: event.currentTarget.value === 'net' ? 'net' : 'sell' })}
            data={(['sell', 'net'] as const).map((value) => ({
              value,
              label: t(`suppliers.account.${value}`),
            }))}
          />
          <PercentField
            name="commissionPercent"
            maxLength={8}
            edited={edited}
            isDisabled={!mayChange}
            set={set}
          />
          {switches.map((name) => (
            <Switch
              key={name}
              label={t(`suppliers.account.${name}`)}
              description={t(`suppliers.account.${name}Hint`)}
              checked={edited[name]}
              disabled={!mayChange}
              onChange={(event) => set({ [name]: event.currentTarget.checked })}
            />
          ))}
          {(['managedKeysMax', 'managedKeyRateMax', 'hotelsMax'] as const).map((name) => (
            <NumberInput
              key={name}
              label={t(`suppliers.account.${name}`)}
              description={t(`suppliers.account.${name}Hint`)}
              value={edited[name]}
              disabled={!mayChange}
              onChange={(value) => typeof value === 'number' && set({ [name]: value })}
              allowDecimal={false}
              allowNegative={false}
              thousandSeparator=","
            />
          ))}
          {save.error && <ErrorNote error={save.error} />}
          {mayChange ? (
            <Group gap="xs">
              <Button type="submit" loading={save.isPending} disabled={!isChanged}>
                {t('suppliers.account.save')}
              </Button>
              {isChanged && (
                <Button variant="subtle" onClick={() => setChanges({})}>
                  {t('suppliers.account.undo')}
                </Button>
              )}
              <Text size="sm" role="status">
                {save.isSuccess && !isChanged ? t('suppliers.account.saved') : ''}
              </Text>
            </Group>
          ) : (
            <Text size="xs" c="dimmed">
              {t('suppliers.account.readOnly')}
            </Text>
          )}
        </Stack>
      </form>
    </section>
  )
}

type Edited = {
  edited: SupplierAccount
  isDisabled: boolean
  set: (change: Partial<SupplierAccount>) => void
}

function PercentField({
  name,
  maxLength,
  edited,
  isDisabled,
  set,
}: Edited & { name: 'priceTolerance' | 'commissionPercent'; maxLength: number }) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t(`suppliers.account.${name}`)}
      description={t(`suppliers.account.${name}Hint`)}
      inputMode="decimal"
      maxLength={maxLength}
      value={edited[name]}
      disabled={isDisabled}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  )
}

/** Whether a booking is made when the price check doesn't confirm it. */
function PriceCheckChoices({ edited, isDisabled, set }: Edited) {
  const { t } = useTranslation()
  return (
    <>
      <NativeSelect
        label={t('suppliers.account.onFailure')}
        description={t('suppliers.account.onFailureHint')}
        value={edited.onFailure}
        disabled={isDisabled}
        onChange={(event) =>
          set({ onFailure: event.currentTarget.value === 'use_stored' ? 'use_stored' : 'reject' })
        }
        data={(['reject', 'use_stored'] as const).map((value) => ({
          value,
          label: t(`suppliers.account.${value}`),
        }))}
      />
      <NativeSelect
        label={t('suppliers.account.onTermsDiffer')}
        description={t('suppliers.account.onTermsDifferHint')}
        value={edited.onTermsDiffer}
        disabled={isDisabled}
        onChange={(event) =>
          set({ onTermsDiffer: event.currentTarget.value === 'reject' ? 'reject' : 'warn' })
        }
        data={(['warn', 'reject'] as const).map((value) => ({
          value,
          label: t(`suppliers.account.${value}`),
        }))}
      />
    </>
  )
}
