import { useTranslation } from 'react-i18next'

/** A count with a limit. */
export function CountText({ of: { count, isMore } }: { of: { count: number; isMore: boolean } }) {
  const { t } = useTranslation()
  const text = count.toLocaleString('en')
  return <span className="figures">{isMore ? t('suppliers.list.countedMore', { count: text }) : text}</span>
}
