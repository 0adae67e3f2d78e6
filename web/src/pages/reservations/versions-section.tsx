import { Group, Stack, Table, Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { ShownVersion, VersionChange } from '../../../../src/console-api/bookings/contract.ts'
import { Money } from '../../parts/values/numbers.tsx'
import { Section } from '../../parts/page.tsx'
import { Time } from '../../parts/values/time.tsx'
import { reservations } from '../../text/en/reservations.ts'
import { ReservationStatus } from '../deliveries/delivery-badge.tsx'
import classes from './reservations.module.css'

/** The versions, newest first, each with its differences from the previous one. */
export function VersionsSection({
  versions,
  currency,
  zone,
}: {
  versions: readonly ShownVersion[]
  currency: string
  zone: string
}) {
  const { t } = useTranslation()
  return (
    <Section title={t('reservations.section.versions')}>
      <Stack gap="md">
        {versions.map((version, index) => (
          <article key={version.version} aria-label={t('reservations.version', { version: version.version })}>
            <Group gap="sm" mb={4}>
              <Text fw={600} size="sm">
                {t('reservations.version', { version: version.version })}
              </Text>
              <ReservationStatus status={version.status} />
              <Text size="sm" component="span">
                <Money amount={version.total.afterTax} currency={currency} />
              </Text>
              <Text size="sm" component="div" c="dimmed">
                <Time at={version.at} zone={zone} />
              </Text>
            </Group>
            {index === versions.length - 1 ? (
              <Text size="sm" c="dimmed">
                {t('reservations.changedNothing')}
              </Text>
            ) : (
              <Changes version={version} />
            )}
          </article>
        ))}
      </Stack>
    </Section>
  )
}

function Changes({ version: { version, changes, moreChanges } }: { version: ShownVersion }) {
  const { t } = useTranslation()
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('reservations.noVisibleChange')}
      </Text>
    )
  return (
    <div className={classes['numbers']}>
      <Table aria-label={t('reservations.version', { version })} withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('reservations.change.what')}</Table.Th>
            <Table.Th scope="col">{t('reservations.change.before')}</Table.Th>
            <Table.Th scope="col">{t('reservations.change.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((change) => (
            <Table.Tr key={change.path.join('/')}>
              <Table.Th scope="row" fw={400}>
                {nameOf(change, t)}
              </Table.Th>
              <Table.Td className={classes['was']}>{textOf(change.before, t)}</Table.Td>
              <Table.Td className={classes['is']}>{textOf(change.after, t)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {moreChanges > 0 && (
        <Text size="sm" c="dimmed">
          {t('reservations.moreChanges', { count: moreChanges })}
        </Text>
      )}
    </div>
  )
}

type PathName = keyof typeof reservations.path

function isPathName(name: string): name is PathName {
  return Object.hasOwn(reservations.path, name)
}

/** `Room 1, night 2027-04-22, after tax`; list positions count from one. */
function nameOf({ path }: VersionChange, t: TFunction): string {
  const words: string[] = []
  for (const step of path) {
    if (isPathName(step)) words.push(t(`reservations.path.${step}`))
    else {
      const last = words.pop() ?? ''
      words.push(`${last} ${/^\d+$/.test(step) ? Number(step) + 1 : step}`.trim())
    }
  }
  return words.join(', ')
}

/** Added and removed rooms and nights are listed with their values. */
function textOf(value: unknown, t: TFunction): string {
  if (value === undefined || value === null) return t('reservations.change.none')
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  return Object.values(value)
    .map((member) => textOf(member, t))
    .join(' · ')
}
