import type { Blocks } from '../blocks/block.ts'
import type { Stamp } from '../blocks/stamp.ts'
import type { ReadyPush } from '../judge/plan.ts'
import { PushJudge } from './judged-push.ts'
import type { LatePrices } from './late-prices.ts'
import type { OpenHolds } from './open-holds.ts'
import { PushGuard } from './push-guard.ts'

type Guarded = {
  stored: Blocks
  stamp: Stamp
  holds: OpenHolds
  late: LatePrices
}

/**
 * The guard of a push; undefined if its hotel has none. If a part of an atomic push is held or rejected, so is all
 * of it that can be: `probe` applies the push to copies to find that out.
 */
export async function guardPush(
  ready: ReadyPush,
  { stored, stamp, holds, late }: Guarded,
  probe: (probing: { stamp: Stamp; guard: PushGuard }) => Promise<unknown>,
): Promise<PushGuard | undefined> {
  const { body, catalog, plan } = ready
  const { guard } = catalog
  if (!guard) return undefined
  const { today = 0 } = plan
  const judge = new PushJudge({ guard, catalog, stored, stamp, today, late }, plan.items)
  if (body.atomic === true) {
    const { revision, sequence, keyId, currencyRevision } = stamp
    const trial = new PushGuard(judge, ready, holds, { isTrial: true })
    await probe({ stamp: { revision, sequence, keyId, currencyRevision }, guard: trial })
    judge.whole = trial.strongest
  }
  return new PushGuard(judge, ready, holds, { isTrial: body.dryRun === true })
}
