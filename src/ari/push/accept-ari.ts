import { currentSpan, inSpan } from '../../base/tracing.ts'
import { Rejected, reportedValue, type Problem } from '../../http/rejected.ts'
import type { Caller } from '../../http/calls/call.ts'
import type { Answer, ItemsCall } from '../../http/calls/mount.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { warn } from '../../http/calls/warnings.ts'
import type { CatalogNeeds } from '../catalog/catalog.ts'
import type { Committer } from '../commit/commit.ts'
import type { ariRoutes } from '../contract.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { planProblems } from '../impact/plan-id.ts'
import { planPush, tooManyCells, type Plan } from '../judge/plan.ts'
import { pricesSent } from '../judge/plan-item.ts'
import {
  isSent,
  itemProblems,
  readablePush,
  type ItemProblems,
  type ReadablePush,
} from '../judge/readable.ts'

/** What changing stored ARI takes. */
export type AriNeeds = CatalogNeeds & { committer: Pick<Committer, 'submit'> }

/** A push of ARI as sent, with the problems that schema validation found. */
type SentAri = Pick<ItemsCall<typeof ariRoutes.pushAri>, 'push' | 'body' | 'problems' | 'judgementByItem'>

/** Judges each item on its own, then applies the push in a group with other pushes. */
export function acceptAri(needs: AriNeeds, sent: SentAri): Promise<Answer> {
  const { requestId, caller } = sent.push
  return inSpan('push.ari', { 'ari.request_id': requestId, 'ari.supplier': caller.supplier }, () =>
    judgeAndSubmit(needs, sent),
  )
}

async function judgeAndSubmit(
  needs: AriNeeds,
  { push, body: sent, problems, judgementByItem }: SentAri,
): Promise<Answer> {
  const { caller } = push
  const problemsByItem = new Map(
    [...(judgementByItem ?? [])].map(([index, judgement]) => [index, itemProblems(judgement)]),
  )
  const body = readablePush(sent, problems, judgementByItem)
  const { hotelId } = body
  const catalog =
    hotelId === undefined
      ? undefined
      : await needs.catalogs.of({ supplierId: caller.supplierId, hotelCode: hotelId })
  const plan = planPush(body, problemsByItem, catalog, needs.clock.now())
  currentSpan()?.setAttributes({
    ...(catalog && { 'ari.hotel': catalog.hotelCode }),
    'ari.items': body.ari.length,
    'ari.cells': plan.cells,
  })
  const { ariCellsMax } = caller.limits
  const whole = [
    ...problems,
    ...tooManyItems(sent, caller),
    ...modelMissing(body, problems, problemsByItem),
    ...(plan.cells > ariCellsMax ? [tooManyCells(plan.cells, ariCellsMax)] : []),
    ...(catalog ? planProblems(body, catalog) : []),
  ]
  if (hotelId !== undefined && !catalog) throw refused([hotelNotFound(hotelId), ...whole], plan, 404)
  if (whole.length > 0 || !catalog) throw refused(whole, plan, 400)
  if (body.ari.length === 0) warn(push.warnings, () => noItems)
  return needs.committer.submit({ push, body, problemsByItem, catalog, plan })
}

/** An empty `getAri` answer can be posted back, but an empty push is almost always a mistake. */
const noItems: Problem = {
  type: 'NOTHING_SENT',
  message: 'Nothing was changed: ari is empty',
  path: '/ari',
  hint: 'Send at least one item',
}

export const itemsMaxOf = ({ limits }: Caller): number => limits.ariItemsMax

/**
 * `status` applies when the first problem is the only one. With several problems, at least one is something
 * other than an unknown id.
 */
function refused(whole: readonly Problem[], { refused: others, items }: Plan, status: 400 | 404): Rejected {
  const [first, ...rest] = [...whole, ...others, ...items.flatMap(({ problems }) => problems)]
  if (!first) throw new Error('a push was refused without a reason')
  const unlisted = items.reduce((sum, item) => sum + item.unlisted, 0)
  return new Rejected(rest.length > 0 ? 400 : status, [first, ...rest], { unlisted })
}

function tooManyItems(body: unknown, caller: Caller): Problem[] {
  const items = isRecord(body) ? body['ari'] : undefined
  const most = itemsMaxOf(caller)
  if (!Array.isArray(items) || items.length <= most) return []
  const message = `ari must have at most ${most} elements`
  const hint = 'Split the push; see GET /v1/push/limits'
  return [{ type: 'TOO_MANY_ITEMS', message, path: '/ari', value: reportedValue(items), hint }]
}

/** Without a pricing model no price can be read, whichever item contains it: the whole push is refused. */
function modelMissing(
  body: ReadablePush,
  problems: readonly Problem[],
  problemsByItem: ReadonlyMap<number, ItemProblems>,
): Problem[] {
  if (body.pricingModel !== undefined || problems.some(({ path }) => path === '/pricingModel')) return []
  const priced = body.ari.some((item, index) => {
    const location = { path: `/ari/${index}`, unreadable: problemsByItem.get(index)?.paths, flat: item }
    if (!item || isSent(item, 'pricingModel', location)) return false
    if (pricesSent(item, location).length > 0) return true
    return (item.rates ?? []).some((line, rate) => {
      const lineLocation = { ...location, path: `${location.path}/rates/${rate}`, flat: undefined }
      return line && !isSent(line, 'pricingModel', lineLocation) && pricesSent(line, lineLocation).length > 0
    })
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
