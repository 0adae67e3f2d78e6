import type { Needs } from '../../postgres/postgres.ts'
import type { Archive } from '../../push-log/bodies/archive.ts'

export type WatchNeeds = Needs & { archive?: Archive | undefined }
