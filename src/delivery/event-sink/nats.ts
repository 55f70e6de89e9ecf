/**
 * A connection to NATS JetStream. The client is loaded with the first connection. It does not reconnect by
 * itself: the publisher replaces a lost connection, so that only one place waits and logs.
 */
import { createConnection } from 'node:net'
import type { StreamConfig } from '@nats-io/jetstream'
import type { EventSinkConfig } from '../../platform/config/event-sink.ts'
import { ALL_SUBJECTS, type Message } from './message.ts'

/** The stream that is created if none stores the subjects. */
export const STREAM = 'MATCHDAY_EVENTS'
const MINUTE = 60_000_000_000
const RETENTION_DAYS = 30
/**
 * The server detects duplicate message ids for this time. Longer than a restart and the lease of a process
 * that died.
 */
const DUPLICATE_MINUTES = 10

/** The server's code for a stream of another name with these subjects. */
const SUBJECTS_TAKEN = 10_065

export interface SinkConnection {
  /** Resolves when the stream has stored the message. Rejects if the connection is closed before that. */
  publish(message: Message): Promise<void>
  isClosed(): boolean
  /** Does not wait for the server. */
  close(): void
}

/**
 * `timeoutMs` is for each response of the server: the greeting, the handshake, the acknowledgement of a message.
 * Rejects at once when `signal` is aborted.
 */
export async function connect(
  config: EventSinkConfig,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<SinkConnection> {
  signal.throwIfAborted()
  const opening = open(config, timeoutMs)
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([opening, aborted.promise])
  } catch (error) {
    opening.then(connection => connection.close()).catch(() => {})
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function open(
  { host, port, tls, credentials }: EventSinkConfig,
  timeout: number,
): Promise<SinkConnection> {
  await waitForGreeting({ host, port }, timeout)
  const client = await import('@nats-io/transport-node')
  const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
  const connection = await client.connect({
    ...credentials,
    servers: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(tls ? { tls: {} } : {}),
    name: 'matchday',
    timeout,
    reconnect: false,
    // The system's resolver, which knows the search domains of a cluster.
    resolve: false,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
  })
  const stream = jetstream(connection, { timeout })
  const send = ({ subject, id, body }: Message) => stream.publish(subject, body, { msgID: id })

  /**
   * Called only when no stream stores the subjects. An existing stream is not read, so publishing needs no
   * other permission.
   */
  async function createStream(): Promise<void> {
    const manager = await jetstreamManager(connection, { timeout, checkAPI: false })
    await manager.streams.add(await streamConfig()).catch(error => {
      if (error.code !== SUBJECTS_TAKEN) throw error
    })
  }
  let creating: Promise<void> | undefined

  return {
    async publish(message) {
      try {
        await send(message)
      } catch (error) {
        if (!(error instanceof Error) || error.name !== NO_STREAM) throw error
        creating ??= createStream()
        await creating
        await send(message)
      }
    },
    isClosed: () => connection.isClosed(),
    close: () => void connection.close().catch(() => {}),
  }
}

/** The name of the client's error when nothing responds to a subject. The client does not export the class. */
const NO_STREAM = 'JetStreamNotEnabled'

async function streamConfig(): Promise<Partial<StreamConfig> & { name: string }> {
  const { DiscardPolicy, RetentionPolicy, StorageType } = await import('@nats-io/jetstream')
  return {
    name: STREAM,
    subjects: [ALL_SUBJECTS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    storage: StorageType.File,
    max_age: RETENTION_DAYS * 24 * 60 * MINUTE,
    duplicate_window: DUPLICATE_MINUTES * MINUTE,
  }
}

/**
 * Connects, and waits for the first bytes of the server. Without this wait, the client leaks a socket for
 * each attempt at a server that accepts connections and sends nothing.
 */
function waitForGreeting(address: { host: string; port: number }, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(address)
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new Error('the server does not respond')), timeoutMs)
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the server closed the connection')))
    socket.on('data', () => {
      clearTimeout(timer)
      resolve()
      socket.destroy()
    })
  })
}
