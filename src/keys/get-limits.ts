import type { Needs } from '../postgres/postgres.ts'
import { answer, on } from '../http/calls/mount.ts'
import { commonLimits, keyRoutes } from './contract.ts'

export const getLimits = (_needs: Needs) =>
  on(keyRoutes.getLimits, async ({ caller }) => {
    const { rate, ...sizes } = caller.limits
    return answer(200, {
      code: '200',
      message: 'Limits retrieved successfully',
      limits: {
        requestsPerMinute: rate?.perMinute ?? null,
        burst: rate?.burst ?? null,
        ...sizes,
        ...commonLimits,
      },
    })
  })
