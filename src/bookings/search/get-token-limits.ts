import { heldOpenPerTokenMax } from '../../http/calls/held-open.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { limitsOfTokens, tokenLimitRoutes } from '../limits-contract.ts'

/** GET /booking/limits: what a token may do. */
export const getTokenLimits = (_needs: Needs): Mounted =>
  on(tokenLimitRoutes.getTokenLimits, async ({ tokenRate }) =>
    answer(200, {
      code: '200',
      message: 'Limits retrieved successfully',
      limits: {
        requestsPerMinute: tokenRate?.perMinute ?? null,
        burst: tokenRate?.burst ?? null,
        ...limitsOfTokens,
        waitingCalls: heldOpenPerTokenMax,
      },
    }),
  )
