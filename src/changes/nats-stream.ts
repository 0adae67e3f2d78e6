import type { NatsConnection } from '@nats-io/transport-node'
import { readNatsServers } from './nats-url.ts'

/**
 * A stream of NATS JetStream. It is the operator's own server, named by a setting like the database, so its
 * address is not vetted as those of suppliers are.
 */
export type FeedStream = {
  /** A longer text is refused. */
  bytesMax: number
  /** The number of its last message, and the id of the last one of ours; absent if it has none. */
  end: () => Promise<{ sequence: number; lastId: string | undefined }>
  /**
   * Appends the messages behind number `after`, and resolves with how many are stored: all, or those before the
   * first that the stream refused or did not acknowledge. With a failure their numbers are unknown.
   */
  append: (messages: readonly StreamMessage[], after: number) => Promise<Appended>
  close: () => Promise<void>
}

export type StreamMessage = { id: string; subject: string; text: string }
export type Appended = { stored: number; failure: Error | undefined }

const connectsWithinMs = 5_000
const acknowledgedWithinMs = 5_000
/** A server that dies silently is noticed after two of these. */
const pingEveryMs = 5_000
/** More than the headers of a message, which the server's limit includes. */
const headerBytesMax = 1_024
/** The server's limit if it states none. */
const usualBytesMax = 1_048_576

/** `subjects`: all subjects of our messages, as a pattern of NATS. Rejects if no stream stores them. */
export async function openFeedStream(url: string, subjects: string): Promise<FeedStream> {
  // Loaded only by processes that publish.
  const { connect } = await import('@nats-io/transport-node')
  const { jetstreamManager } = await import('@nats-io/jetstream')
  const connection = await connect({
    ...readNatsServers(url),
    name: 'ari-gateway',
    timeout: connectsWithinMs,
    // A new connection begins by comparing the stream with what was stored.
    reconnect: false,
    pingInterval: pingEveryMs,
  })
  try {
    const manager = await jetstreamManager(connection)
    const stream = await manager.streams.find(subjects)
    return {
      bytesMax: (connection.info?.max_payload ?? usualBytesMax) - headerBytesMax,
      end: async () => {
        const { state } = await manager.streams.info(stream)
        const last = await manager.streams.getMessage(stream, { last_by_subj: subjects })
        return { sequence: state.last_seq, lastId: last?.header.get('Nats-Msg-Id') }
      },
      append: async (messages, after) => {
        const jetstream = manager.jetstream()
        const appending = messages.map(({ id, subject, text }, index) => {
          // A foreign message may take the number of one that is refused: the next one must be refused too.
          const lastMsgID = messages[index - 1]?.id
          return jetstream.publish(subject, text, {
            msgID: id,
            expect: {
              streamName: stream,
              lastSequence: after + index,
              ...(lastMsgID === undefined ? {} : { lastMsgID }),
            },
            timeout: acknowledgedWithinMs,
          })
        })
        return appended(await Promise.allSettled(appending), after)
      },
      close: () => closeConnection(connection),
    }
  } catch (error) {
    await closeConnection(connection)
    throw error
  }
}

function appended(
  results: readonly PromiseSettledResult<{ seq: number; duplicate: boolean }>[],
  after: number,
): Appended {
  let failure: Error | undefined
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') {
      const reason: unknown = result.reason
      return { stored: index, failure: reason instanceof Error ? reason : new Error(String(reason)) }
    }
    // Stored earlier, at another number.
    if (result.value.duplicate || result.value.seq !== after + index + 1)
      failure = new Error('another publisher writes to the stream')
  }
  return { stored: results.length, failure }
}

async function closeConnection(connection: NatsConnection): Promise<void> {
  await connection.close().catch(() => {})
}
