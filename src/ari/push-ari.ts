import type { Needs } from '../platform/needs.ts'
import { Rejected, rejectIfAny, shown, type Problem } from '../platform/rejected.ts'
import { onItems, type Caller } from '../platform/mount.ts'
import { isRecord, type Judgement } from '../platform/validate.ts'
import type { Catalogs } from './catalog.ts'
import type { Committer } from './commit.ts'
import { ariRoutes, type PushAriBody } from './contract.ts'
import { planPush, tooManyCells, type ItemProblems } from './plan.ts'
import { sendsPrice } from './plan-prices.ts'

export type AriNeeds = Needs & { catalogs: Catalogs; committer: Committer }

/** POST /push/ari: judges every item on its own, then applies the push in a group with others. */
export const pushAri = (needs: AriNeeds) =>
  onItems(ariRoutes.pushAri, 'ari', itemsMaxOf, async ({ body, problems, judgementByItem, caller, push }) => {
    const byItem = new Map([...judgementByItem].map(([index, judgement]) => [index, sortedByRate(judgement)]))
    const whole = [...problems, ...tooManyItems(body, caller)]
    rejectIfAny(whole.length > 0 ? [...whole, ...[...byItem.values()].flatMap(flat)] : [])
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: every place that has not this shape is named in byItem, and read nowhere else.
    const read = body as PushAriBody
    rejectIfAny(modelMissing(read, byItem))
    const catalog = await needs.catalogs.of(caller.supplierId, read.hotelId)
    if (!catalog) throw hotelNotFound(read.hotelId)
    const plan = planPush(read, byItem, catalog, needs.clock.now())
    const { ariCellsMax } = caller.limits
    if (plan.cells > ariCellsMax) throw new Rejected(400, tooManyCells(plan.cells, ariCellsMax))
    return needs.committer.submit({ push, body: read, shapeProblems: byItem, catalog, plan })
  })

const itemsMaxOf = ({ limits }: Caller): number => limits.ariItemsMax

const ratePath = /^\/ari\/\d+\/rates\/(\d+)(?=\/|$)/

/** An item's problems, those of one rate line apart. Where not all were looked for, the whole item is meant. */
function sortedByRate({ problems, isCoarse }: Judgement): ItemProblems {
  const sorted: ItemProblems = { item: [], byRate: new Map() }
  for (const problem of problems) {
    const rate = isCoarse ? undefined : ratePath.exec(problem.path ?? '')?.[1]
    const ofRate = rate === undefined ? sorted.item : sorted.byRate.get(Number(rate))
    if (ofRate) ofRate.push(problem)
    else sorted.byRate.set(Number(rate), [problem])
  }
  return sorted
}

function flat({ item, byRate }: ItemProblems): Problem[] {
  return [...item, ...[...byRate.values()].flat()]
}

function tooManyItems(body: unknown, caller: Caller): Problem[] {
  const items = isRecord(body) ? body['ari'] : undefined
  const most = itemsMaxOf(caller)
  if (!Array.isArray(items) || items.length <= most) return []
  const message = `ari must have at most ${most} elements`
  const hint = 'Split the push; see GET /v1/push/limits'
  return [{ type: 'TOO_MANY_ITEMS', message, path: '/ari', value: shown(items), hint }]
}

/** A price without a model can't be read, whatever item it stands in: the whole push is refused. */
function modelMissing(body: PushAriBody, byItem: ReadonlyMap<number, ItemProblems>): Problem[] {
  if (body.pricingModel !== undefined) return []
  const priced = body.ari.some((item, index) => {
    const wrong = byItem.get(index)
    if (wrong && wrong.item.length > 0) return false
    if (item.pricingModel !== undefined) return false
    if (sendsPrice(item)) return true
    return (item.rates ?? []).some(
      (line, rate) => !wrong?.byRate.has(rate) && line.pricingModel === undefined && sendsPrice(line),
    )
  })
  if (!priced) return []
  return [
    {
      type: 'PRICING_MODEL_REQUIRED',
      message: 'pricingModel is required when a price is sent',
      path: '/pricingModel',
      hint: 'Send unit (a price for the room) or guest (a price by number of guests)',
    },
  ]
}

export function hotelNotFound(hotelId: string): Rejected {
  return new Rejected(404, {
    type: 'HOTEL_NOT_FOUND',
    message: 'Hotel ID is not found',
    path: '/hotelId',
    value: hotelId,
    hint: 'Push the hotel with POST /push/hotels first',
  })
}
