import { Button, Checkbox, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WholeReservation } from '../../../../src/console-api/bookings/contract.ts'
import { useChange } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { Can } from '../../parts/session.tsx'
import { Code } from '../../parts/values/code.tsx'
import { Time } from '../../parts/values/time.tsx'
import classes from './reservations.module.css'

type Report = WholeReservation['reports'][number]

const kinds = [
  'arrived',
  'no_show',
  'stay_changed',
  'card_invalid',
  'waived',
] as const satisfies readonly Report['report'][]

/** The hotel's own numbers, and what became of the stay. */
export function ToldSection({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { confirmations, reports, timeZone, reservationId } = reservation
  return (
    <Section title={t('reservations.section.told')}>
      <Stack gap="sm">
        {confirmations.length + reports.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('reservations.told.none')}
          </Text>
        )}
        <Facts
          facts={confirmations.map(({ confirmationNumber, roomReservationId }) => [
            roomReservationId === undefined
              ? t('reservations.told.confirmation')
              : `${t('reservations.told.confirmation')}, ${t('reservations.told.ofRoom', { id: roomReservationId })}`,
            <Code key="number">{confirmationNumber}</Code>,
          ])}
        />
        {reports.map((report, index) => (
          <OneReport key={`${report.at} ${index}`} report={report} zone={timeZone} />
        ))}
        <Can role="operator">
          <ReportForHotel key={reservationId} reservation={reservation} />
        </Can>
      </Stack>
    </Section>
  )
}

function OneReport({ report, zone }: { report: Report; zone: string }) {
  const { t } = useTranslation()
  const { roomReservationId, waivePenalty, departureDate, note, at, by } = report
  const details = [
    roomReservationId === undefined ? undefined : t('reservations.told.ofRoom', { id: roomReservationId }),
    waivePenalty ? t('reservations.told.withoutPenalty') : undefined,
    departureDate === undefined ? undefined : t('reservations.told.leaves', { date: departureDate }),
    note,
  ].filter((detail) => detail !== undefined)
  return (
    <div className={classes['note']}>
      <Text size="sm">{[t(`reservations.told.kind.${report.report}`), ...details].join('; ')}</Text>
      <Text size="xs" c="dimmed" component="div">
        {t(by === 'operator' ? 'reservations.told.byOperator' : 'reservations.told.byHotel')}{' '}
        <Time at={at} zone={zone} />
      </Text>
    </div>
  )
}

const charactersMax = 500

function ReportForHotel({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { reservationId, rooms } = reservation
  const [kind, setKind] = useState<Report['report']>('arrived')
  const [room, setRoom] = useState('')
  const [isWaived, setIsWaived] = useState(false)
  const [departure, setDeparture] = useState('')
  const [note, setNote] = useState('')
  const send = useChange('reportStayForHotel', { invalidates: ['showReservation'] })
  const body = {
    report: kind,
    ...(room === '' ? {} : { roomReservationId: room }),
    ...(kind === 'no_show' && isWaived ? { waivePenalty: true } : {}),
    ...(kind === 'stay_changed' && departure !== '' ? { departureDate: departure } : {}),
    ...(note.trim() === '' ? {} : { note: note.trim() }),
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!send.isPending)
          send.mutate({ params: { reservationId }, body }, { onSuccess: () => setNote('') })
      }}
    >
      <Stack gap="xs" align="flex-start">
        <NativeSelect
          label={t('reservations.told.label')}
          description={t('reservations.told.stays')}
          value={kind}
          onChange={(event) => {
            const chosen = kinds.find((one) => one === event.currentTarget.value)
            if (chosen) setKind(chosen)
          }}
          data={kinds.map((value) => ({ value, label: t(`reservations.told.kind.${value}`) }))}
        />
        {rooms.length > 1 && (
          <NativeSelect
            label={t('reservations.told.room')}
            value={room}
            onChange={(event) => setRoom(event.currentTarget.value)}
            data={[
              { value: '', label: t('reservations.told.allRooms') },
              ...rooms.map(({ roomReservationId, guest }) => ({
                value: roomReservationId,
                label: `${roomReservationId} ${guest.firstName} ${guest.lastName}`,
              })),
            ]}
          />
        )}
        {kind === 'no_show' && (
          <Checkbox
            label={t('reservations.told.waive')}
            checked={isWaived}
            onChange={(event) => setIsWaived(event.currentTarget.checked)}
          />
        )}
        {kind === 'stay_changed' && (
          <TextInput
            type="date"
            label={t('reservations.told.departure')}
            value={departure}
            onChange={(event) => setDeparture(event.currentTarget.value)}
          />
        )}
        <TextInput
          w="100%"
          label={t('reservations.told.note')}
          maxLength={charactersMax}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {send.error && <ErrorNote error={send.error} />}
        <Button type="submit" variant="default" loading={send.isPending}>
          {t('reservations.told.add')}
        </Button>
      </Stack>
    </form>
  )
}
