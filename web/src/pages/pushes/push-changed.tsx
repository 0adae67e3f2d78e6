import { Stack, Table, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { restrictionNames, restrictions } from '../../../../src/ari/restrictions.ts'
import type {
  ChangedMember,
  NightsOfPush,
  ChangedPart,
  PushChanges,
  PushListed,
} from '../../../../src/console-api/pushes/contract.ts'
import { type Column, DataTable, EmptyState } from '../../parts/lists/data-table.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { dateText, Time } from '../../parts/values/time.tsx'
import classes from './pushes.module.css'

export function PushChanged({ push, changes }: { push: PushListed; changes: PushChanges }) {
  const { t } = useTranslation()
  if (changes.kind === 'none')
    return <EmptyState title={t('pushes.changes.none')} hint={t('pushes.changes.noneHint')} />
  if (changes.kind === 'nights') return <Nights push={push} changes={changes} />
  if (changes.isUnchanged)
    return <EmptyState title={t('pushes.changes.same')} hint={t('pushes.changes.sameHint')} />
  return (
    <Stack gap="lg">
      {changes.parts.map((part) => (
        <Part key={part.part} part={part} />
      ))}
      {changes.moreParts > 0 && (
        <Text size="sm">{t('pushes.changes.moreParts', { count: changes.moreParts })}</Text>
      )}
    </Stack>
  )
}

function Nights({
  push: { cellsChanged: count },
  changes,
}: {
  push: PushListed
  changes: Extract<PushChanges, { kind: 'nights' }>
}) {
  const { t } = useTranslation()
  const { hotelId, nights, moreNights, cellsHeld } = changes
  const columns = useColumns(hotelId)
  return (
    <Stack gap="xs">
      {nights.length > 0 && (
        <Text size="sm">
          {cellsHeld < count
            ? t('pushes.changes.someHeld', { held: cellsHeld, count })
            : t('pushes.changes.allHeld', { count })}
        </Text>
      )}
      <DataTable
        caption={t('pushes.changes.caption')}
        columns={columns}
        rows={nights}
        rowKey={({ roomId, rateId, from }) => `${roomId} ${rateId ?? ''} ${from}`}
        empty={{
          title: t('pushes.changes.goneTitle'),
          hint: t('pushes.changes.goneHint', { count }),
        }}
      />
      {moreNights > 0 && <Text size="sm">{t('pushes.changes.more', { count: moreNights })}</Text>}
    </Stack>
  )
}

function useColumns(hotelId: number): Column<NightsOfPush>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'nights',
      header: t('pushes.changes.nights'),
      cell: (row) => <CalendarLink hotelId={hotelId} row={row} />,
    },
    { key: 'room', header: t('pushes.changes.room'), cell: ({ roomId }) => roomId },
    {
      key: 'rate',
      header: t('pushes.changes.rate'),
      cell: ({ rateId }) =>
        rateId ?? (
          <Text span size="sm" c="dimmed">
            {t('pushes.changes.roomItself')}
          </Text>
        ),
    },
    {
      key: 'fields',
      header: t('pushes.changes.fields'),
      cell: ({ fields }) => <Fields fields={fields} />,
    },
  ]
}

function CalendarLink({
  hotelId,
  row: { roomId, rateId, from, to },
}: {
  hotelId: number
  row: NightsOfPush
}) {
  const { t } = useTranslation()
  const nights =
    from === to ? dateText(from) : t('pushes.changes.range', { from: dateText(from), to: dateText(to) })
  const room = rateId === null ? roomId : `${roomId} ${rateId}`
  return (
    <LinkTo
      to="/hotels/$hotelId/calendar"
      params={{ hotelId: String(hotelId) }}
      search={{ from, room: roomId, rate: rateId ?? '', night: from }}
      fz="sm"
      aria-label={t('pushes.changes.toCalendar', { nights, room })}
    >
      {nights}
    </LinkTo>
  )
}

const fieldNames = ['inventory', 'unitPrice', 'cleared', 'adult', 'child', 'infant'] as const

/** Prices by party are called `adult 2`. */
function Fields({ fields }: { fields: readonly string[] }) {
  const { t } = useTranslation()
  const texts = fields.map((field) => {
    const [name, count] = field.split(' ')
    const restriction = restrictionNames.find((one) => one === name)
    if (restriction) return restrictions[restriction].label.toLowerCase()
    const known = fieldNames.find((one) => one === name)
    return known ? t(`pushes.changes.field.${known}`, { count: Number(count ?? 1) }) : field
  })
  return texts.join(', ')
}

function Part({ part: { part, comparedWith, members } }: { part: ChangedPart }) {
  const { t } = useTranslation()
  const name =
    part === 'taxes' ? t('pushes.changes.taxes') : part === 'webhook' ? t('pushes.changes.webhook') : part
  return (
    <section>
      <Title order={2}>{name}</Title>
      <Text size="sm" c="dimmed" component="div" mb="xs">
        {comparedWith === null ? (
          t('pushes.changes.first')
        ) : (
          <>
            {t('pushes.changes.comparedWith')}{' '}
            <LinkTo
              to="/pushes/$pushId"
              params={{ pushId: String(comparedWith.pushId) }}
              fz="sm"
              underline="always"
            >
              <Time at={comparedWith.at} />
            </LinkTo>
          </>
        )}
      </Text>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('pushes.changes.member')}</Table.Th>
              {comparedWith !== null && <Table.Th scope="col">{t('pushes.changes.before')}</Table.Th>}
              <Table.Th scope="col">{t('pushes.changes.after')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map((member) => (
              <Table.Tr key={member.member}>
                <Table.Td>
                  <code className={classes['value']}>{member.member}</code>
                </Table.Td>
                {comparedWith !== null && (
                  <Table.Td>
                    <Value of={member} side="before" />
                  </Table.Td>
                )}
                <Table.Td>
                  <Value of={member} side="after" />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  )
}

function Value({ of, side }: { of: ChangedMember; side: 'before' | 'after' }) {
  const { t } = useTranslation()
  if (!(side in of))
    return (
      <Text span size="sm" c="dimmed">
        {t('pushes.changes.absent')}
      </Text>
    )
  return <code className={classes['value']}>{JSON.stringify(of[side])}</code>
}
