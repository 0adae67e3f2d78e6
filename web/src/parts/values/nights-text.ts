import { useTranslation } from 'react-i18next'
import type { NightsOfRow } from '../../../../src/console-api/stop-sells/contract.ts'

type Told = {
  /** Of the row that has most. */
  count: number
  nights: string
}

/** `28 nights in 4 rooms`: each night once, in as many rooms and rates as have it; of one alone, `28 nights`. */
export function useNights(): (rows: readonly NightsOfRow[]) => Told {
  const { t } = useTranslation()
  return (rows) => {
    const counted = rows.filter(({ nights }) => nights > 0)
    const count = Math.max(0, ...counted.map(({ nights }) => nights))
    const nights = t('parts.nights', { count })
    if (counted.length < 2) return { count, nights }
    const rates = counted.filter(({ isRate }) => isRate).length
    const rooms = counted.length - rates
    const where = [
      ...(rooms > 0 ? [t('parts.rooms', { count: rooms })] : []),
      ...(rates > 0 ? [t('parts.rates', { count: rates })] : []),
    ].join(t('parts.and'))
    const isSame = counted.every((row) => row.nights === count)
    return { count, nights: t(isSame ? 'parts.nightsIn' : 'parts.nightsUpTo', { nights, where }) }
  }
}
