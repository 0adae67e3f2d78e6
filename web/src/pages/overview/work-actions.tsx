import { ActionIcon, Button, Group, Menu, Textarea, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RefusedError, WorkItem, WorkView } from '../../../../src/console-api/work-queue/contract.ts'
import { type ChangeInput, useChange } from '../../api.ts'
import { minuteText, useCopyMessage } from '../../parts/values/copy-message.ts'
import { FormDialog } from '../../parts/dialogs.tsx'
import { useMe } from '../../parts/session.tsx'

type Change = Omit<ChangeInput<'changeWork'>['body'], 'key'>

/** Take and done in one step; the others in a menu. */
export function WorkActions({ item, view, what }: { item: WorkItem; view: WorkView; what: string }) {
  const { t } = useTranslation()
  const me = useMe()
  const [isNoting, setNoting] = useState(false)
  const change = useChange('changeWork', { invalidates: ['listWork', 'searchAlerts', 'getOverview'] })
  const { key, takenBy } = item
  const send = (body: Change): void =>
    change.mutate(
      { body: { key, ...body } },
      { onError: ({ message }) => notifications.show({ message, color: 'red' }) },
    )
  if (view === 'done') {
    return (
      <Button variant="default" size="compact-sm" onClick={() => send({ action: 'reopen' })}>
        {t('work.reopen')}
      </Button>
    )
  }
  return (
    <Group gap={6} wrap="nowrap" role="group" aria-label={what}>
      {takenBy === me.name ? (
        <Button variant="default" size="compact-sm" onClick={() => send({ action: 'release' })}>
          {t('work.release')}
        </Button>
      ) : (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => send({ action: 'take', ...(takenBy === null ? {} : { hadBy: takenBy }) })}
        >
          {takenBy === null ? t('work.take') : t('work.takeOver', { name: takenBy })}
        </Button>
      )}
      <Button variant="default" size="compact-sm" onClick={() => send({ action: 'done' })}>
        {t('work.done')}
      </Button>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" aria-label={t('work.more', { what })}>
            <Ellipsis size={14} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {item.kind === 'push.error' && <CopyMessage item={item} />}
          <Menu.Item onClick={() => setNoting(true)}>{t('work.note')}</Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('work.snooze')}</Menu.Label>
          {snoozes.map((name) => (
            <Menu.Item key={name} onClick={() => send({ action: 'snooze', until: snoozedUntil(name) })}>
              {t(`work.snoozeFor.${name}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {isNoting && <NoteDialog item={item} onClose={() => setNoting(false)} />}
    </Group>
  )
}

const snoozes = ['hour', 'shift', 'day', 'week'] as const
const hourMs = 3_600_000
const hoursOf = { hour: 1, shift: 4, week: 168 } as const
const morning = 8

/** A day ends at eight in the morning of the person who looks. */
function snoozedUntil(name: (typeof snoozes)[number]): string {
  if (name !== 'day') return new Date(Date.now() + hoursOf[name] * hourMs).toISOString()
  const tomorrow = new Date()
  tomorrow.setDate(tomorrow.getDate() + 1)
  tomorrow.setHours(morning, 0, 0, 0)
  return tomorrow.toISOString()
}

/** What the supplier needs to mend every error, for an e-mail or a chat. */
function CopyMessage({ item: { errors, count, since, evidence } }: { item: WorkItem }) {
  const { t } = useTranslation()
  const copyMessage = useCopyMessage()
  const { hotels, lastAt } = evidence
  const copy = (): void => {
    copyMessage(
      t('work.message', {
        since: minuteText(since),
        last: minuteText(String(lastAt)),
        count,
        // A body that could not be read names no hotel.
        hotels: Number(hotels) > 0 ? ` ${t('work.inHotels', { count: Number(hotels) })}` : '',
        errors: errors.map(errorText).join('\n\n'),
      }),
    )
  }
  const errorText = ({ type, pushes, message, requestIds }: RefusedError): string =>
    [
      t('work.messageError', { type, count: pushes }),
      ...(message === null ? [] : [message]),
      t('work.messageRequestIds', { requestIds: requestIds.join(', ') }),
    ]
      .map((line) => `    ${line}`)
      .join('\n')
  return <Menu.Item onClick={copy}>{t('work.copyMessage')}</Menu.Item>
}

const charactersMax = 500

function NoteDialog({ item: { key, note }, onClose }: { item: WorkItem; onClose: () => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState(note?.text ?? '')
  const change = useChange('changeWork', { invalidates: ['listWork'] })
  const trimmed = text.trim().replaceAll(/\s+/g, ' ')
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('work.noteTitle')}
      submit={t('work.noteSave')}
      isBusy={change.isPending}
      isReady={trimmed !== ''}
      error={change.error}
      onSubmit={() => change.mutate({ body: { key, action: 'note', note: trimmed } }, { onSuccess: onClose })}
    >
      <Text size="sm">{t('work.noteAbout')}</Text>
      <Textarea
        label={t('work.noteText')}
        maxLength={charactersMax}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  )
}
