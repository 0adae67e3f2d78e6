import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WholeReservation } from '../../../../src/console/bookings/contract.ts'
import { useChange } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Can } from '../../parts/session.tsx'
import { Time } from '../../parts/time.tsx'
import classes from './reservations.module.css'
import { Section } from './section.tsx'

const charactersMax = 500

/** Notes that operators leave each other on the reservation. */
export function NotesSection({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { notes, reservationId, timeZone } = reservation
  return (
    <Section title={t('reservations.section.notes')}>
      <Stack gap="sm">
        <Can role="operator">
          <AddNote key={reservationId} reservationId={reservationId} />
        </Can>
        {notes.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('reservations.note.none')}
          </Text>
        )}
        {notes.map(({ at, operator, text }, index) => (
          <div key={`${at} ${index}`} className={classes['note']}>
            <Text size="sm">{text}</Text>
            <Text size="xs" c="dimmed" component="div">
              {t('reservations.note.by', { name: operator })} <Time at={at} zone={timeZone} />
            </Text>
          </div>
        ))}
      </Stack>
    </Section>
  )
}

function AddNote({ reservationId }: { reservationId: number }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const add = useChange('addReservationNote', {
    invalidates: ['showReservation', 'searchReservations', 'searchDeliveries'],
  })
  const trimmed = text.trim()
  const isReady = trimmed !== '' && !add.isPending
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady)
          add.mutate({ params: { reservationId }, body: { text: trimmed } }, { onSuccess: () => setText('') })
      }}
    >
      <Stack gap="xs" align="flex-start">
        <TextInput
          w="100%"
          label={t('reservations.note.label')}
          description={t('reservations.note.stays')}
          placeholder={t('reservations.note.placeholder')}
          maxLength={charactersMax}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {add.error && <ErrorNote error={add.error} />}
        <Button type="submit" variant="default" loading={add.isPending} disabled={!isReady}>
          {t('reservations.note.add')}
        </Button>
      </Stack>
    </form>
  )
}
