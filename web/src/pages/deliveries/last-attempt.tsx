import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { DisplayedAttempt } from '../../../../src/console-api/deliveries/contract.ts'
import classes from './deliveries.module.css'
import { OutcomeText } from './delivery-badge.tsx'

const wordsMax = 300

/** What came of an attempt, in the words of the supplier's endpoint. */
export function LastAttempt({
  attempt: { attempt, outcome, httpStatus, answer },
}: {
  attempt: DisplayedAttempt
}) {
  const { t } = useTranslation()
  const words = (answer ?? '').trim()
  return (
    <div>
      <Text size="sm" component="div">
        {t('deliveries.timeline.attempt', { attempt })}:{' '}
        <OutcomeText outcome={outcome} httpStatus={httpStatus} />
      </Text>
      {words !== '' && (
        <blockquote className={classes['quote']}>
          {words.length > wordsMax ? `${words.slice(0, wordsMax)}…` : words}
        </blockquote>
      )}
    </div>
  )
}
