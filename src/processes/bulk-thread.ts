/** The program of the thread that works on first loads and exports: see bulk/worker/thread.ts. */
import { workerData } from 'node:worker_threads'
import { openLog, type LogLevel } from '../base/log.ts'
import { telemetry } from '../base/telemetry.ts'
import { workInThread } from './bulk-work.ts'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import { openDatabase } from '../postgres/postgres.ts'

export type BulkThreadData = { address: PostgresAddress; logLevel: LogLevel; patience: number }

/** A chunk of a load, or the snapshots of a few exports, and their leases. */
const connectionsMax = 8

// oxlint-disable-next-line typescript/no-unsafe-assignment -- startBulkThread gets it as this type
const { address, logLevel, patience }: BulkThreadData = workerData
const log = openLog(logLevel)
const db = openDatabase(address, log, { patience, connectionsMax })
await workInThread({ db, clock: db.clock, log, telemetry: telemetry() })
