import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ListedCheck, PriceCheckOutcome } from '../../../../src/price-check/contract.ts'
import { sumOf } from '../../parts/values/amounts.ts'
import { Money } from '../../parts/values/numbers.tsx'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import cells from '../deliveries/deliveries.module.css'
import { NoWrap } from '../deliveries/delivery-badge.tsx'

/** The appearance of price checks everywhere. */

const kindByOutcome: Readonly<Record<PriceCheckOutcome, StatusKind>> = {
  available: 'good',
  price_changed: 'warn',
  sold_out: 'warn',
  invalid_response: 'bad',
  timeout: 'bad',
  supplier_error: 'bad',
  circuit_open: 'bad',
  not_registered: 'idle',
}

export function isOutcome(text: string): text is PriceCheckOutcome {
  return Object.hasOwn(kindByOutcome, text)
}

export function OutcomeBadge({ outcome }: { outcome: PriceCheckOutcome }) {
  const { t } = useTranslation()
  return (
    <NoWrap>
      <StatusBadge kind={kindByOutcome[outcome]} label={t(`priceChecks.outcome.${outcome}`)} />
    </NoWrap>
  )
}

/** The difference of live and stored price in words, because a sign alone is easily missed. */
export function DifferenceText({
  difference,
  currency,
  percent,
}: {
  difference: string | null
  currency: string
  percent?: number | null
}) {
  const { t } = useTranslation()
  if (difference === null) return null
  if (isZero(difference))
    return (
      <Text span size="sm" c="dimmed">
        {t('priceChecks.inWords.same')}
      </Text>
    )
  const way = difference.startsWith('-') ? 'cheaper' : 'dearer'
  const amount = withoutSign(difference)
  const text =
    percent === undefined || percent === null
      ? t(`priceChecks.inWords.${way}`, { amount, currency })
      : t(`priceChecks.inWords.${way}Percent`, { amount, currency, percent })
  return (
    <Text size="sm" fw={500} component="span" className={cells['words']}>
      {text}
    </Text>
  )
}

/** What else than the price differs at the supplier, in words. */
export function useTermsWords(): (check: Pick<ListedCheck, 'termsDiffer'>) => string[] {
  const { t } = useTranslation()
  return ({ termsDiffer = [] }) =>
    termsDiffer.map((one) => {
      if (one.what === 'cancelPolicy')
        return t(`priceChecks.terms.${one.live === null ? 'penaltiesUnread' : 'penalties'}`)
      const { live, sold } = one
      return t('priceChecks.terms.mealPlan', { live, sold: sold ?? t('priceChecks.terms.noMealPlan') })
    })
}

export function TermsText({ check }: { check: Pick<ListedCheck, 'termsDiffer'> }) {
  const words = useTermsWords()(check)
  return words.map((text) => (
    <Text key={text} size="sm" fw={500} component="div" className={cells['words']}>
      {text}
    </Text>
  ))
}

type Side = { currency: string; amountAfterTax: string[] | null }

/** The total of all nights and rooms on one side. */
export function SumOfNights({
  side,
  roomCount,
  which,
}: {
  side: Side | null
  roomCount: number
  which: 'stored' | 'live'
}) {
  const { t } = useTranslation()
  if (side === null || side.amountAfterTax === null)
    return (
      <Text span size="sm" c="dimmed">
        {which === 'stored' ? t('priceChecks.noStored') : t('priceChecks.noLive')}
      </Text>
    )
  return <Money amount={sumOf(side.amountAfterTax, roomCount)} currency={side.currency} />
}

/** Every night of a check, stored and live price side by side. */
export function nightsOf({ checkin, stored, live }: Pick<ListedCheck, 'checkin' | 'stored' | 'live'>) {
  const count = Math.max(stored.amountAfterTax?.length ?? 0, live?.amountAfterTax.length ?? 0)
  const firstMs = Date.parse(`${checkin}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) => ({
    night: new Date(firstMs + index * dayMs).toISOString().slice(0, 10),
    stored: stored.amountAfterTax?.[index],
    live: live?.amountAfterTax[index],
  }))
}

const dayMs = 86_400_000

function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount)
}

function withoutSign(amount: string): string {
  return amount.replace(/^-/, '')
}
