import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PushReason as Reason } from '../../../../src/console/push-contract.ts'
import classes from './pushes.module.css'

const linesMax = 3

/** Why a push was refused or applied in part, in a few lines of a list. */
export function PushReason({ reason: { type, message, more } }: { reason: Reason }) {
  const { t } = useTranslation()
  return (
    <div className={classes['reason']}>
      <Text size="xs" ff="monospace">
        {type}
      </Text>
      <Text size="xs" c="dimmed" lineClamp={linesMax} title={message}>
        {message}
      </Text>
      {more !== 0 && (
        <Text size="xs" c="dimmed">
          {more === null ? t('pushes.list.moreUncounted') : t('pushes.list.moreProblems', { count: more })}
        </Text>
      )}
    </div>
  )
}
