import { Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PushItem, PushListed, PushProblem } from '../../../../src/console-api/pushes/contract.ts'
import { useApi } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { EmptyState } from '../../parts/lists/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useFilter, useSetFilters } from '../../parts/lists/filters.tsx'
import { useSought } from '../../parts/sought.ts'
import { GuideTo } from './guide-to.tsx'
import { ItemBadge } from './outcome-badge.tsx'
import classes from './pushes.module.css'

const perPage = 50

/** The items of the push, each with its result. */
export function PushItems({ push: { pushId } }: { push: PushListed }) {
  const { t } = useTranslation()
  const [at] = useFilter('at')
  const [show, setShow] = useFilter('show')
  const [from] = useFilter('from')
  const setFilters = useSetFilters()
  const only = show === 'failed' ? 'failed' : undefined
  const { data, error, refetch } = useApi(
    'listPushItems',
    { params: { pushId }, query: { only, from, at, limit: String(perPage) } },
    { keepPrevious: true },
  )
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={160} />
  const goTo = (index: number): void => setFilters({ from: index <= 0 ? '' : String(index), at: '' })
  return (
    <>
      <Group gap="sm" align="flex-end" mb="sm">
        <NativeSelect
          label={t('pushes.item.show')}
          value={show}
          onChange={(event) => {
            setShow(event.currentTarget.value)
            goTo(0)
          }}
          data={[
            { value: '', label: t('pushes.item.all') },
            { value: 'failed', label: t('pushes.item.failed') },
          ]}
        />
        {data.matching > perPage && (
          <>
            <Text size="sm" role="status">
              {t('pushes.item.range', {
                from: data.from + 1,
                to: data.from + data.items.length,
                count: data.matching,
              })}
            </Text>
            <Button variant="default" disabled={data.from === 0} onClick={() => goTo(data.from - perPage)}>
              {t('pushes.item.earlier')}
            </Button>
            <Button
              variant="default"
              disabled={data.nextFrom === null}
              onClick={() => goTo(data.nextFrom ?? 0)}
            >
              {t('pushes.item.later')}
            </Button>
          </>
        )}
      </Group>
      {data.items.length === 0 && <NoItems isFiltered={only !== undefined && data.total > 0} />}
      <ol className={classes['items']}>
        {data.items.map((item) => (
          <Item key={item.pointer} item={item} isSought={isIn(at, item.pointer)} />
        ))}
      </ol>
    </>
  )
}

function NoItems({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation()
  return isFiltered ? (
    <EmptyState title={t('pushes.item.noneFailed')} hint={t('pushes.item.noneFailedHint')} />
  ) : (
    <EmptyState title={t('pushes.item.none')} hint={t('pushes.item.noneHint')} />
  )
}

function isIn(path: string, pointer: string): boolean {
  return path !== '' && (path === pointer || path.startsWith(`${pointer}/`))
}

function Item({ item, isSought }: { item: PushItem; isSought: boolean }) {
  const { t } = useTranslation()
  const place = useSought<HTMLLIElement>(isSought)
  const { pointer, status, cellsChanged, errors, warnings, isCut } = item
  return (
    <li ref={place} className={classes['item']} tabIndex={-1} data-sought={isSought || undefined}>
      <Sent item={item} />
      <div>
        <Group gap="xs" mb={4}>
          <Code>{pointer === '' ? t('pushes.item.whole') : pointer}</Code>
          <ItemBadge status={status} />
          {cellsChanged !== undefined && (
            <Text size="xs" c="dimmed">
              {t('pushes.item.cells', { count: cellsChanged })}
            </Text>
          )}
        </Group>
        {[
          ...errors.map((problem) => [problem, true] as const),
          ...warnings.map((problem) => [problem, false] as const),
        ].map(([problem, isError], index) => (
          <Problem key={index} problem={problem} isError={isError} />
        ))}
        {isCut && (
          <Text size="xs" c="dimmed">
            {t('pushes.item.cut')}
          </Text>
        )}
      </div>
    </li>
  )
}

function Problem({
  problem: { type, message, path, hint },
  isError,
}: {
  problem: PushProblem
  isError: boolean
}) {
  const { t } = useTranslation()
  return (
    <div className={classes['problem']} data-error={isError}>
      <Text size="sm">
        <strong>{t(isError ? 'pushes.item.error' : 'pushes.item.warning')}:</strong> {message}
      </Text>
      {path !== undefined && <Code>{path}</Code>}
      {hint !== undefined && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
      {isError && (
        <Text size="xs" component="div">
          <GuideTo type={type} />
        </Text>
      )}
    </div>
  )
}

/** The JSON as received, with the lines of problems marked. */
function Sent({ item: { pointer, text, errors, warnings } }: { item: PushItem }) {
  const { t } = useTranslation()
  const lines = text.split('\n')
  const pointers = [...errors, ...warnings].flatMap(({ path }) =>
    path === undefined || !path.startsWith(pointer) ? [] : [path.slice(pointer.length)],
  )
  const marked = linesOf(lines, pointers)
  return (
    <pre
      className={classes['sent']}
      tabIndex={0}
      role="region"
      aria-label={t('pushes.item.sent', { pointer: pointer === '' ? t('pushes.item.whole') : pointer })}
    >
      {lines.map((line, index) =>
        marked.has(index) ? (
          <mark key={index} className={classes['marked']}>
            {line}
            {'\n'}
          </mark>
        ) : (
          `${line}\n`
        ),
      )}
    </pre>
  )
}

/** Line numbers of values in JSON as the service formats items: one member per line, indented by two spaces per level. */

/** The line numbers (from 0) that the pointers lead to; 0 for missing values. */
function linesOf(lines: readonly string[], pointers: readonly string[]): ReadonlySet<number> {
  const lineByPointer = new Map<string, number>()
  const path: string[] = []
  const counted: number[] = []
  for (const [index, line] of lines.entries()) {
    const text = line.trimStart()
    const depth = (line.length - text.length) / 2
    if (depth === 0 || /^[}\]]/.test(text)) continue
    path.length = depth - 1
    counted.length = depth
    const name = memberOf(text)
    counted[depth - 1] = (counted[depth - 1] ?? -1) + 1
    path.push(name ?? String(counted[depth - 1]))
    lineByPointer.set(`/${path.join('/')}`, index)
  }
  return new Set(pointers.map((pointer) => nearest(lineByPointer, pointer)))
}

function memberOf(line: string): string | undefined {
  const member = /^("(?:[^"\\]|\\.)*"): /.exec(line)
  if (!member) return undefined
  const name: unknown = JSON.parse(member[1] ?? '""')
  // Escaped as in a JSON Pointer.
  return typeof name === 'string' ? name.replaceAll('~', '~0').replaceAll('/', '~1') : undefined
}

/** A missing member has no line; this returns its parent's. */
function nearest(lineByPointer: ReadonlyMap<string, number>, pointer: string): number {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const line = lineByPointer.get(at)
    if (line !== undefined) return line
  }
  return 0
}
