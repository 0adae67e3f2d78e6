import { Checkbox, Group, Radio, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Calendar } from '../../../../../src/console-api/calendar/contract.ts'
import { useChange } from '../../../api.ts'
import { Confirm } from '../../../parts/dialogs.tsx'
import { ErrorNote } from '../../../parts/error-note.tsx'
import { dayOf } from '../grid/days.ts'
import { rowKey } from '../grid/rows.ts'
import { useStopSellPreview } from '../grid/use-calendar.ts'
import { Outcome, affectedText, useChanges, type Action } from './stop-sell-outcome.tsx'

export type StopSellDraft = {
  room: string
  rate: string
  from: string
  to: string
  action?: Action
  /** Codes or names of the rooms and rates to begin with. */
  only?: string
}
type Target = { roomId: string; rateId?: string }

const previewAfterMs = 300

/** Stops or resumes sales of rooms and rates, after a preview of the nights that change. */
export function StopSellDialog({
  calendar,
  draft,
  onClose,
}: {
  calendar: Calendar
  draft: StopSellDraft
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { hotelId } = calendar.hotel
  const [action, setAction] = useState<Action>(draft.action ?? 'stop')
  const [[from, to], setDates] = useState([draft.from, draft.to] as const)
  const [reason, setReason] = useState('')
  const [until, setUntil] = useState('')
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(firstTargets(calendar, draft)))
  const change = useChange('stopSell', {
    invalidates: [
      'getCalendar',
      'getCalendarCell',
      'explainStay',
      'explainHotel',
      'searchStopSells',
      'getOverview',
    ],
  })
  const targets = targetsOf(calendar, selected)
  const [first, last] = [dayOf(from), dayOf(to)]
  const isWhole = targets.length > 0 && first !== undefined && last !== undefined && last >= first
  const input = isWhole
    ? { params: { hotelId }, body: { action, targets, from, to, ...termsOf(action, reason, until) } }
    : undefined
  const lacksReason = action === 'stop' && reason.trim() === ''
  const [previewed] = useDebouncedValue(JSON.stringify(input), previewAfterMs)
  const preview = useStopSellPreview(previewed === JSON.stringify(input) ? input : undefined)
  const changesOf = useChanges()
  const send = (): void => {
    if (!input || lacksReason) return
    change.mutate(input, {
      onSuccess: ({ rows, affected }) => {
        const done = t(`calendar.stopSell.done.${action}`, changesOf(rows))
        notifications.show({ message: [done, ...affectedText(t, affected)].join('. ') })
        onClose()
      },
    })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('calendar.stopSell.title')}
      confirm={t(`calendar.stopSell.confirm.${action}`)}
      isDangerous={action === 'stop'}
      isBusy={change.isPending}
      error={change.error}
      isReady={isWhole && !lacksReason}
      onConfirm={send}
    >
      <Stack gap="sm">
        <Text size="sm">{t('calendar.stopSell.about')}</Text>
        <Radio.Group
          label={t('calendar.stopSell.action')}
          value={action}
          onChange={(value) => setAction(value === 'open' ? 'open' : 'stop')}
        >
          <Group gap="md" mt={4}>
            <Radio value="stop" label={t('calendar.stopSell.stop')} />
            <Radio value="open" label={t('calendar.stopSell.open')} />
          </Group>
        </Radio.Group>
        <Group gap="xs" grow>
          <TextInput
            type="date"
            label={t('calendar.stopSell.from')}
            value={from}
            onChange={(event) => setDates([event.currentTarget.value, to])}
          />
          <TextInput
            type="date"
            label={t('calendar.stopSell.to')}
            value={to}
            onChange={(event) => setDates([from, event.currentTarget.value])}
          />
        </Group>
        <Targets calendar={calendar} selected={selected} onChange={setSelected} />
        <Terms action={action} reason={reason} setReason={setReason} until={until} setUntil={setUntil} />
        <Outcome action={action} isWhole={isWhole} outcome={preview.data} />
        {isWhole && preview.error && <ErrorNote error={preview.error} />}
      </Stack>
    </Confirm>
  )
}

function termsOf(action: Action, reason: string, until: string): { reason?: string; until?: string } {
  return {
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(action === 'stop' && until !== '' ? { until: new Date(until).toISOString() } : {}),
  }
}

/** Why, and until when. */
function Terms({
  action,
  reason,
  setReason,
  until,
  setUntil,
}: {
  action: Action
  reason: string
  setReason: (reason: string) => void
  until: string
  setUntil: (until: string) => void
}) {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        label={t('calendar.stopSell.reason')}
        description={t('calendar.stopSell.reasonAbout')}
        required={action === 'stop'}
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {action === 'stop' && (
        <TextInput
          type="datetime-local"
          label={t('calendar.stopSell.until')}
          description={t('calendar.stopSell.untilAbout')}
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      )}
    </>
  )
}

/** A room with all or some of its rates. */
function Targets({
  calendar,
  selected,
  onChange,
}: {
  calendar: Calendar
  selected: ReadonlySet<string>
  onChange: (selected: ReadonlySet<string>) => void
}) {
  const { t } = useTranslation()
  const toggle = (key: string, isOn: boolean): void => {
    const next = new Set(selected)
    if (isOn) next.add(key)
    else next.delete(key)
    onChange(next)
  }
  return (
    <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
      <Group component="legend" gap="sm" mb={4} p={0}>
        <Text size="sm" fw={500}>
          {t('calendar.stopSell.what')}
        </Text>
      </Group>
      <Checkbox
        label={t('calendar.stopSell.allRooms')}
        checked={calendar.rooms.every(({ roomId }) => selected.has(rowKey(roomId, undefined)))}
        onChange={(event) =>
          onChange(
            new Set(
              event.currentTarget.checked
                ? calendar.rooms.map(({ roomId }) => rowKey(roomId, undefined))
                : [],
            ),
          )
        }
        mb={6}
      />
      <ScrollArea.Autosize mah={200} viewportProps={{ tabIndex: 0 }} type="auto">
        <Stack gap={6}>
          {calendar.rooms.map(({ roomId, name, rates }) => {
            const key = rowKey(roomId, undefined)
            const isWhole = selected.has(key)
            return (
              <Stack key={roomId} gap={4}>
                <Checkbox
                  label={name}
                  checked={isWhole}
                  onChange={(event) => toggle(key, event.currentTarget.checked)}
                />
                {rates.map((rate) => {
                  const ofRate = rowKey(roomId, rate.rateId)
                  return (
                    <Checkbox
                      key={rate.rateId}
                      ml="lg"
                      label={rate.name}
                      disabled={isWhole}
                      checked={isWhole || selected.has(ofRate)}
                      onChange={(event) => toggle(ofRate, event.currentTarget.checked)}
                    />
                  )
                })}
              </Stack>
            )
          })}
        </Stack>
      </ScrollArea.Autosize>
    </fieldset>
  )
}

function targetsOf({ rooms }: Calendar, selected: ReadonlySet<string>): Target[] {
  return rooms.flatMap(({ roomId, rates }): Target[] => {
    if (selected.has(rowKey(roomId, undefined))) return [{ roomId }]
    return rates.flatMap(({ rateId }) => (selected.has(rowKey(roomId, rateId)) ? [{ roomId, rateId }] : []))
  })
}

/** What was selected in the calendar, or every room and rate with the code or name that a link names. */
function firstTargets({ rooms }: Calendar, { room, rate, only = '' }: StopSellDraft): string[] {
  if (room !== '') return [rowKey(room, rate === '' ? undefined : rate)]
  const isNamed = (...names: string[]): boolean =>
    only !== '' && names.some((name) => name.toLowerCase() === only.toLowerCase())
  return rooms.flatMap(({ roomId, name, rates }) =>
    isNamed(roomId, name)
      ? [rowKey(roomId, undefined)]
      : rates.flatMap((one) => (isNamed(one.rateId, one.name) ? [rowKey(roomId, one.rateId)] : [])),
  )
}
