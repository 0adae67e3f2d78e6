/** Files that calls send and receive instead of JSON. */

/**
 * What an upload sends; text becomes UTF-8. A stream or an iterator is sent as its pieces come, and because it can be read
 * only once, its call is not retried.
 */
export type Data =
  | string
  | Uint8Array<ArrayBuffer>
  | Blob
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | AsyncIterable<string | Uint8Array>

/** What a download answers with, decompressed. It must be read to its end, or cancelled. */
export type FileStream = ReadableStream<Uint8Array<ArrayBuffer>>

type ReadOnce = Extract<Data, AsyncIterable<unknown>>

export function isReadOnce(data: Data): data is ReadOnce {
  return typeof data === 'object' && !(data instanceof Uint8Array) && !(data instanceof Blob)
}

export function asBody(data: Data): RequestInit {
  if (!isReadOnce(data)) return { body: data }
  // Without duplex, fetch refuses a stream.
  return { body: streamOf(piecesOf(data)), duplex: 'half' }
}

/** Its pieces as bytes, whatever it is. */
export async function* piecesOf(data: Data): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const text = new TextEncoder()
  if (typeof data === 'string') yield text.encode(data)
  else if (data instanceof Uint8Array) yield data
  else if (data instanceof Blob) yield* data.stream()
  else
    for await (const piece of data)
      yield typeof piece === 'string' ? text.encode(piece) : new Uint8Array(piece)
}

/** `ReadableStream.from` does the same, where a runtime has it. */
function streamOf(pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>): FileStream {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await pieces.return(undefined)
    },
  })
}

/** The file in the answer of a download; undefined if it is something else, such as a refusal or a proxy's page. */
export function fileIn({ status, headers, body }: Response): FileStream | undefined {
  const isFile = /^(?:application\/x-ndjson|text\/csv)\b/.test(headers.get('content-type') ?? '')
  if (status !== 200 || !isFile || !body) return undefined
  // Read from now on: runtimes cancel a body that nobody reads when its response is collected, and it would seem empty.
  return body.pipeThrough(new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>())
}
