import type { TFunction } from 'i18next'
import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditedChange } from '../../../../src/operators/contract.ts'
import { usePages } from '../../api.ts'
import { CopyButton } from '../../parts/values/code.tsx'
import { type Column, DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { Dialog } from '../../parts/dialogs.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import { DatesFilter, Filters, HotelFilter, SupplierFilter, TextFilter } from '../../parts/lists/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Time } from '../../parts/values/time.tsx'
import { wordsOf } from '../../parts/values/words.ts'
import { isToldWhole, type NamedChange, namedChanges, Sentence } from './audit-sentence.tsx'
import { changesText, compareMembers, shownValue } from './audit-values.ts'
import classes from './operators.module.css'

const filterNames = ['supplierId', 'hotelId', 'operator', 'action', 'subject', 'since', 'until'] as const

/** The audit log: every change with its values before and after. */
export function AuditPage() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const query = Object.fromEntries(filterNames.map((name) => [name, search[name]]))
  const [openChange, setOpenChange] = useState<AuditedChange>()
  const found = usePages('listAudit', { query }, namedChanges)
  const isFiltered = filterNames.some((name) => (search[name] ?? '') !== '')
  return (
    <Page
      title={t('access.auditTitle')}
      intro={t('access.audit.intro')}
      actions={
        <ExportCsv
          list="listAudit"
          input={{ query }}
          rowsOf={({ changes }) => changes}
          columns={useCsvColumns()}
          file="audit"
        />
      }
    >
      <Filters names={filterNames}>
        <SupplierFilter label={t('access.audit.supplier')} />
        <HotelFilter label={t('access.audit.hotel')} />
        <TextFilter
          name="operator"
          label={t('access.audit.operator')}
          placeholder={t('access.audit.operatorHint')}
        />
        <TextFilter
          name="action"
          label={t('access.audit.action')}
          placeholder={t('access.audit.actionHint')}
          width={160}
        />
        <TextFilter
          name="subject"
          label={t('access.audit.subject')}
          placeholder={t('access.audit.subjectHint')}
        />
        <DatesFilter
          from={{ name: 'since', label: t('access.audit.since') }}
          to={{ name: 'until', label: t('access.audit.until') }}
        />
      </Filters>
      <DataTable
        caption={t('access.audit.caption')}
        columns={useColumns(setOpenChange)}
        rowKey={({ id }) => id}
        empty={
          isFiltered
            ? { title: t('access.audit.noneFound'), hint: t('access.audit.noneFoundHint') }
            : { title: t('access.audit.none'), hint: t('access.audit.noneHint') }
        }
        {...tableOf(found)}
      />
      {openChange && <ChangeDialog change={openChange} onClose={() => setOpenChange(undefined)} />}
    </Page>
  )
}

function useCsvColumns(): CsvColumn<AuditedChange>[] {
  const { t } = useTranslation()
  return [
    [t('access.audit.at'), ({ at }) => at],
    [t('access.audit.operator'), ({ operator }) => operator],
    [t('access.audit.role'), (change) => roleName(t, change) ?? ''],
    [t('access.audit.personOf'), ({ personOf }) => personOf ?? ''],
    [t('access.audit.action'), ({ action }) => action],
    [t('access.audit.subject'), ({ subject }) => subject],
    [t('access.audit.change'), ({ before, after }) => changesText(before, after)],
    [t('access.audit.requestId'), ({ requestId }) => requestId ?? ''],
    [t('access.audit.address'), ({ address }) => address ?? ''],
  ]
}

function useColumns(show: (change: AuditedChange) => void): Column<NamedChange>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'at',
      sorting: { by: ({ at }) => at },
      header: t('access.audit.at'),
      cell: ({ at }) => <Time at={at} />,
    },
    {
      key: 'change',
      sorting: { by: ({ operator }) => operator },
      header: t('access.audit.change'),
      cell: (change) => (
        <>
          <Sentence change={change} />
          {!isToldWhole(change) && (
            <div className={classes['summary']}>{changesText(change.before, change.after)}</div>
          )}
        </>
      ),
    },
    {
      key: 'open',
      header: t('access.audit.open'),
      isHeaderHidden: true,
      align: 'right',
      cell: (change) => (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('access.audit.openWhat', { action: change.action, subject: change.subject })}
          onClick={() => show(change)}
        >
          {t('access.audit.open')}
        </Button>
      ),
    },
  ]
}

/** `Operator`; of a supplier's person `Manager`. */
function roleName(t: TFunction, { role, personOf }: AuditedChange): string | undefined {
  if (role === null) return undefined
  if (personOf === null) return t(`shell.role.${role}`)
  return t(`suppliers.people.role.${role === 'viewer' ? 'viewer' : 'manager'}`)
}

/** `Operator`; of a supplier's person with the supplier: `Manager of Acme`. */
function roleText(t: TFunction, change: AuditedChange): string {
  const role = roleName(t, change)
  if (role === undefined) return t('access.audit.noRole')
  return change.personOf === null ? role : t('access.audit.roleOf', { role, supplier: change.personOf })
}

/** One change, before and after side by side. */
function ChangeDialog({ change, onClose }: { change: AuditedChange; onClose: () => void }) {
  const { t } = useTranslation()
  const { at, operator, action, subject, before, after, requestId, address } = change
  const rows = compareMembers(before, after)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('access.audit.dialogTitle', { action, subject })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('access.audit.close') }}
    >
      <Stack gap="md">
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {operator}
          </Text>
          <Text size="sm" c="dimmed">
            {roleText(t, change)}
          </Text>
          <Text size="sm" c="dimmed" component="div">
            <Time at={at} />
          </Text>
        </Group>
        {rows.length === 0 ? (
          <Text size="sm">{t('access.audit.noValues')}</Text>
        ) : (
          <Table.ScrollContainer minWidth={0} type="native">
            <Table aria-label={subject}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t('access.audit.member')}</Table.Th>
                  <Table.Th scope="col">{t('access.audit.before')}</Table.Th>
                  <Table.Th scope="col">{t('access.audit.after')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map(({ name, before: was, after: is, differs }) => (
                  <Table.Tr key={name} {...(differs ? { className: classes['differs'] } : {})}>
                    <Table.Th scope="row">
                      <Stack gap={4} align="flex-start">
                        {wordsOf(name)}
                        {differs && <StatusBadge kind="info" label={t('access.audit.differs')} />}
                      </Stack>
                    </Table.Th>
                    <Table.Td>
                      <Value value={was} />
                    </Table.Td>
                    <Table.Td>
                      <Value value={is} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <Group gap="lg">
          {requestId !== null && <Fact label={t('access.audit.requestId')} text={requestId} />}
          {address !== null && <Fact label={t('access.audit.address')} text={address} />}
        </Group>
      </Stack>
    </Dialog>
  )
}

function Value({ value }: { value: unknown }) {
  const { t } = useTranslation()
  if (value === undefined || value === null)
    return <span className={classes['none']}>{t('access.audit.nothing')}</span>
  return <pre className={classes['value']}>{shownValue(value)}</pre>
}

function Fact({ label, text }: { label: string; text: string }) {
  return (
    <Group gap={4}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <CopyButton text={text} what={label} />
    </Group>
  )
}
