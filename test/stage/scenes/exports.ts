import assert from 'node:assert/strict'
import { ended, jobIn, type Wanted } from './bulk.ts'
import type { TestClient } from '../harness.ts'

/** Exports, as a supplier makes them. */

export type WantedExport = Pick<Wanted, 'kind' | 'format'> & { hotelIds?: readonly string[] }

export async function createExport(
  supplier: TestClient,
  { format = 'ndjson', ...wanted }: WantedExport,
): Promise<string> {
  return jobIn(await supplier.post('/push/export', { format, ...wanted })).jobId
}

/** The file of an export and its job, which must end well. */
export async function exported(supplier: TestClient, wanted: WantedExport) {
  const job = await ended(supplier, await createExport(supplier, wanted))
  assert.equal(job.state, 'done', JSON.stringify(job))
  const file = await supplier.get(`/push/export/${job.jobId}/data`)
  assert.equal(file.status, 200, file.text)
  return { job, text: file.text }
}
