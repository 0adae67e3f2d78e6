import { Button } from '@mantine/core'
import { ArrowUp } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PushListed } from '../../../../src/console-api/pushes/contract.ts'
import { type Pages, type ReadInput, useApi } from '../../api.ts'

type PushQuery = NonNullable<ReadInput<'listPushes'>['query']>

const newEveryMs = 10_000
const newCountedMax = 100

/** How many pushes have come since the list was read; the list itself never moves under somebody who reads it. */
export function NewPushes({ query, shown }: { query: PushQuery; shown: Pages<PushListed> }) {
  const { t } = useTranslation()
  const newest = shown.rows[0]?.pushId ?? 0
  const isOpenEnded = query.until === undefined || query.until === ''
  const { data } = useApi(
    'listPushes',
    { query: { ...query, limit: String(newCountedMax) } },
    { enabled: isOpenEnded && !shown.isPending, everyMs: newEveryMs },
  )
  const count = data?.pushes.filter(({ pushId }) => pushId > newest).length ?? 0
  const text =
    count === newCountedMax ? t('pushes.list.newMany', { count }) : t('pushes.list.newShow', { count })
  return (
    <div role="status">
      {count > 0 && isOpenEnded && (
        <Button
          variant="light"
          mb="xs"
          leftSection={<ArrowUp size={14} aria-hidden />}
          onClick={() => {
            shown.again()
            window.scrollTo({ top: 0 })
          }}
        >
          {text}
        </Button>
      )}
    </div>
  )
}
