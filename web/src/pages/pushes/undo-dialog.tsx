import { Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PushListed } from '../../../../src/console-api/pushes/contract.ts'
import { call, useChange, type AnswerTo, type ApiError } from '../../api.ts'
import { FormDialog } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Time } from '../../parts/values/time.tsx'
import classes from './pushes.module.css'

type Outcome = AnswerTo<'undoPush'>

/** What replaced values, if the hotel knows it: other pushes restore nothing. */
export function isUndoable({ kind, hotelId, revision, cellsChanged, outcome }: PushListed): boolean {
  const changedAri = kind === 'ari' || kind === 'undo' || kind === 'release'
  const isApplied = outcome === 'applied' || outcome === 'partial'
  return changedAri && isApplied && hotelId !== null && revision !== null && cellsChanged > 0
}

/** Undoes a push, after a dry run that shows what would come back and what stays. */
export function UndoDialog({ push, onClose }: { push: PushListed; onClose: () => void }) {
  const { t } = useTranslation()
  const [reason, setReason] = useState('')
  const params = { pushId: String(push.pushId) }
  const dryRun = useQuery<Outcome, ApiError>({
    queryKey: ['undoPreview', push.pushId],
    queryFn: ({ signal }) => call('undoPush', { params, body: { dryRun: true, onConflict: 'skip' } }, signal),
    retry: false,
    gcTime: 0,
    staleTime: 0,
  })
  const change = useChange('undoPush', {
    invalidates: ['getPush', 'listPushes', 'getCalendar', 'getCalendarCell'],
  })
  const outcome = dryRun.data
  const send = (): void => {
    if (!outcome) return
    // What was shown as a conflict is left out; another one refuses the undo, and is shown then.
    const onConflict = outcome.summary.conflicts > 0 ? 'skip' : 'abort'
    const why = reason.trim() === '' ? {} : { reason: reason.trim() }
    change.mutate(
      { params, body: { onConflict, seenRevision: outcome.revision, ...why } },
      {
        onError: () => void dryRun.refetch(),
        onSuccess: ({ summary }) => {
          notifications.show({ message: t('pushes.undo.done', { count: summary.cellsChanged }) })
          onClose()
        },
      },
    )
  }
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('pushes.undo.title')}
      submit={t('pushes.undo.confirm')}
      onSubmit={send}
      isBusy={change.isPending}
      isReady={outcome !== undefined && outcome.summary.cellsChanged > 0}
      isDangerous
      error={change.error}
    >
      <Text size="sm">{t('pushes.undo.about')}</Text>
      {outcome ? <DryRun outcome={outcome} /> : <Skeleton height={80} visible={!dryRun.error} />}
      {dryRun.error && <ErrorNote error={dryRun.error} />}
      <TextInput
        label={t('pushes.undo.reason')}
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

const shownMax = 8

function DryRun({ outcome }: { outcome: Outcome }) {
  const { t } = useTranslation()
  const { summary, changes, conflicts } = outcome
  return (
    <Stack gap="xs">
      <Text size="sm" role="status" fw={500}>
        {t('pushes.undo.changes', { count: summary.cellsChanged })}
      </Text>
      <ul className={classes['same']}>
        {changes.slice(0, shownMax).map((change, index) => (
          <li key={index}>
            <Text size="sm">
              <Nights {...change} /> {shown(change.before)} → {shown(change.after)}
            </Text>
          </li>
        ))}
      </ul>
      {changes.length > shownMax && (
        <Text size="sm">
          {t('pushes.undo.more', { count: changes.length - shownMax + (outcome.moreChanges ?? 0) })}
        </Text>
      )}
      {summary.conflicts > 0 && (
        <>
          <Text size="sm" fw={500}>
            {t('pushes.undo.conflicts', { count: summary.conflicts })}
          </Text>
          <ul className={classes['problems']}>
            {conflicts.slice(0, shownMax).map((conflict, index) => (
              <li key={index}>
                <Text size="sm">
                  <Nights {...conflict} /> {shown(conflict.now)} · {t(`pushes.undo.by.${conflict.by}`)}{' '}
                  <Time at={conflict.at} />
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
      {summary.inventoryLeftOut > 0 && (
        <Text size="sm">{t('pushes.undo.inventory', { count: summary.inventoryLeftOut })}</Text>
      )}
      {summary.pastNights > 0 && (
        <Text size="sm">{t('pushes.undo.past', { count: summary.pastNights })}</Text>
      )}
    </Stack>
  )
}

type Range = Pick<
  Outcome['changes'][number],
  'roomId' | 'rateId' | 'startDate' | 'endDate' | 'field' | 'guests' | 'ageCategory'
>

function Nights({ roomId, rateId, startDate, endDate, field, guests, ageCategory }: Range) {
  const row = rateId === null ? roomId : `${roomId} / ${rateId}`
  const dates = startDate === endDate ? startDate : `${startDate} – ${endDate}`
  const bucket = guests === undefined ? '' : ` (${guests} ${ageCategory ?? ''})`
  return (
    <>
      {row}, {dates}: {field}
      {bucket}
    </>
  )
}

function shown(value: number | boolean | null): string {
  return value === null ? '–' : String(value)
}
