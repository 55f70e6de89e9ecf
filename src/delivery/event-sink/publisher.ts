/**
 * Publishes recorded events to NATS, in one process at a time. Requests, start and shutdown never wait for
 * the NATS server: events that it does not accept stay in the database and are published later.
 */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { GiveWay } from '../../core/give-way.ts'
import { logFailed } from '../../core/loggable.ts'
import type { AppSources } from '../../core/sources.ts'
import { createTurns } from '../../core/turns.ts'
import { readEventsFrom } from '../../economy/events/positions.ts'
import type { EventSinkConfig } from '../../platform/config/event-sink.ts'
import { connect, type SinkConnection } from './nats.ts'
import { publishBatch } from './publish-batch.ts'
import { endLease, findSink, LEASE_MS, type Lease, openSink, storePosition, takeLease } from './sink.ts'

const BATCH = 100
/**
 * After this time a batch sends nothing more, so that it ends before the lease, including the last
 * acknowledgement.
 */
const BATCH_MS = 10_000
/** For each response of the server. */
const TIMEOUT_MS = 5_000
/** Wait before the next attempt after a failure; it doubles with each failure. */
const MIN_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

interface PublisherDeps extends Pick<AppSources, 'now' | 'elapsed' | 'newId'> {
  db: Database
  log: Logger
  /** Between two batches. */
  giveWay: GiveWay
}

export type Publisher = ReturnType<typeof createPublisher>

export function createPublisher(
  config: EventSinkConfig,
  { db, log, now, elapsed, newId, giveWay }: PublisherDeps,
  { timeoutMs = TIMEOUT_MS } = {},
) {
  const holder = newId()
  const stopping = new AbortController()
  let lease: Lease | null = null
  let connection: SinkConnection | undefined
  /** Set while the sink fails: when to try again, and how long to wait after that. */
  let failure: { retryAt: number; waitMs: number } | undefined

  const onError = logFailed(log, 'publish events')

  /** Only reads, except when the lease must be taken or renewed. */
  async function holdLease(): Promise<Lease | null> {
    const soon = new Date(now().getTime() + LEASE_MS / 2)
    if (lease && lease.endsAt > soon) return lease
    const sink = await findSink(db.read)
    if (!sink) await db.write(openSink)
    else if (sink.leaseHolder !== holder && sink.leaseEndsAt !== null && sink.leaseEndsAt > now()) return null
    return db.write(tx => takeLease(tx, holder))
  }

  async function giveUpLease(): Promise<void> {
    if (!lease) return
    lease = null
    await db.write(tx => endLease(tx, holder))
  }

  const turns = createTurns(
    async () => {
      if (stopping.signal.aborted || (failure && elapsed() < failure.retryAt)) return
      lease = await holdLease()
      if (!lease) return connection?.close()
      const step = await publishNext(lease.position)
      if (typeof step === 'object') return fail(step.error)
      if (failure) log.info('event sink available again')
      failure = undefined
      if (step === 'more') void turns.ask()
    },
    { pause: giveWay, elapsed, onError },
  )
  const unsubscribe = db.read.spine.events.distributed.listen(() => {
    if (lease) void turns.ask()
  })

  /** Publishes the next batch. `done`: there was none. */
  async function publishNext(after: number): Promise<'more' | 'done' | { error: unknown }> {
    try {
      if (!connection || connection.isClosed()) connection = await connect(config, timeoutMs, stopping.signal)
    } catch (error) {
      return { error }
    }
    // After a failure one event at a time, so that an attempt does not repeat later events.
    const batch = await readEventsFrom(db.read, after, failure ? 1 : BATCH)
    if (batch.length === 0) return 'done'
    const end = elapsed() + BATCH_MS
    const { position, failed } = await publishBatch(connection, batch, () => elapsed() > end)
    if (position !== undefined) lease = await db.write(tx => storePosition(tx, holder, position))
    return failed ? { error: failed.reason } : 'more'
  }

  /** Another process may reach the server, so the lease is given up. */
  async function fail(error: unknown): Promise<void> {
    connection?.close()
    if (stopping.signal.aborted) return
    if (!failure) log.error({ position: lease?.position, error }, 'event sink unavailable')
    const waitMs = failure?.waitMs ?? MIN_WAIT_MS
    failure = { retryAt: elapsed() + waitMs, waitMs: Math.min(waitMs * 2, MAX_WAIT_MS) }
    await giveUpLease()
  }

  return {
    /** Publishes pending events, unless another process does, or this one waits after a failure. */
    poll: turns.ask,
    /** Lets another process publish. Waits for the database, and not for the server. */
    async stop(): Promise<void> {
      unsubscribe()
      stopping.abort()
      connection?.close()
      await turns.settled()
      // Otherwise the lease ends by itself.
      await giveUpLease().catch(onError)
    },
  }
}
