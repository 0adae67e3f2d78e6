import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Database } from './postgres.ts'
import type { Telemetry } from '../base/telemetry.ts'

/** What an endpoint may need of its surroundings; handed in once by app.ts. */
export type Needs = { db: Database; clock: Clock; log: Log; telemetry: Telemetry }
