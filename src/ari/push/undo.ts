import { onEveryProblem } from '../../http/calls/mount.ts'
import { rejectIfAny, type Problem } from '../../http/rejected.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { AriNeeds } from './accept-ari.ts'
import { acceptUndo } from './accept-undo.ts'
import { undoErrors, undoRoutes } from '../history/undo-contract.ts'

/** POST /push/undo. */
export const undo = (needs: AriNeeds) =>
  onEveryProblem(
    undoRoutes.undo,
    (sent, shapeProblems) => rejectIfAny([...shapeProblems, ...unclearPush(sent)]),
    ({ push, body }) => acceptUndo(needs, push, body),
  )

/** Exactly one of the two names the push. */
function unclearPush(sent: unknown): Problem[] {
  if (!isRecord(sent) || (sent['requestId'] === undefined) !== (sent['revision'] === undefined)) return []
  return [{ ...undoErrors.pushUnclear, path: '' }]
}
