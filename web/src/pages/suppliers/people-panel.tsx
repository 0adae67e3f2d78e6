import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Person } from '../../../../src/console-api/people/contract.ts'
import { personRoles } from '../../../../src/operators/contract.ts'
import { type AnswerTo, useApi, useChange, useUncachedChange } from '../../api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Confirm } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useManages, useMe } from '../../parts/session.tsx'
import { Ago } from '../../parts/values/time.tsx'
import { AccountForm } from '../operators/account-form.tsx'
import { AccountStatus, statusOf } from '../operators/account-status.tsx'
import { LinkDialog } from '../operators/operator-dialogs.tsx'

type Made = AnswerTo<'createPerson'>

/** The supplier's own people: operators and the supplier's managers make accounts for them. */
export function PeoplePanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const mayChange = useManages()
  const { data, isPending, error, refetch } = useApi('listPeople', { params: { supplierId } })
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<Made>()
  const columns = useColumns(supplierId, mayChange, setMade)
  return (
    <section aria-labelledby="people">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="people">
          {t('suppliers.people.title')}
        </Title>
        {mayChange && (
          <Button leftSection={<Plus size={14} aria-hidden />} onClick={() => setAdding(true)}>
            {t('suppliers.people.add')}
          </Button>
        )}
      </Group>
      <DataTable
        caption={t('suppliers.people.caption')}
        columns={columns}
        rows={data?.people ?? []}
        rowKey={({ personId }) => personId}
        isPending={isPending}
        error={error}
        onRetry={() => void refetch()}
        empty={{ title: t('suppliers.people.none'), hint: t('suppliers.people.noneHint') }}
      />
      {isAdding && <NewPerson supplierId={supplierId} onClose={() => setAdding(false)} onMade={setMade} />}
      {made && <LinkDialog name={made.person.name} link={made.link} onClose={() => setMade(undefined)} />}
    </section>
  )
}

function useColumns(supplierId: number, mayChange: boolean, onMade: (made: Made) => void): Column<Person>[] {
  const { t } = useTranslation()
  const shown: Column<Person>[] = [
    {
      key: 'name',
      sorting: { by: ({ name }) => name },
      header: t('access.operators.name'),
      cell: ({ name }) => (
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
      ),
    },
    {
      key: 'role',
      sorting: { by: ({ role }) => role },
      header: t('access.operators.role'),
      cell: ({ role }) => t(`suppliers.people.role.${role}`),
    },
    {
      key: 'status',
      sorting: { by: statusOf },
      header: t('access.operators.status'),
      cell: (person) => <AccountStatus account={person} />,
    },
    {
      key: 'last',
      sorting: { by: ({ lastSignInAt }) => lastSignInAt },
      header: t('access.operators.lastSignIn'),
      cell: ({ lastSignInAt }) => <Ago at={lastSignInAt} />,
    },
  ]
  const actions: Column<Person> = {
    key: 'actions',
    header: t('access.operators.actions'),
    align: 'right',
    cell: (person) => <Actions supplierId={supplierId} person={person} onMade={onMade} />,
  }
  return mayChange ? [...shown, actions] : shown
}

function Actions({
  supplierId,
  person: { personId, name, disabledAt, disabledByPlatform, lastSignInAt },
  onMade,
}: {
  supplierId: number
  person: Person
  onMade: (made: Made) => void
}) {
  const { t } = useTranslation()
  const me = useMe()
  const link = useUncachedChange('createPersonLink')
  const disable = useChange('disablePerson', { invalidates: ['listPeople'] })
  const enable = useChange('enablePerson', { invalidates: ['listPeople'] })
  const [isDisabling, setDisabling] = useState(false)
  if (personId === me.operatorId) return null
  // Whoever has signed in owns the account: a manager's link would take it over.
  const mayInvite = me.supplier === null || lastSignInAt === null
  const params = { supplierId, personId }
  const error = link.error ?? enable.error
  return (
    <Stack gap={4} align="flex-end">
      {disabledAt === null ? (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {mayInvite && (
            <Button
              variant="default"
              size="compact-xs"
              loading={link.isBusy}
              aria-label={t('suppliers.people.linkFor', { name })}
              onClick={() => link.run({ params }, onMade)}
            >
              {t('access.operators.newLink')}
            </Button>
          )}
          <Button
            variant="default"
            size="compact-xs"
            aria-label={t('suppliers.people.disable', { name })}
            onClick={() => setDisabling(true)}
          >
            {t('access.operators.disable')}
          </Button>
        </Group>
      ) : me.supplier !== null && disabledByPlatform ? (
        <Text size="xs" c="dimmed">
          {t('suppliers.people.disabledByPlatform')}
        </Text>
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          loading={enable.isPending}
          aria-label={t('suppliers.people.enable', { name })}
          onClick={() => enable.mutate({ params })}
        >
          {t('access.operators.enable')}
        </Button>
      )}
      {error && <ErrorNote error={error} />}
      {isDisabling && (
        <Confirm
          isOpen
          onClose={() => setDisabling(false)}
          title={t('access.disable.title', { name })}
          confirm={t('access.operators.disable')}
          isDangerous
          isBusy={disable.isPending}
          error={disable.error}
          onConfirm={() => disable.mutate({ params }, { onSuccess: () => setDisabling(false) })}
        >
          <Text size="sm">{t('access.disable.text')}</Text>
        </Confirm>
      )}
    </Stack>
  )
}

function NewPerson({
  supplierId,
  onClose,
  onMade,
}: {
  supplierId: number
  onClose: () => void
  onMade: (made: Made) => void
}) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { run, isBusy, error } = useUncachedChange('createPerson')
  return (
    <AccountForm
      title={t('suppliers.people.addTitle')}
      submit={t('suppliers.people.add')}
      nameHint={t('suppliers.people.nameHint')}
      choices={personRoles.map((role) => ({
        role,
        label: t(`suppliers.people.role.${role}`),
        hint: t(`suppliers.people.roleHint.${role}`),
      }))}
      usualRole="viewer"
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onCreate={(body) =>
        run({ params: { supplierId }, body }, (answer) => {
          void queries.invalidateQueries({ queryKey: ['listPeople'] })
          onClose()
          onMade(answer)
        })
      }
    />
  )
}
