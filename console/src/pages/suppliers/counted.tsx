import { useTranslation } from 'react-i18next'

/** A number that was counted up to a bound. */
export function Counted({ of: { count, isMore } }: { of: { count: number; isMore: boolean } }) {
  const { t } = useTranslation()
  const text = count.toLocaleString('en')
  return <span className="figures">{isMore ? t('suppliers.list.countedMore', { count: text }) : text}</span>
}
