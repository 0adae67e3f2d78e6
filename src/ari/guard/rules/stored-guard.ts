import type { StoredSettings } from './guard-store.ts'
import type { RuleBody } from '../contract.ts'
import { isLapsed } from '../../../hotels/former-amounts.ts'
import { guardOf, isOff, type Guard, type GuardSettings } from './rules.ts'

/**
 * The settings that apply to a hotel, whether anything of it is held, and whether its currency has changed since: a column of its catalog, so that pushes to
 * hotels without a guard pay nothing. null if there are no settings and no open hold.
 */
export function storedGuardColumn(hotelId: string): string {
  return `(select case when own.settings is not null or open_hold.is_any
      then json_build_array(own.settings, open_hold.is_any, coalesce(own.is_lapsed, false)) end
    from (select exists (select from hold where hold.hotel_id = ${hotelId} and state = 'open') as is_any) as open_hold
    left join lateral (
      select settings, ${isLapsed('guard', 'guarded')} as is_lapsed
      from guard join hotel as guarded on guarded.id = ${hotelId} and guarded.supplier_id = guard.supplier_id
      where guard.hotel_id is null or guard.hotel_id = ${hotelId}
      order by guard.hotel_id nulls last limit 1
    ) as own on true)`
}

export const defaultSettings: GuardSettings = {
  rules: [],
  learned: false,
  expiryHours: 72,
  onExpiry: 'discard',
}

/** The settings of a body; what is absent has its default. */
export function settingsOf(sent: Partial<GuardSettings>): GuardSettings {
  const { rules, learned, expiryHours, onExpiry } = { ...defaultSettings, ...sent }
  return { rules: rules.map(knownMembers), learned, expiryHours, onExpiry }
}

/** Unknown members have warnings of their own, and any name, such as one that the database can't store. */
function knownMembers({ kind, percent, amount, currency, units, nights, action }: RuleBody): RuleBody {
  const given = Object.entries({ percent, amount, currency, units, nights })
  return { kind, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)), action }
}

/** The indexes of the rules that hotels which changed their currency since don't follow: amounts without a currency. */
export function lapsedRules({ settings, lapsed }: StoredSettings): number[] {
  if (lapsed.hotels === 0) return []
  return settings.rules.flatMap(({ amount, currency }, index) =>
    amount !== undefined && currency === undefined ? [index] : [],
  )
}

/** The settings in an answer. */
export function shownSettings(stored: StoredSettings | undefined) {
  const { source, settings } = stored ?? { source: 'none' as const, settings: defaultSettings }
  // As jsonb, the members are in an order of their own.
  const { rules, learned, expiryHours, onExpiry } = settings
  return { source, rules: [...rules], learned, expiryHours, onExpiry }
}

/** Interprets the column. Rules that are off matter while something is held: newer pushes replace it. */
export function readGuard(
  stored: unknown,
  hotel: { currency: string; minorDigits: number },
): Guard | undefined {
  if (!Array.isArray(stored)) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: storedGuardColumn made it.
  const [settings, isAnyHeld, hasLapsed] = stored as [GuardSettings | null, boolean, boolean]
  if ((!settings || isOff(settings)) && !isAnyHeld) return undefined
  return guardOf(settings ?? defaultSettings, { ...hotel, hasLapsed })
}
