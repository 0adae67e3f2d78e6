import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PushListed } from '../../../../src/console/pushes/contract.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import classes from './pushes.module.css'

const linesMax = 3
const typesMax = 3

/** Why a push was refused or only partly applied, in a few lines; each type links to all pushes with it. */
export function PushProblems({ problems }: { problems: NonNullable<PushListed['problems']> }) {
  const { t } = useTranslation()
  const { count, types, message } = problems
  return (
    <div className={classes['reason']}>
      {types.slice(0, typesMax).map((type) => (
        <LinkTo
          key={type}
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, problem: type })}
          fz="xs"
          ff="monospace"
          display="block"
          title={t('pushes.list.allWith', { type })}
        >
          {type}
        </LinkTo>
      ))}
      <Text size="xs" c="dimmed" lineClamp={linesMax} title={message}>
        {message}
      </Text>
      {count > 1 && (
        <Text size="xs" c="dimmed">
          {t('pushes.list.moreProblems', { count: count - 1 })}
        </Text>
      )}
    </div>
  )
}
