import { Button, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReferenceEntry, ReferenceList } from '../../../../src/console-api/reference/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { FormDialog } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Filters, SelectFilter, TextFilter, useFilter } from '../../parts/lists/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { Can, useCan } from '../../parts/session.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { RetireEntry } from './retire-entry.tsx'

const lists = ['roomTypes', 'mealPlans'] as const
const states = ['used', 'unused', 'retired'] as const

export function ReferencePage() {
  const { t } = useTranslation()
  const [chosen, choose] = useFilter('list')
  const list: ReferenceList = chosen === 'mealPlans' ? 'mealPlans' : 'roomTypes'
  const [isAdding, setAdding] = useState(false)
  const [retiring, setRetiring] = useState<ReferenceEntry>()
  const bringBack = useChange('bringBackReferenceEntry', { invalidates: ['listReferenceEntries'] })
  const { data, error, isPending, refetch } = useApi('listReferenceEntries')
  const rows = useFilteredEntries(data?.[list] ?? [])
  const columns = useColumns(list, {
    retire: setRetiring,
    bringBack: ({ key }) => bringBack.mutate({ body: { list, key } }),
  })
  return (
    <Page
      title={t('reference.title')}
      intro={t('reference.intro')}
      actions={
        <Can role="admin">
          <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
            {t(`reference.add.${list}`)}
          </Button>
        </Can>
      }
    >
      <SegmentedControl
        mb="sm"
        aria-label={t('reference.title')}
        value={list}
        onChange={choose}
        data={lists.map((value) => ({ value, label: t(`reference.${value}`) }))}
      />
      <Filters names={['find', 'state']}>
        <TextFilter name="find" label={t('reference.find')} width={240} />
        <SelectFilter
          name="state"
          label={t('reference.state')}
          options={states.map((value) => ({ value, label: t(`reference.states.${value}`) }))}
        />
      </Filters>
      {bringBack.error && <ErrorNote error={bringBack.error} />}
      <DataTable
        caption={t(`reference.caption.${list}`)}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
        isPending={isPending}
        error={error}
        onRetry={() => void refetch()}
        empty={{ title: t('reference.none'), hint: t('reference.noneHint') }}
      />
      {isAdding && <AddEntry list={list} onClose={() => setAdding(false)} />}
      {retiring && <RetireEntry list={list} entry={retiring} onClose={() => setRetiring(undefined)} />}
    </Page>
  )
}

/** There are only dozens of entries, so they are filtered here. */
function useFilteredEntries(entries: readonly ReferenceEntry[]): readonly ReferenceEntry[] {
  const [find] = useFilter('find')
  const [state] = useFilter('state')
  const term = find.trim().toLowerCase()
  return entries.filter(({ key, name, description, isRetired, used }) => {
    const isFound = [key, name ?? '', description].some((text) => text.toLowerCase().includes(term))
    if (!isFound || state === '') return isFound
    return state === 'retired' ? isRetired : !isRetired && used.count > 0 === (state === 'used')
  })
}

type Change = (entry: ReferenceEntry) => void

function useColumns(
  list: ReferenceList,
  { retire, bringBack }: { retire: Change; bringBack: Change },
): Column<ReferenceEntry>[] {
  const { t } = useTranslation()
  const mayChange = useCan('admin')
  const columns: Column<ReferenceEntry>[] = [
    {
      key: 'key',
      sorting: { by: ({ key }) => key },
      header: t(`reference.key.${list}`),
      cell: ({ key }) =>
        list === 'mealPlans' ? (
          <Code>{key}</Code>
        ) : (
          <Text size="sm" fw={500} component="span">
            {key}
          </Text>
        ),
    },
    ...(list === 'mealPlans'
      ? [
          {
            key: 'name',
            sorting: { by: ({ name }: ReferenceEntry) => name },
            header: t('reference.name'),
            cell: ({ name }: ReferenceEntry) => name,
          },
        ]
      : []),
    {
      key: 'description',
      sorting: { by: ({ description }) => description },
      header: t('reference.description'),
      cell: ({ description }) => description,
    },
    {
      key: 'used',
      sorting: { by: ({ used }) => used.count },
      header: t(`reference.used.${list}`),
      align: 'right',
      cell: ({ used: { count, isMore } }) => {
        const text = count.toLocaleString('en')
        return <span className="figures">{isMore ? t('reference.usedMore', { count: text }) : text}</span>
      },
    },
    {
      key: 'status',
      sorting: { by: ({ isRetired }) => isRetired },
      header: t('reference.status'),
      width: 110,
      cell: ({ isRetired }) => (
        <StatusBadge
          kind={isRetired ? 'idle' : 'good'}
          label={t(isRetired ? 'reference.retired' : 'reference.offered')}
        />
      ),
    },
  ]
  if (!mayChange) return columns
  return [
    ...columns,
    {
      key: 'action',
      header: t('reference.action'),
      cell: (entry) => (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t(entry.isRetired ? 'reference.backOf' : 'reference.retireOf', { key: entry.key })}
          onClick={() => (entry.isRetired ? bringBack(entry) : retire(entry))}
        >
          {t(entry.isRetired ? 'reference.back' : 'reference.retire')}
        </Button>
      ),
    },
  ]
}

const keyCharactersMax: Readonly<Record<ReferenceList, number>> = { roomTypes: 100, mealPlans: 20 }

function AddEntry({ list, onClose }: { list: ReferenceList; onClose: () => void }) {
  const { t } = useTranslation()
  const [key, setKey] = useState('')
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const isMealPlan = list === 'mealPlans'
  const add = useChange('addReferenceEntry', { invalidates: ['listReferenceEntries'] })
  const isFilled = [key, description, isMealPlan ? name : 'none needed'].every((text) => text.trim() !== '')
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t(`reference.addTitle.${list}`)}
      submit={t('reference.submit')}
      isBusy={add.isPending}
      isReady={isFilled}
      error={add.error}
      onSubmit={() =>
        add.mutate(
          {
            body: {
              list,
              key: key.trim(),
              description: description.trim(),
              ...(isMealPlan ? { name: name.trim() } : {}),
            },
          },
          { onSuccess: onClose },
        )
      }
    >
      <Text size="sm">{t(`reference.addHint.${list}`)}</Text>
      <TextInput
        label={t(`reference.key.${list}`)}
        required
        maxLength={keyCharactersMax[list]}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        data-autofocus
      />
      {isMealPlan && (
        <TextInput
          label={t('reference.name')}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <Textarea
        label={t('reference.description')}
        required
        autosize
        minRows={2}
        maxLength={500}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
