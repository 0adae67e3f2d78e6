import { useTranslation } from 'react-i18next'

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
