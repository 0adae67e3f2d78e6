import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditedChange } from '../../../../src/operators/contract.ts'
import { usePages } from '../../api.ts'
import { DataTable, tableOf, type Column } from '../../parts/data-table.tsx'
import { DateFilter, Filters, TextFilter, useFilter } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import { compareMembers, shownValue } from './compare-members.ts'
import classes from './operators.module.css'

const filterNames = ['operator', 'action', 'subject', 'since', 'until'] as const

/** The audit log: every change with its values before and after. */
export function AuditPage() {
  const { t } = useTranslation()
  const query = useFilters()
  const [shown, setShown] = useState<AuditedChange>()
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
        columns={useColumns(setShown)}
        rowKey={({ id }) => id}
        empty={
          isFiltered
            ? { title: t('access.audit.noneFound'), hint: t('access.audit.noneFoundHint') }
            : { title: t('access.audit.none'), hint: t('access.audit.noneHint') }
        }
        {...tableOf(found)}
      />
      {shown && <ChangeDialog change={shown} onClose={() => setShown(undefined)} />}
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
