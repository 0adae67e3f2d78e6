import type { Needs } from '../postgres/postgres.ts'
import { answer, on } from '../http/calls/mount.ts'
import { referenceRoutes } from './contract.ts'
import { currencies } from './currencies.ts'
import { selectCancelCodes, selectMealPlans, selectRoomTypes } from './store.ts'

export const getReference = (needs: Needs) =>
  on(referenceRoutes.getReference, async () => {
    const [roomTypes, mealPlans, cancelCodes] = await Promise.all([
      selectRoomTypes(needs.db),
      selectMealPlans(needs.db),
      selectCancelCodes(needs.db),
    ])
    return answer(200, {
      code: '200',
      message: 'Reference data retrieved successfully',
      roomTypes,
      mealPlans,
      currencies,
      cancelCodes,
    })
  })
