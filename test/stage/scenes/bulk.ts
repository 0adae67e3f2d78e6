import assert from 'node:assert/strict'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Reply, TestClient, TestSupplier } from '../harness.ts'

/** First loads, as a supplier makes them. */

export type Wanted = {
  kind: 'hotels' | 'products' | 'taxes' | 'ari'
  format?: 'ndjson' | 'csv'
  onError?: 'continue' | 'stop'
  dryRun?: boolean
}

type Job = Record<string, unknown> & { jobId: string; state: string }

export function jobIn(reply: Reply): Job {
  assert.ok(reply.status === 200 || reply.status === 201, reply.text)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A test: what is missing fails where it is compared.
  return reply.body as Job
}

export async function createJob(
  supplier: TestClient,
  { format = 'ndjson', ...wanted }: Wanted,
): Promise<string> {
  return jobIn(await supplier.post('/push/bulk', { format, ...wanted })).jobId
}

export const ndjson = (lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

export async function upload(
  supplier: TestClient,
  jobId: string,
  data: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return supplier.put(`/push/bulk/${jobId}/data`, data, {
    'content-type': 'application/x-ndjson',
    ...headers,
  })
}

/** A request whose body is sent piece by piece. */
export function openUpload(
  url: string,
  { apiKey }: TestSupplier,
  jobId: string,
  headers: Record<string, string | number> = {},
): { sent: ClientRequest; reply: Promise<{ status: number | undefined; text: string }> } {
  const sent = request(`${url}/v1/push/bulk/${jobId}/data`, {
    method: 'PUT',
    headers: { 'x-api-key': apiKey, ...headers },
  })
  const reply = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.setTimeout(20_000, () => sent.destroy(new Error('no answer')))
  }).then(async (response) => ({ status: response.statusCode, text: await text(response) }))
  return { sent, reply }
}

export async function ended(supplier: TestClient, jobId: string): Promise<Job> {
  for (;;) {
    const job = jobIn(await supplier.get(`/push/bulk/${jobId}`))
    if (!['uploading', 'queued', 'running'].includes(job.state)) return job
    await wait(10)
  }
}

/** Loads lines to the end; returns the job. */
export async function load(supplier: TestClient, wanted: Wanted, data: string | Uint8Array): Promise<Job> {
  const jobId = await createJob(supplier, wanted)
  assert.equal((await upload(supplier, jobId, data)).status, 200)
  jobIn(await supplier.post(`/push/bulk/${jobId}/start`, {}))
  return ended(supplier, jobId)
}

/** The figures of a job that differ with what its lines did. */
export function figuresOf({ state, lines, applied, unchanged, partial, refused, hotels }: Job): unknown {
  return { state, lines, applied, unchanged, partial, refused, hotels }
}
