import { besideShape, onEveryProblem, type Mounted } from '../http/mount.ts'
import { rejectIfAny } from '../http/rejected.ts'
import type { Needs } from '../postgres/needs.ts'
import { acceptHotels } from './accept-hotels.ts'
import { hotelRoutes } from './contract.ts'
import { hotelProblems } from './hotel-rules.ts'

/** POST /push/hotels. */
export const pushHotels = (needs: Needs): Mounted =>
  onEveryProblem(
    hotelRoutes.pushHotels,
    (body, shapeProblems) => rejectIfAny(besideShape(shapeProblems, hotelProblems(body))),
    ({ body, push }) => acceptHotels(needs, push, body),
  )
