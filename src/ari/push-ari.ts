import { onItems, type Mounted } from '../http/mount.ts'
import { acceptAri, itemsMaxOf, type AriNeeds } from './accept-ari.ts'
import { ariRoutes } from './contract.ts'

/** POST /push/ari. */
export const pushAri = (needs: AriNeeds): Mounted =>
  onItems(ariRoutes.pushAri, 'ari', itemsMaxOf, (call) => acceptAri(needs, call))
