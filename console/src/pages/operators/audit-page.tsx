import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditedChange } from '../../../../src/operators/contract.ts'
import { usePages } from '../../api.ts'
import { CopyButton } from '../../parts/code.tsx'
import { type Column, DataTable, tableOf } from '../../parts/data-table.tsx'
import { DateFilter, Filters, TextFilter, useFilter } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time, timeText } from '../../parts/time.tsx'
import classes from './operators.module.css'

const filterNames = ['operator', 'action', 'subject', 'since', 'until'] as const

/** The audit log: every change with its values before and after. */
export function AuditPage() {
  const { t } = useTranslation()
  const query = useFilters()
  const [openChange, setOpenChange] = useState<AuditedChange>()
  const found = usePages('listAudit', { query }, ({ changes }) => changes)
  const isFiltered = Object.values(query).some((value) => value !== '')
  return (
    <Page title={t('access.auditTitle')} intro={t('access.audit.intro')}>
      <Filters names={filterNames}>
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
        <DateFilter name="since" label={t('access.audit.since')} />
        <DateFilter name="until" label={t('access.audit.until')} />
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

function useFilters(): Record<(typeof filterNames)[number], string> {
  const [operator] = useFilter('operator')
  const [action] = useFilter('action')
  const [subject] = useFilter('subject')
  const [since] = useFilter('since')
  const [until] = useFilter('until')
  return { operator, action, subject, since, until }
}

function useColumns(show: (change: AuditedChange) => void): Column<AuditedChange>[] {
  const { t } = useTranslation()
  return [
    { key: 'at', header: t('access.audit.at'), cell: ({ at }) => <Time at={at} /> },
    {
      key: 'who',
      header: t('access.audit.who'),
      cell: ({ operator, role }) => (
        <Stack gap={0}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {operator}
          </Text>
          <Text size="xs" c="dimmed">
            {role === null ? t('access.audit.noRole') : t(`shell.role.${role}`)}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'action',
      header: t('access.audit.action'),
      cell: ({ action }) => <code>{action}</code>,
    },
    {
      key: 'subject',
      header: t('access.audit.subject'),
      cell: ({ subject }) => (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {subject}
        </Text>
      ),
    },
    { key: 'change', header: t('access.audit.change'), cell: (change) => <Summary change={change} /> },
    {
      key: 'open',
      header: t('access.audit.open'),
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

const membersShown = 3
const valueShownMax = 40

/** The first changed members, in a few words each. */
function Summary({ change: { before, after } }: { change: AuditedChange }) {
  const rows = compareMembers(before, after).filter(({ differs }) => differs)
  const texts = rows.slice(0, membersShown).map(({ name, before: was, after: is }) => {
    const [from, to] = [short(was), short(is)]
    return from === '' ? `${name}: ${to}` : `${name}: ${from} → ${to === '' ? '–' : to}`
  })
  const more = rows.length > membersShown ? ' …' : ''
  return (
    <div className={classes['summary']}>
      {texts.join(' · ')}
      {more}
    </div>
  )
}

function short(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = shownValue(value).replaceAll(/\s+/g, ' ')
  return text.length > valueShownMax ? `${text.slice(0, valueShownMax)}…` : text
}

/** One change, before and after side by side. */
function ChangeDialog({ change, onClose }: { change: AuditedChange; onClose: () => void }) {
  const { t } = useTranslation()
  const { at, operator, role, action, subject, before, after, requestId, address } = change
  const rows = compareMembers(before, after)
  return (
    <Modal
      opened
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
            {role === null ? t('access.audit.noRole') : t(`shell.role.${role}`)}
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
                        {name}
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
    </Modal>
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

/** The members of a change, before and after. */

type ComparedMember = { name: string; before: unknown; after: unknown; differs: boolean }

/** The members of both sides, changed ones first. An absent side has no members. */
function compareMembers(before: unknown, after: unknown): ComparedMember[] {
  const [left, right] = [membersOf(before), membersOf(after)]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  const rows = names.map((name) => ({
    name,
    before: left[name],
    after: right[name],
    differs: JSON.stringify(left[name]) !== JSON.stringify(right[name]),
  }))
  return [...rows.filter(({ differs }) => differs), ...rows.filter(({ differs }) => !differs)]
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** For reading: strings without quotes, instants in the viewer's zone, everything else as JSON. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') return instant.test(value) ? (timeText(value) ?? value) : value
  return JSON.stringify(value, null, 2)
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null)
    return value === null || value === undefined ? {} : { '': value }
  return Object.fromEntries(Object.entries(value))
}
