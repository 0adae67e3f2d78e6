import { onItems, type Mounted } from '../../http/calls/mount.ts'
import { itemsMaxOf, type AriNeeds } from './accept-ari.ts'
import { ariRoutes } from '../contract.ts'
import { acceptAtHome, type Homes } from './hand-over.ts'

/** POST /push/ari. */
export const pushAri = (needs: AriNeeds & { homes?: Homes | undefined }): Mounted =>
  onItems(ariRoutes.pushAri, 'ari', itemsMaxOf, (call) => acceptAtHome(needs, call))
