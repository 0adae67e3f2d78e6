import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WorkItem, WorkView } from '../../../../src/console-api/work-queue/contract.ts'
import { useApi } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { type CsvColumn, ExportRows } from '../../parts/lists/export-csv.tsx'
import { useFilter, ViewLinks } from '../../parts/lists/filters.tsx'
import classes from './work.module.css'
import { useWhat, WorkLine } from './work-line.tsx'

const workViews = ['open', 'snoozed', 'done'] as const satisfies readonly WorkView[]
const everyMs = 15_000
const shownAtFirst = 12

/** What somebody should do something about, and who has it. */
export function WorkQueue() {
  const { t } = useTranslation()
  const [chosen] = useFilter('work')
  const view = workViews.find((one) => one === chosen) ?? 'open'
  const { data, error, refetch, isPlaceholderData } = useApi(
    'listWork',
    { query: { view } },
    { everyMs, keepPrevious: true },
  )
  const [isWhole, setWhole] = useState(false)
  const csv = useWorkCsv()
  // Until the items of another view are there, those of the former one must not seem to be its own.
  const items = isPlaceholderData ? [] : (data?.items ?? [])
  const shown = isWhole ? items : items.slice(0, shownAtFirst)
  return (
    <section className={classes['queue']} aria-labelledby="work">
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={2} id="work">
          {t('work.title')}
        </Title>
        {data && (
          <Group gap="xs" align="flex-start">
            <ViewLinks
              name="work"
              label={t('work.view')}
              views={workViews.map((value) => ({
                value,
                label: t(`work.views.${value}`, { count: data.counts[value] }),
              }))}
              current={view}
            />
            <ExportRows rows={items} columns={csv} file="to-do" />
          </Group>
        )}
      </Group>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && !isPlaceholderData && items.length === 0 && <Empty view={view} />}
      {shown.length > 0 && (
        <ul className={classes['lines']}>
          {shown.map((item) => (
            <WorkLine key={item.key} item={item} view={view} />
          ))}
        </ul>
      )}
      {items.length > shown.length && (
        <Button variant="default" mt="xs" onClick={() => setWhole(true)}>
          {t('work.showAll', { count: items.length })}
        </Button>
      )}
      {data?.isMore === true && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('work.isMore')}
        </Text>
      )}
    </section>
  )
}

function useWorkCsv(): CsvColumn<WorkItem>[] {
  const { t } = useTranslation()
  return [
    [t('work.csv.what'), useWhat()],
    [t('work.csv.severity'), ({ severity }) => t(`work.severity.${severity}`)],
    [t('work.csv.supplier'), ({ supplier }) => supplier],
    [t('work.csv.hotel'), ({ hotelName }) => hotelName ?? ''],
    [t('work.csv.count'), ({ count }) => count],
    [t('work.csv.since'), ({ since }) => since],
    [t('work.csv.takenBy'), ({ takenBy }) => takenBy ?? ''],
    [t('work.note'), ({ note }) => note?.text ?? ''],
    [t('work.csv.snoozedUntil'), ({ snoozedUntil }) => snoozedUntil ?? ''],
    [t('work.csv.doneAt'), ({ doneAt }) => doneAt ?? ''],
    [t('work.csv.doneBy'), ({ doneBy }) => doneBy ?? ''],
  ]
}

function Empty({ view }: { view: WorkView }) {
  const { t } = useTranslation()
  return (
    <Text size="sm" c="dimmed">
      {t(`work.empty.${view}`)}
    </Text>
  )
}
