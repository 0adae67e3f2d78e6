import { useTranslation } from 'react-i18next'
import type { SupplierSummary } from '../../../../src/console/price-checks/contract.ts'
import { priceChecks } from '../../text/en/price-checks.ts'
import classes from './price-checks.module.css'

const isOutcome = (name: string): name is keyof typeof priceChecks.outcome =>
  Object.hasOwn(priceChecks.outcome, name)

/** Outcomes as a bar and in words, the most frequent first. */
export function Shares({ outcomes, checks }: Pick<SupplierSummary, 'outcomes' | 'checks'>) {
  const { t } = useTranslation()
  const shares = Object.entries(outcomes)
    .flatMap(([outcome, count]) => (isOutcome(outcome) ? [{ outcome, count }] : []))
    .sort((left, right) => right.count - left.count)
  return (
    <div className={classes['shares']}>
      <div className={classes['bar']} aria-hidden>
        {shares.map(({ outcome, count }) => (
          <span key={outcome} data-outcome={outcome} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {shares.map(({ outcome, count }) => (
          <li key={outcome}>
            <span className={classes['mark']} data-outcome={outcome} aria-hidden />
            {t(`priceChecks.outcome.${outcome}`)} {percentOf(count, checks)} %
          </li>
        ))}
      </ul>
    </div>
  )
}

/** With one decimal if it would otherwise be 0 or 100. */
function percentOf(count: number, all: number): string {
  const percent = (count / all) * 100
  return percent > 99 || percent < 1 ? String(Math.round(percent * 10) / 10) : String(Math.round(percent))
}
