/**
 * A store that is replaced by an older copy of itself, as by a failover to a replica that had lost commits.
 */
import { randomBytes } from 'node:crypto'
import { startGateway, type GatewayOptions, type TestGateway } from './harness.ts'
import { asAdmin, testServer, type TestAddress } from './postgres.ts'
import { postgresProxy } from './postgres-proxy.ts'

export type AgeingStore = {
  gateway: TestGateway
  /** Takes the copy: everything written later is lost when the copy replaces the store. */
  copy: () => Promise<void>
  /** Makes the service's address lead to the copy from now on. */
  fallBack: () => Promise<void>
  stop: () => Promise<void>
}

export async function startAgeingStore(options: GatewayOptions = {}): Promise<AgeingStore> {
  const proxy = await postgresProxy()
  const server = await testServer()
  let database: TestAddress | undefined
  const gateway = await startGateway({
    ...options,
    through: (address) => {
      database = address
      return proxy.through(address)
    },
  })
  const name = database?.database ?? ''
  const older = `${name}_older`
  const whileClosed = async (...statements: string[]): Promise<void> => {
    await proxy.cut()
    const pids = `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name}'`
    for (const statement of [pids, ...statements]) await asAdmin(server.address, statement)
    await proxy.heal()
  }
  return {
    gateway,
    copy: () => whileClosed(`create database ${older} template ${name} strategy file_copy`),
    fallBack: () =>
      whileClosed(
        `alter database ${name} rename to ${name}_lost_${randomBytes(4).toString('hex')}`,
        `alter database ${older} rename to ${name}`,
      ),
    stop: async () => {
      await gateway.stop()
      await proxy.close()
      await server.stop()
    },
  }
}
