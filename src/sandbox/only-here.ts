import type { Environment } from '../keys/secret.ts'
import { Rejected } from '../platform/rejected.ts'
import { sandboxFaults } from './contract.ts'

export function rejectOutsideSandbox(environment: Environment): void {
  if (environment !== 'sandbox') throw new Rejected(404, sandboxFaults.production)
}
