/** Deliberate breaks, preloaded into a service: the limits against one attack are off. ARI_PROOF_BREAK names which. */
import { replaceSource, type Replacement } from '../replace-source.ts'

/** Requests without a key may take as many places of those with a key as they like. */
const anybodyTakesAll: Replacement = {
  file: 'src/http/server/in-flight.ts',
  from: "open: { room: 'open', each: 100,",
  to: "open: { room: 'known', each: 10_000,",
}

const breaks: Readonly<Record<string, readonly Replacement[]>> = {
  'unread answers': [
    anybodyTakesAll,
    {
      file: 'src/http/server/http-server.ts',
      from: 'const line = lines.get(socket)',
      to: 'const line: Line | undefined = undefined',
    },
  ],
  'trickled bodies': [
    anybodyTakesAll,
    { file: 'src/http/server/body.ts', from: 'slowSecondsMax = 3', to: 'slowSecondsMax = 300' },
    { file: 'src/http/server/serve.ts', from: 'arrivesWithinSeconds: 5,', to: 'arrivesWithinSeconds: 500,' },
  ],
  'distinct members': [
    {
      file: 'src/http/validation/json-scan.ts',
      from: 'body.length > namesFitIn ? nameCount.begin() : undefined',
      to: 'undefined',
    },
    {
      file: 'src/http/validation/json-scan.ts',
      from: 'if (ofObject > objectMembersMax) throw tooManyMembers()',
      to: '',
    },
  ],
  'idle event streams': [
    {
      file: 'src/http/calls/held-open.ts',
      from: 'heldOpenPerTokenMax = 20',
      to: 'heldOpenPerTokenMax = 10_000',
    },
  ],
  'large searches': [
    { file: 'src/offers/search/find-offers.ts', from: 'workAtOnceMs = 5', to: 'workAtOnceMs = 10_000' },
  ],
  'explained searches': [
    { file: 'src/offers/search/find-offers.ts', from: 'workAtOnceMs = 5', to: 'workAtOnceMs = 10_000' },
  ],
}

const asked = breaks[process.env['ARI_PROOF_BREAK'] ?? '']
if (!asked) throw new Error('ARI_PROOF_BREAK names no break')
replaceSource(asked)
