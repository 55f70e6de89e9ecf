/**
 * Sends due pushes, in every process. Each service has turns of its own (`turn.ts`), and single pushes apart from those of a
 * campaign, so that neither a slow service nor a campaign delays others. `poll` finds retries, and what other processes have left.
 */
import { asc, isNull, lte, or, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import { withDeadline } from '../../../db/deadline.ts'
import type { Database, Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Encryption } from '../../core/encryption.ts'
import type { GiveWay } from '../../core/give-way.ts'
import { logFailed } from '../../core/loggable.ts'
import type { AppSources } from '../../core/sources.ts'
import { createTurns, type Turns } from '../../core/turns.ts'
import type { PushContent } from './enqueue.ts'
import { type Attempt, type Senders, tagOf } from './sender.ts'
import type { Queue } from './spine.ts'
import { type Claim, type Finished, takeTurn } from './turn.ts'

const ATTEMPT_MS = 10_000
/** Time to store a result after the deadline of its attempt. */
const LEASE_MARGIN_MS = 10_000
/** Attempts of a queue at once, in this process: of a service that answers, and of one that did not answer the last time or never yet. */
const MAX_IN_FLIGHT = 128
const MAX_UNANSWERED = 8
/** Of all queues. Bun sends 256 requests at once: services that hang leave some to each other, and to what is no push. */
const MAX_OF_ANSWERING = 160
const MAX_OF_UNANSWERING = 32
/** Of those, campaigns leave some to single pushes. */
const MAX_OF_CAMPAIGNS = { answering: 128, unanswering: 24 }
/** Encryption takes CPU time: after so many attempts that begin, requests and single pushes have their turn. */
const BEGUN_TOGETHER = 8

interface DispatcherDeps {
  db: Database
  log: Logger
  elapsed: AppSources['elapsed']
  deviceEncryption: Encryption
  pushSenders: Senders
  /** Between two turns of a queue. */
  giveWay: GiveWay
}

interface Worker {
  bulk: boolean
  running: Set<Promise<void>>
  /** Attempts that the turn which runs may begin. */
  reserved: number
  /** Results that are not stored. */
  finished: Finished[]
  /** Whether its service has answered the last attempt. */
  answers: boolean
  turns: Turns
}

/** Queues of services that are not paused, with something due or a lease that has ended. */
const selectQueues = prepared((reader: Reader, now: Date) => {
  const { pushServices, pushDeliveries: rows } = reader.tables
  const some = (bulk: boolean) =>
    sql<boolean>`(exists (select 1 from ${rows} where ${rows.service} = ${pushServices.name} and ${rows.bulk} = ${sql.param(bulk, rows.bulk)}
      and ${rows.state} = 'pending' and ${rows.leaseEndsAt} is null and ${lte(rows.dueAt, now)})
      or exists (select 1 from ${rows} where ${rows.service} = ${pushServices.name} and ${rows.bulk} = ${sql.param(bulk, rows.bulk)}
      and ${lte(rows.leaseEndsAt, now)}))`.mapWith(Boolean)
  return reader
    .select({ service: pushServices.name, single: some(false), bulk: some(true) })
    .from(pushServices)
    .where(or(isNull(pushServices.pausedUntil), lte(pushServices.pausedUntil, now)))
    .orderBy(asc(pushServices.name))
})

export function createPushDispatcher(
  { db, log, elapsed, deviceEncryption, pushSenders, giveWay }: DispatcherDeps,
  { attemptMs = ATTEMPT_MS } = {},
) {
  let stopped = false
  const cancelling = new AbortController()
  const workers = new Map<string, Worker>()
  /** Queues that found all attempts in use. */
  const waiting = new Set<Worker>()
  const onError = logFailed(log, 'send pushes')
  const unlisten = db.read.spine.push.queued.listen(queues => {
    for (const queue of queues) void workerOf(queue).turns.ask()
  })

  const workerOf = (queue: Queue): Worker =>
    workers.getOrInsertComputed(`${queue.service} ${queue.bulk}`, () => {
      const turns = createTurns(() => takeNext(queue, worker), { pause: giveWay, elapsed, onError })
      const { bulk } = queue
      const worker: Worker = { bulk, running: new Set(), reserved: 0, finished: [], answers: false, turns }
      return worker
    })

  /** How many attempts of a queue may begin. */
  function freeOf(worker: Worker): number {
    const { answers, bulk, running } = worker
    const alike = [...workers.values()].filter(other => other.answers === answers)
    const ofAll = (answers ? MAX_OF_ANSWERING : MAX_OF_UNANSWERING) - inUse(alike)
    const ofCampaigns = MAX_OF_CAMPAIGNS[answers ? 'answering' : 'unanswering']
    const free = bulk ? Math.min(ofAll, ofCampaigns - inUse(alike.filter(other => other.bulk))) : ofAll
    const ofOwn = maxOf(worker) - running.size
    // Its own attempts ask for a turn, many of them together.
    if (free <= 0 && ofOwn > 0) waiting.add(worker)
    return Math.max(0, Math.min(free, ofOwn))
  }

  const inUse = (of: Worker[]) => of.reduce((sum, { running, reserved }) => sum + running.size + reserved, 0)

  const maxOf = ({ answers }: Worker) => (answers ? MAX_IN_FLIGHT : MAX_UNANSWERED)

  async function takeNext(queue: Queue, worker: Worker): Promise<void> {
    const finished = worker.finished.splice(0)
    const max = stopped ? 0 : freeOf(worker)
    worker.reserved = max
    try {
      const claims = await db.write(tx =>
        takeTurn(tx, queue, finished, { max, leaseMs: attemptMs + LEASE_MARGIN_MS }),
      )
      if (finished.some(({ attempt }) => attempt?.outcome === 'wrong'))
        log.error({ service: queue.service }, 'a push service refuses the configuration or a message')
      await startAll(worker, claims ?? [])
    } catch (error) {
      // The next poll stores the results. A lease that ends before means another attempt.
      worker.finished.unshift(...finished)
      throw error
    } finally {
      worker.reserved = 0
    }
  }

  async function startAll(worker: Worker, claims: Claim[]): Promise<void> {
    for (const [nth, claim] of claims.entries()) {
      if (nth > 0 && nth % BEGUN_TOGETHER === 0) await new Promise(resolve => setImmediate(resolve))
      worker.reserved = claims.length - nth - 1
      start(worker, claim)
    }
  }

  function start(worker: Worker, claim: Claim): void {
    const attempt = send(claim).then(result => {
      worker.finished.push({ ...claim, attempt: result })
      worker.running.delete(attempt)
      worker.answers = result !== null && result.status !== null
      // A turn stores many results: the last one asks for it, or enough of them.
      if (worker.running.size === 0 || worker.finished.length >= maxOf(worker) / 2) void worker.turns.ask()
      for (const other of waiting) void other.turns.ask()
      waiting.clear()
    })
    worker.running.add(attempt)
  }

  /** Null: cancelled, since this process stops. */
  async function send(claim: Claim): Promise<Attempt | null> {
    const sender = pushSenders[claim.kind]
    const token = deviceEncryption.decrypt(claim.encryptedToken, claim.tokenHash)
    if (!sender) return { outcome: 'wrong', status: null, refusal: 'not_configured' }
    if (token === null || claim.content === null)
      return { outcome: 'wrong', status: null, refusal: 'unreadable' }
    // Guarantee of the cast: `enqueuePushes` wrote it.
    const content = JSON.parse(claim.content) as PushContent
    const message = {
      ...content,
      activity: claim.activity,
      id: claim.messageId,
      category: claim.category,
      tag: tagOf(claim.collapseKey ?? claim.messageId),
    }
    const late = new AbortController()
    const signal = AbortSignal.any([late.signal, cancelling.signal])
    const onLate = () => {
      late.abort()
      return new Error('late')
    }
    try {
      return await withDeadline(sender(token, message, signal), attemptMs, onLate)
    } catch {
      return cancelling.signal.aborted ? null : { outcome: 'retry', status: null }
    }
  }

  return {
    /** Attempts what is due. Resolves when the attempts have started. */
    async poll(): Promise<void> {
      const found = await selectQueues(db.read, db.read.now())
      const queues = found.flatMap(({ service, single, bulk }) => [
        ...(single ? [{ service, bulk: false }] : []),
        ...(bulk ? [{ service, bulk: true }] : []),
      ])
      const unsaved = [...workers.values()].filter(({ finished }) => finished.length > 0)
      const due = new Set([...queues.map(workerOf), ...unsaved])
      await Promise.all([...due].map(({ turns }) => turns.next()))
    },
    /** Claims nothing more, and waits for running attempts; after `graceMs` it cancels them, and they are due again. */
    async stop(graceMs = attemptMs): Promise<void> {
      stopped = true
      unlisten()
      const grace = setTimeout(() => cancelling.abort(), graceMs)
      for (const { turns } of workers.values()) await turns.settled()
      for (const { running } of workers.values()) await Promise.all(running)
      for (const { turns, finished } of workers.values()) if (finished.length > 0) await turns.next()
      clearTimeout(grace)
    },
  }
}
