/**
 * A deliberate break, preloaded into a service: the source of one file is changed. ARI_PROOF_BREAK names the
 * break.
 */
import { replaceSource, type Replacement } from '../replace-source.ts'

const breaks: Readonly<Record<string, Replacement>> = {
  noTimeLimit: {
    file: 'src/price-check/checker.ts',
    from: 'beganMs + checkBudgetMs - answerReserveMs',
    to: 'beganMs + 10 * checkBudgetMs - answerReserveMs',
  },
  anyRoom: {
    file: 'src/price-check/live-answer.ts',
    from: "['roomId', 'other_room'],",
    to: '',
  },
  anyLength: {
    file: 'src/price-check/live-answer.ts',
    from: 'amountBeforeTax.length !== nightCount || amountAfterTax.length !== nightCount',
    to: 'nightCount === 0',
  },
  anyCertificate: {
    file: 'src/outbound/connect.ts',
    from: 'rejectUnauthorized: true,',
    to: 'rejectUnauthorized: false,',
  },
  alwaysAgain: {
    file: 'src/price-check/ask-supplier.ts',
    from: "first.kind === 'answered' || first.bytesSent ||",
    to: "first.kind === 'answered' ||",
  },
  anySize: { file: 'src/webhooks/callback.ts', from: '262_144', to: '26_214_400' },
  neverOpens: {
    file: 'src/outbound/circuit.ts',
    from: 'failuresToOpen: 5,',
    to: 'failuresToOpen: 5_000,',
  },
  neverCloses: {
    file: 'src/outbound/circuit.ts',
    from: 'openFirstMs: 5_000,',
    to: 'openFirstMs: 500_000,',
  },
}

const asked = breaks[process.env['ARI_PROOF_BREAK'] ?? '']
if (!asked) throw new Error('ARI_PROOF_BREAK names no break')
replaceSource([asked])
