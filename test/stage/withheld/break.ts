/** Deliberate breaks of the guard, preloaded into the proof of what it withholds. ARI_PROOF_BREAK names which. */
import { replaceSource, type Replacement } from '../replace-source.ts'

const breaks: Readonly<Record<string, readonly Replacement[]>> = {
  clearedFirst: [
    {
      file: 'src/ari/commit/apply-row.ts',
      from: 'const whole = leftWhole(target, mask)',
      to: `if (row.pricingModel === 'guest') block.set(fieldNumber.unitPrice, mask, unset, stamp)
        const whole = leftWhole(target, mask)`,
    },
  ],
  sequenceKept: [
    {
      file: 'src/ari/commit/apply-row.ts',
      from: 'const applied = allowed & ~withheld',
      to: `for (let night = 0; night < 31; night++)
          if ((withheld >>> night) & 1) block.set(field, 1 << night, block.values(field)?.[night] ?? unset, stamp)
        const applied = allowed & ~withheld`,
    },
  ],
  itemsApart: [
    {
      file: 'src/ari/guard/judged-push.ts',
      from: 'if (rows.length < 2) return own',
      to: 'if (rows) return own',
    },
  ],
  laterItemReplaces: [
    { file: 'src/ari/guard/push-guard.ts', from: 'ofPush: replacedByChange(row),', to: '' },
  ],
  infantsFreed: [
    {
      file: 'src/ari/guard/rules/rules.ts',
      from: 'return after !== unset || (isInfantPriceField(field) && before > 0)',
      to: 'return after !== unset',
    },
  ],
  adultsAlone: [
    {
      file: 'src/ari/guard/compared-prices.ts',
      from: 'isAnyPaid ? dearestParty(lines, places) : unset',
      to: 'unset',
    },
  ],
  olderEndsNewer: [
    {
      file: 'src/ari/guard/open-holds.ts',
      from: 'if (sequence === undefined) return',
      to: 'if (sequence === undefined || sequence > 0) return',
    },
    { file: 'src/ari/guard/open-holds.ts', from: 'if (!isNewer) this', to: 'this' },
  ],
}

const wanted = breaks[process.env['ARI_PROOF_BREAK'] ?? '']
if (!wanted) throw new Error('ARI_PROOF_BREAK names no break')
replaceSource(wanted)
