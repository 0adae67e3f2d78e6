import { Button, Group, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { Plus, Trash } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  boundOfKind,
  onExpiries,
  ruleActions,
  ruleKinds,
} from '../../../../src/ari/guard/rules/rules-contract.ts'
import type { ConsoleGuard } from '../../../../src/console-api/guard/contract.ts'
import { FormDialog } from '../../parts/dialogs.tsx'

type Rule = ConsoleGuard['rules'][number]

const rulesMax = 20

/** Edits the rules of a guard, of an account or of new accounts. */
export function GuardForm({
  title,
  about,
  guard,
  isBusy,
  error,
  onSave,
  onClose,
}: {
  title: string
  about: string
  guard: ConsoleGuard
  isBusy: boolean
  error: unknown
  onSave: (guard: ConsoleGuard) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const [edited, setEdited] = useState(guard)
  const { rules } = edited
  const set = (change: Partial<ConsoleGuard>) => setEdited((before) => ({ ...before, ...change }))
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={title}
      submit={t('guard.save')}
      size="lg"
      onSubmit={() => onSave(edited)}
      isBusy={isBusy}
      error={error}
    >
      <Text size="sm">{about}</Text>
      <Stack gap="sm">
        {rules.map((rule, index) => (
          <RuleFields
            key={index}
            number={index + 1}
            rule={rule}
            onChange={(changed) => set({ rules: rules.with(index, changed) })}
            onRemove={() => set({ rules: rules.toSpliced(index, 1) })}
          />
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            disabled={rules.length >= rulesMax}
            onClick={() => set({ rules: [...rules, { kind: 'priceDrop', percent: 50, action: 'hold' }] })}
          >
            {t('guard.addRule')}
          </Button>
        </Group>
        <HoldFields guard={edited} onChange={set} />
      </Stack>
    </FormDialog>
  )
}

/** Unusual prices, and how long values are held. */
function HoldFields({
  guard: { learned, expiryHours, onExpiry },
  onChange,
}: {
  guard: ConsoleGuard
  onChange: (change: Partial<ConsoleGuard>) => void
}) {
  const { t } = useTranslation()
  return (
    <>
      <Switch
        label={t('guard.learned')}
        description={t('guard.learnedHint')}
        checked={learned}
        onChange={(event) => onChange({ learned: event.currentTarget.checked })}
      />
      <Group grow align="end">
        <NumberInput
          label={t('guard.expiryHours')}
          min={1}
          max={720}
          allowDecimal={false}
          value={expiryHours}
          onChange={(value) => onChange({ expiryHours: typeof value === 'number' ? value : 1 })}
        />
        <NativeSelect
          label={t('guard.onExpiry')}
          value={onExpiry}
          onChange={(event) =>
            onChange({ onExpiry: onExpiries.find((one) => one === event.currentTarget.value) ?? 'discard' })
          }
          data={onExpiries.map((value) => ({ value, label: t(`guard.ends.${value}`) }))}
        />
      </Group>
    </>
  )
}

/** The kind decides which bound the rule has. */
function RuleFields({
  number,
  rule,
  onChange,
  onRemove,
}: {
  number: number
  rule: Rule
  onChange: (rule: Rule) => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  const { kind, action } = rule
  const bound = boundOfKind[kind]
  const toKind = (text: string): void => {
    const next = ruleKinds.find((one) => one === text) ?? 'priceDrop'
    onChange({ kind: next, [boundOfKind[next]]: 1, action: next === 'massClose' ? 'warn' : action })
  }
  return (
    <Group role="group" aria-label={`${t('guard.kind')} ${number}`} gap="xs" align="end" wrap="wrap">
      <NativeSelect
        label={t('guard.kind')}
        value={kind}
        onChange={(event) => toKind(event.currentTarget.value)}
        data={ruleKinds.map((value) => ({ value, label: t(`guard.kinds.${value}`) }))}
      />
      <NumberInput
        label={t(`guard.bound.${bound}`)}
        w={90}
        min={0}
        allowDecimal={bound === 'amount'}
        decimalScale={3}
        value={rule[bound] ?? ''}
        onChange={(value) => onChange({ ...rule, [bound]: value })}
      />
      {bound === 'amount' && (
        <TextInput
          label={t('guard.currency')}
          placeholder="EUR"
          w={70}
          maxLength={3}
          value={rule.currency ?? ''}
          onChange={(event) => onChange(withCurrency(rule, event.currentTarget.value.toUpperCase()))}
        />
      )}
      <NativeSelect
        label={t('guard.action')}
        value={action}
        disabled={kind === 'massClose'}
        onChange={(event) =>
          onChange({
            ...rule,
            action: ruleActions.find((one) => one === event.currentTarget.value) ?? 'hold',
          })
        }
        data={ruleActions.map((value) => ({ value, label: t(`guard.actions.${value}`) }))}
      />
      <Button variant="subtle" px="xs" aria-label={t('guard.removeRule', { number })} onClick={onRemove}>
        <Trash size={14} aria-hidden />
      </Button>
    </Group>
  )
}

function withCurrency({ currency: _before, ...rule }: Rule, currency: string): Rule {
  return currency === '' ? rule : { ...rule, currency }
}
