import { useTranslation } from 'react-i18next'
import { sumOf } from './amounts.ts'

/** An amount as the service sends it: a decimal string with the currency's digits, never used for arithmetic here. */
export function Money({ amount, currency }: { amount: string; currency: string }) {
  const [whole = '', digits] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202f')
  return (
    <span className="figures" style={{ whiteSpace: 'nowrap' }}>
      {digits === undefined ? grouped : `${grouped}.${digits}`}
      {'\u00a0'}
      <span style={{ color: 'var(--mantine-color-dimmed)', fontSize: '0.9em' }}>{currency}</span>
    </span>
  )
}

/** The sum of amounts in each currency, in the order of the currencies. */
export function MoneyTotals({ of }: { of: readonly { amount: string; currency: string }[] }) {
  const amounts = Map.groupBy(of, ({ currency }) => currency)
  return [...amounts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, all]) => (
      <div key={currency}>
        <Money amount={sumOf(all.map(({ amount }) => amount))} currency={currency} />
      </div>
    ))
}

export function Count({ n }: { n: number }) {
  return <span className="figures">{n.toLocaleString('en')}</span>
}

const kb = 1024
const mb = kb * kb

export function Bytes({ n }: { n: number }) {
  const { t } = useTranslation()
  const text =
    n < kb
      ? t('pushes.bytes.b', { n })
      : n < mb
        ? t('pushes.bytes.kb', { n: Math.round(n / kb) })
        : t('pushes.bytes.mb', { n: (n / mb).toFixed(1) })
  return <span className="figures">{text}</span>
}

/** A count with a limit. */
export function CountText({ of: { count, isMore } }: { of: { count: number; isMore: boolean } }) {
  const { t } = useTranslation()
  const text = count.toLocaleString('en')
  return <span className="figures">{isMore ? t('suppliers.list.countedMore', { count: text }) : text}</span>
}
