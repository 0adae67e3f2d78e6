/** How a delivery stands, in the words that are shown: a `DeliveryState`. */
export const stateOf = (delivery: string): string => `case
  when ${delivery}.status = 'queued' and ${delivery}.endpoint = 0 then 'no_url'
  when ${delivery}.status in ('queued', 'sending') and ${delivery}.first_failed_at is not null then 'failing'
  else ${delivery}.status end`
