import type { Clock } from '../../base/clock.ts'
import type { Telemetry } from '../../base/telemetry.ts'
import { Rejected } from '../../http/rejected.ts'
import {
  objectStore,
  ObjectStoreAway,
  type ByteRange,
  type ObjectStoreAddress,
} from '../../outbound/object-store.ts'

/** The archive of bodies (ARI_ARCHIVE_URL), as readers see it. */
export type Archive = {
  /** Undefined if the object is gone. Throws ArchiveUnavailable while the archive can't be read. */
  read: (object: string, range: ByteRange) => Promise<Buffer | undefined>
  /** Absent: no archive is set. */
  put?: (folder: string, bytes: Buffer) => Promise<string>
  close: () => void
}

export function openArchive(
  address: ObjectStoreAddress | undefined,
  needs: { clock: Clock; telemetry: Telemetry },
): Archive {
  if (!address) return noArchive
  const { put, get, close } = objectStore(address, needs)
  return {
    put,
    close,
    read: async (object, range) => {
      try {
        return await get(object, range)
      } catch (error) {
        if (!(error instanceof ObjectStoreAway)) throw error
        needs.telemetry.archiveFailures.inc({ operation: 'read' })
        throw new ArchiveUnavailable(
          'The archive of bodies does not answer',
          'Send the same again after Retry-After',
        )
      }
    },
  }
}

/** A service that was started without its archive says so. */
export const noArchive: Archive = {
  read: async () => {
    throw new ArchiveUnavailable(
      'The body is in an archive that is not set for this service',
      'Ask the operator of the gateway to set ARI_ARCHIVE_URL again',
    )
  },
  close: () => {},
}

/** 503, of which the caller may make something else. */
export class ArchiveUnavailable extends Rejected {
  constructor(message: string, remedy: string) {
    super(
      503,
      {
        type: 'ARCHIVE_UNAVAILABLE',
        message,
        hint: `${remedy}; pushes and newer bodies are not affected`,
      },
      { headers: { 'retry-after': '30' } },
    )
  }
}
