/** Deliberate breaks of history, preloaded into its proof: the source of one file is changed. ARI_PROOF_BREAK names which. */
import { replaceSource, type Replacement } from '../replace-source.ts'

const breaks: Readonly<Record<string, Replacement>> = {
  lastNoteWins: {
    file: 'src/ari/before-values.ts',
    from: 'note.mask & ~last.mask',
    to: 'note.mask',
  },
  bookingsWithout: {
    file: 'src/bookings/store.ts',
    from: 'lowered?.before ?? null',
    to: 'null',
  },
  formerCurrencyCounts: {
    file: 'src/ari/block.ts',
    from: 'if (stale) before[night] = unset',
    to: '',
  },
  brokenChain: {
    file: 'src/ari/apply.ts',
    from: 'hotel.cellsRevision = hotel.revision',
    to: '',
  },
  oneTooMany: {
    file: 'src/ari/history.ts',
    from: 'if (reached.revision <= lowest) return reached.revision\n    blocks',
    to: 'if (reached.revision < lowest) return reached.revision\n    blocks',
  },
  sameMask: {
    file: 'src/ari/before-values.ts',
    from: 'mask === lastMask ? 0 : mask',
    to: 'lastMask === 0 ? mask : 0',
  },
}

const wanted = breaks[process.env['ARI_PROOF_BREAK'] ?? '']
if (!wanted) throw new Error('ARI_PROOF_BREAK names no break')
replaceSource([wanted])
