import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { Ellipsis, Link, Plus, ShieldOff, UserCheck, UserCog, UserX } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { StoredOperator } from '../../../../src/operators/contract.ts'
import { type AnswerTo, useApi, useChange } from '../../api.ts'
import { type Column, DataTable, EmptyState } from '../../parts/lists/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { type CsvColumn, ExportRows } from '../../parts/lists/export-csv.tsx'
import { Page } from '../../parts/page.tsx'
import { useCan, useMe } from '../../parts/session.tsx'
import { Ago } from '../../parts/values/time.tsx'
import { AccountStatus, statusOf } from './account-status.tsx'
import {
  ChangeRole,
  CreateOperator,
  DisableOperator,
  LinkDialog,
  NewLink,
  ResetSecondFactor,
} from './operator-dialogs.tsx'

type WithLink = AnswerTo<'createSignInLink'>
/** The open dialog, and its operator. */
type OpenDialog = { what: 'role' | 'link' | 'disable' | 'reset'; operator: StoredOperator }

/** The operators of the console and their roles. */
export function OperatorsPage() {
  const { t } = useTranslation()
  const isAdmin = useCan('admin')
  if (isAdmin) return <Operators />
  return (
    <Page title={t('access.operatorsTitle')}>
      <EmptyState title={t('access.operators.onlyAdmins')} hint={t('access.operators.onlyAdminsHint')} />
    </Page>
  )
}

function Operators() {
  const { t } = useTranslation()
  const { data, isPending, error, refetch } = useApi('listOperators')
  const enable = useChange('enableOperator', { invalidates: ['listOperators'] })
  const [isCreating, setCreating] = useState(false)
  const [doing, setOpenDialog] = useState<OpenDialog>()
  const [made, setMade] = useState<WithLink>()
  const closed = () => setOpenDialog(undefined)
  const columns = useColumns((operator, what) => {
    if (what === 'enable') enable.mutate({ params: { operatorId: operator.operatorId } })
    else setOpenDialog({ what, operator })
  })
  return (
    <Page
      title={t('access.operatorsTitle')}
      intro={t('access.operators.intro')}
      actions={
        <>
          <ExportRows rows={data?.operators ?? []} columns={useCsvColumns()} file="operators" />
          <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setCreating(true)}>
            {t('access.create.action')}
          </Button>
        </>
      }
    >
      {enable.error && <ErrorNote error={enable.error} />}
      <DataTable
        caption={t('access.operators.caption')}
        columns={columns}
        rows={data?.operators ?? []}
        rowKey={({ operatorId }) => operatorId}
        isPending={isPending}
        error={error}
        onRetry={() => void refetch()}
        empty={{ title: t('access.operators.none') }}
      />
      {isCreating && (
        <CreateOperator
          onClose={() => setCreating(false)}
          onMade={(answer) => {
            setCreating(false)
            setMade(answer)
          }}
        />
      )}
      {doing?.what === 'role' && <ChangeRole operator={doing.operator} onClose={closed} />}
      {doing?.what === 'disable' && <DisableOperator operator={doing.operator} onClose={closed} />}
      {doing?.what === 'reset' && <ResetSecondFactor operator={doing.operator} onClose={closed} />}
      {doing?.what === 'link' && (
        <NewLink
          operator={doing.operator}
          onClose={closed}
          onMade={(answer) => {
            closed()
            setMade(answer)
          }}
        />
      )}
      {made && <LinkDialog name={made.operator.name} link={made.link} onClose={() => setMade(undefined)} />}
    </Page>
  )
}

type Act = (operator: StoredOperator, what: OpenDialog['what'] | 'enable') => void

function useCsvColumns(): CsvColumn<StoredOperator>[] {
  const { t } = useTranslation()
  return [
    [t('access.operators.name'), ({ name }) => name],
    [t('access.operators.role'), ({ role }) => t(`shell.role.${role}`)],
    [t('access.operators.status'), (operator) => t(`access.operators.${statusOf(operator)}`)],
    [t('access.operators.signsInBy'), (operator) => waysIn(t, operator)],
    [t('access.operators.lastSignIn'), ({ lastSignInAt }) => lastSignInAt ?? ''],
  ]
}

function useColumns(act: Act): Column<StoredOperator>[] {
  const { t } = useTranslation()
  const me = useMe()
  return [
    {
      key: 'name',
      sorting: { by: ({ name }) => name },
      header: t('access.operators.name'),
      cell: ({ name, operatorId }) => (
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          {operatorId === me.operatorId && (
            <Text size="xs" c="dimmed">
              {t('access.operators.you')}
            </Text>
          )}
        </Group>
      ),
    },
    {
      key: 'role',
      sorting: { by: ({ role }) => role },
      header: t('access.operators.role'),
      cell: ({ role }) => t(`shell.role.${role}`),
    },
    {
      key: 'status',
      sorting: { by: statusOf },
      header: t('access.operators.status'),
      cell: (operator) => <AccountStatus account={operator} />,
    },
    {
      key: 'by',
      sorting: { by: (operator) => waysIn(t, operator) },
      header: t('access.operators.signsInBy'),
      cell: (operator) => waysIn(t, operator),
    },
    {
      key: 'last',
      sorting: { by: ({ lastSignInAt }) => lastSignInAt },
      header: t('access.operators.lastSignIn'),
      cell: ({ lastSignInAt }) => <Ago at={lastSignInAt} />,
    },
    {
      key: 'actions',
      header: t('access.operators.actions'),
      align: 'right',
      cell: (operator) => <Actions operator={operator} act={act} />,
    },
  ]
}

function waysIn(t: TFunction, { hasPassword, isLinked, hasSecondFactor }: StoredOperator): string {
  const ways = [
    ...(hasPassword ? [t('access.operators.byPassword')] : []),
    ...(isLinked ? [t('access.operators.byOpenId')] : []),
  ]
  const first = ways.length > 0 ? ways.join(', ') : t('access.operators.byLink')
  return hasSecondFactor ? `${first} + ${t('access.operators.andSecondFactor')}` : first
}

function Actions({ operator, act }: { operator: StoredOperator; act: Act }) {
  const { t } = useTranslation()
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon aria-label={t('access.operators.do', { name: operator.name })}>
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<UserCog size={14} aria-hidden />} onClick={() => act(operator, 'role')}>
          {t('access.operators.changeRole')}
        </Menu.Item>
        {operator.disabledAt === null ? (
          <>
            <Menu.Item leftSection={<Link size={14} aria-hidden />} onClick={() => act(operator, 'link')}>
              {t('access.operators.newLink')}
            </Menu.Item>
            {operator.hasSecondFactor && (
              <Menu.Item
                leftSection={<ShieldOff size={14} aria-hidden />}
                onClick={() => act(operator, 'reset')}
              >
                {t('access.operators.resetSecondFactor')}
              </Menu.Item>
            )}
            <Menu.Item leftSection={<UserX size={14} aria-hidden />} onClick={() => act(operator, 'disable')}>
              {t('access.operators.disable')}
            </Menu.Item>
          </>
        ) : (
          <Menu.Item
            leftSection={<UserCheck size={14} aria-hidden />}
            onClick={() => act(operator, 'enable')}
          >
            {t('access.operators.enable')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
