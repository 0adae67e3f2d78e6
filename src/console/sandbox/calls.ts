import type { Environment } from '../../keys/secret.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { Rejected, shown } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { selectOptionalSeenCall, selectSeenCalls } from '../../webhooks/callback-watch-store.ts'
import type { CallbackWatch } from '../../webhooks/callback-watch.ts'
import { callsShownMax, sandboxConsoleRoutes } from './contract.ts'
import { readId, supplierNamed } from '../suppliers/rules.ts'

type CallNeeds = Needs & { environment: Environment; callbackWatch?: CallbackWatch | undefined }

/** GET /sandbox/{supplierId}/calls: the latest calls to the supplier's URLs, made by any process. */
export const listSandboxCalls = ({ db, environment, callbackWatch }: CallNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.listSandboxCalls, async ({ params }) => {
      const { supplierId } = await supplierNamed(db, params.supplierId)
      await callbackWatch?.written()
      const said: AnswerOf<typeof sandboxConsoleRoutes.listSandboxCalls> = {
        calls: await selectSeenCalls(db, supplierId, callsShownMax),
      }
      return answer(200, said)
    }),
  )

/** GET /sandbox/{supplierId}/calls/{callId}: one call with its request and response. */
export const getSandboxCall = ({ db, environment }: CallNeeds): Mounted =>
  inSandbox(
    environment,
    on(sandboxConsoleRoutes.getSandboxCall, async ({ params }) => {
      const { supplierId } = await supplierNamed(db, params.supplierId)
      const id = readId(params.callId)
      const call = id === undefined ? undefined : await selectOptionalSeenCall(db, supplierId, id)
      if (!call) {
        throw new Rejected(404, {
          type: 'CALL_NOT_FOUND',
          message: `Call ${String(shown(params.callId))} not found`,
          hint: 'Only the latest calls are stored',
        })
      }
      const said: AnswerOf<typeof sandboxConsoleRoutes.getSandboxCall> = { call }
      return answer(200, said)
    }),
  )
