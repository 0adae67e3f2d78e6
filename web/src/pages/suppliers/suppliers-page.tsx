import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SupplierListed } from '../../../../src/console-api/suppliers/contract.ts'
import { usePages } from '../../api.ts'
import { type Column, DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import { Filters, TextFilter, useFilter } from '../../parts/lists/filters.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Count, CountText } from '../../parts/values/numbers.tsx'
import { Page } from '../../parts/page.tsx'
import { Can, useCan } from '../../parts/session.tsx'
import { Ago } from '../../parts/values/time.tsx'
import { CreateSupplier } from './create-supplier.tsx'
import { DefaultGuard } from './guard-panel.tsx'
import { PushHealth } from './push-health.tsx'

export function SuppliersPage() {
  const { t } = useTranslation()
  const [search] = useFilter('search')
  const [isCreating, setCreating] = useState(false)
  const [isGuarding, setGuarding] = useState(false)
  const found = usePages('listSuppliers', { query: { search } }, ({ suppliers }) => suppliers)
  return (
    <Page
      title={t('suppliers.title')}
      intro={t('suppliers.intro')}
      actions={
        <>
          <ExportCsv
            list="listSuppliers"
            input={{ query: { search } }}
            rowsOf={({ suppliers }) => suppliers}
            columns={useCsvColumns()}
            file="suppliers"
          />
          <Can role="admin">
            <Button variant="default" onClick={() => setGuarding(true)}>
              {t('guard.newAccounts')}
            </Button>
            <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setCreating(true)}>
              {t('suppliers.create.action')}
            </Button>
          </Can>
        </>
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
      {isGuarding && <DefaultGuard onClose={() => setGuarding(false)} />}
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

function useCsvColumns(): CsvColumn<SupplierListed>[] {
  const { t } = useTranslation()
  return [
    [t('suppliers.list.name'), ({ name }) => name],
    [t('suppliers.list.hotels'), ({ hotels: { count } }) => count],
    [t('suppliers.list.keys'), ({ activeKeys }) => activeKeys],
    [t('suppliers.list.lastPush'), ({ pushes: { lastAt } }) => lastAt ?? ''],
    [t('suppliers.list.lastUse'), ({ lastUsedAt }) => lastUsedAt ?? ''],
  ]
}

function useColumns(): Column<SupplierListed>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'name',
      sorting: { by: ({ name }) => name },
      header: t('suppliers.list.name'),
      cell: ({ supplierId, name }) => (
        <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} size="sm" fw={500}>
          {name}
        </LinkTo>
      ),
    },
    {
      key: 'pushes',
      sorting: { by: ({ pushes: { rejected, partial } }) => rejected + partial },
      header: t('suppliers.list.failing'),
      width: 190,
      cell: ({ supplierId, pushes }) => <PushHealth supplierId={supplierId} pushes={pushes} />,
    },
    {
      key: 'lastPush',
      sorting: { by: ({ pushes: { lastAt } }) => lastAt },
      header: t('suppliers.list.lastPush'),
      cell: ({ pushes: { lastAt } }) => <Ago at={lastAt} />,
    },
    {
      key: 'lastUse',
      sorting: { by: ({ lastUsedAt }) => lastUsedAt },
      header: t('suppliers.list.lastUse'),
      cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />,
    },
    {
      key: 'hotels',
      total: (rows) => (
        <CountText
          of={{
            count: rows.reduce((sum, { hotels }) => sum + hotels.count, 0),
            isMore: rows.some(({ hotels }) => hotels.isMore),
          }}
        />
      ),
      sorting: { by: ({ hotels }) => hotels.count },
      header: t('suppliers.list.hotels'),
      align: 'right',
      cell: ({ hotels }) => <CountText of={hotels} />,
    },
    {
      key: 'keys',
      total: (rows) => <Count n={rows.reduce((sum, { activeKeys }) => sum + activeKeys, 0)} />,
      sorting: { by: ({ activeKeys }) => activeKeys },
      header: t('suppliers.list.keys'),
      align: 'right',
      cell: ({ activeKeys }) => <span className="figures">{activeKeys}</span>,
    },
  ]
}
