import { Button, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SupplierListed } from '../../../../src/console/suppliers/contract.ts'
import { useChange, usePages } from '../../api.ts'
import { type Column, DataTable, tableOf } from '../../parts/data-table.tsx'
import { FormDialog } from '../../parts/dialogs.tsx'
import { Filters, TextFilter, useFilter } from '../../parts/filters.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { CountText } from '../../parts/numbers.tsx'
import { Page } from '../../parts/page.tsx'
import { Can, useCan } from '../../parts/session.tsx'
import { Ago } from '../../parts/time.tsx'
import { PushHealth } from './push-health.tsx'

export function SuppliersPage() {
  const { t } = useTranslation()
  const [search] = useFilter('search')
  const [isCreating, setCreating] = useState(false)
  const found = usePages('listSuppliers', { query: { search } }, ({ suppliers }) => suppliers)
  return (
    <Page
      title={t('suppliers.title')}
      intro={t('suppliers.intro')}
      actions={
        <Can role="admin">
          <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setCreating(true)}>
            {t('suppliers.create.action')}
          </Button>
        </Can>
      }
    >
      <Filters names={['search']}>
        <TextFilter
          name="search"
          label={t('suppliers.list.search')}
          placeholder={t('suppliers.list.searchHint')}
          width={260}
        />
      </Filters>
      <DataTable
        caption={t('suppliers.list.caption')}
        columns={useColumns()}
        rowKey={({ supplierId }) => supplierId}
        empty={useEmpty(search)}
        {...tableOf(found)}
      />
      {isCreating && <CreateSupplier onClose={() => setCreating(false)} />}
    </Page>
  )
}

function useEmpty(search: string): { title: string; hint: string } {
  const { t } = useTranslation()
  const mayCreate = useCan('admin')
  if (search !== '') return { title: t('suppliers.list.noneFound'), hint: t('suppliers.list.noneFoundHint') }
  const hint = mayCreate ? t('suppliers.list.noneHint') : t('suppliers.list.noneHintViewer')
  return { title: t('suppliers.list.none'), hint }
}

function useColumns(): Column<SupplierListed>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'name',
      header: t('suppliers.list.name'),
      cell: ({ supplierId, name }) => (
        <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} size="sm" fw={500}>
          {name}
        </LinkTo>
      ),
    },
    {
      key: 'pushes',
      header: t('suppliers.list.failing'),
      width: 190,
      cell: ({ pushes }) => <PushHealth pushes={pushes} />,
    },
    {
      key: 'lastPush',
      header: t('suppliers.list.lastPush'),
      cell: ({ pushes: { lastAt } }) => <Ago at={lastAt} />,
    },
    {
      key: 'lastUse',
      header: t('suppliers.list.lastUse'),
      cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />,
    },
    {
      key: 'hotels',
      header: t('suppliers.list.hotels'),
      align: 'right',
      cell: ({ hotels }) => <CountText of={hotels} />,
    },
    {
      key: 'keys',
      header: t('suppliers.list.keys'),
      align: 'right',
      cell: ({ activeKeys }) => <span className="figures">{activeKeys}</span>,
    },
  ]
}

function CreateSupplier({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const create = useChange('createSupplier', { invalidates: ['listSuppliers'] })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.create.title')}
      submit={t('suppliers.create.submit')}
      isBusy={create.isPending}
      isReady={name.trim() !== ''}
      error={create.error}
      onSubmit={() =>
        create.mutate(
          { body: { name: name.trim() } },
          {
            onSuccess: ({ supplierId }) =>
              void navigate({ to: '/suppliers/$supplierId', params: { supplierId: String(supplierId) } }),
          },
        )
      }
    >
      <TextInput
        label={t('suppliers.create.name')}
        description={t('suppliers.create.nameHint')}
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}
