/** Deliberate breaks of history, preloaded into its proof: the source of one file is changed. ARI_PROOF_BREAK names which. */
import { replaceSource, type Replacement } from '../replace-source.ts'

const breaks: Readonly<Record<string, Replacement>> = {
  lastNoteWins: {
    file: 'src/ari/blocks/before-values.ts',
    from: '(first.mask & night) === 0 ?',
    to: '(later.mask & night) !== 0 ?',
  },
  bookingsWithout: {
    file: 'src/bookings/store.ts',
    from: 'lowered?.before ?? null',
    to: 'null',
  },
  formerCurrencyCounts: {
    file: 'src/ari/blocks/block.ts',
    from: 'stale ? unset : (values[night] ?? unset)',
    to: 'values[night] ?? unset',
  },
  brokenChain: {
    file: 'src/ari/commit/apply.ts',
    from: 'hotel.cellsRevision = hotel.revision',
    to: '',
  },
  oneTooMany: {
    file: 'src/ari/history/history.ts',
    from: 'if (reached.revision <= lowest) return reached.revision\n    blocks',
    to: 'if (reached.revision < lowest) return reached.revision\n    blocks',
  },
  undoneRegardless: {
    file: 'src/ari/history/judge-undo.ts',
    from: 'else if (now !== pushed)',
    to: 'else if (now !== pushed && now === before)',
  },
  bothModels: {
    file: 'src/ari/history/judge-undo.ts',
    from: 'if (both === 0) return judged',
    to: 'if (both >= 0) return judged',
  },
  firstChanger: {
    file: 'src/ari/history/undo-plan.ts',
    from: 'Math.max(nights[night] ?? 0, revision)',
    to: 'revision',
  },
  sameMask: {
    file: 'src/ari/blocks/before-values.ts',
    from: 'mask === lastMask ? 0 : nightsNumber(mask)',
    to: 'lastMask === 0 ? nightsNumber(mask) : 0',
  },
}

const wanted = breaks[process.env['ARI_PROOF_BREAK'] ?? '']
if (!wanted) throw new Error('ARI_PROOF_BREAK names no break')
replaceSource([wanted])
