import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Database } from './postgres.ts'
import type { Telemetry } from '../base/telemetry.ts'

/** The surroundings that an endpoint may need; passed in once by app.ts. */
export type Needs = { db: Database; clock: Clock; log: Log; telemetry: Telemetry }
