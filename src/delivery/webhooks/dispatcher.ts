/**
 * Sends due deliveries, in every process. Each endpoint has its own turns (`turn.ts`), so that a slow
 * endpoint does not delay others. A turn stores the results of many attempts and claims many deliveries,
 * which wait here for their attempt. Deliveries that this process makes due are claimed in the same unit of
 * work; `poll` finds retries, and deliveries that other processes have left.
 */
import { and, isNull, lte, or } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { GiveWay } from '../../core/give-way.ts'
import { logFailed } from '../../core/loggable.ts'
import type { AppSources } from '../../core/sources.ts'
import type { GuardedFetch } from '../../core/ssrf-guard.ts'
import { createTurns, type Turns } from '../../core/turns.ts'
import { messageId } from './deliveries.ts'
import { signingSecrets } from './endpoints.ts'
import { hasDueLane } from './lanes.ts'
import type { WebhookSecrets } from './secrets.ts'
import { ATTEMPT_MS, type AttemptResult, sendMessage } from './send.ts'
import { asksForPause, type Claim, type Finished, type Turn, takeTurn, takeTurnOf } from './turn.ts'

/** Attempts of one endpoint at once, in all processes. */
const MAX_IN_FLIGHT = 32
/** Deliveries that are claimed for each attempt at once: one unit of work claims enough for many attempts. */
const AHEAD = 8
/** A claimed delivery that waits longer is released: the receiver is slow. */
const MAX_WAIT_MS = 5_000
/** Time to store a result after the deadline of its attempt. */
const LEASE_MARGIN_MS = 10_000

export interface DispatcherDeps {
  db: Database
  log: Logger
  now: AppSources['now']
  elapsed: AppSources['elapsed']
  webhookSecrets: WebhookSecrets
  webhookFetch: GuardedFetch
  /** Between two turns of an endpoint. */
  giveWay: GiveWay
}

export type Dispatcher = ReturnType<typeof createDispatcher>

/** The endpoint of a claim as it was then. */
interface Recipient {
  url: string
  secrets: string[]
}

interface Worker {
  /** Claimed deliveries without an attempt yet; those that have been due longest come first. */
  waiting: { recipient: Recipient; claim: Claim }[]
  attempted: Set<Claim>
  /** Results that are not stored. */
  finished: Finished[]
  turns: Turns
}

const selectDueEndpoints = prepared((reader: Reader, now: Date) => {
  const { webhookEndpoints } = reader.tables
  return reader
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(
      and(
        isNull(webhookEndpoints.disabledAt),
        or(isNull(webhookEndpoints.pausedUntil), lte(webhookEndpoints.pausedUntil, now)),
        hasDueLane(reader, webhookEndpoints.id, now),
      ),
    )
})

export function createDispatcher(
  { db, log, now, elapsed, webhookSecrets, webhookFetch, giveWay }: DispatcherDeps,
  { attemptMs = ATTEMPT_MS, maxInFlight = MAX_IN_FLIGHT } = {},
) {
  let stopped = false
  const cancelling = new AbortController()
  const sending = { fetch: webhookFetch, deadlineMs: attemptMs, stop: cancelling.signal }
  const workers = new Map<string, Worker>()
  const running = new Set<Promise<void>>()
  const { webhooks } = db.read.spine
  const claimDue: typeof webhooks.claimDue = async (tx, endpoints) => {
    for (const endpoint of endpoints) {
      const turn = await takeTurnOf(tx, endpoint, [], limitsOf(workerOf(endpoint.id)))
      tx.afterCommit(() => startAll(turn))
    }
  }
  webhooks.claimDue = claimDue
  const limitsOf = ({ waiting, attempted, finished }: Worker) => ({
    leaseMs: MAX_WAIT_MS + attemptMs + LEASE_MARGIN_MS,
    maxInFlight: stopped ? 0 : maxInFlight,
    maxClaimed: AHEAD * maxInFlight,
    held: [...waiting.map(({ claim }) => claim), ...attempted, ...finished],
  })
  const onError = logFailed(log, 'deliver webhooks')

  /** Does not wait for turns that follow: while one endpoint is busy, the next poll finds retries of the others. */
  const take = (endpointId: string): Promise<void> => workerOf(endpointId).turns.next()

  const workerOf = (endpointId: string): Worker =>
    workers.getOrInsertComputed(endpointId, () => {
      const turn = () => takeNext(endpointId, worker)
      const turns = createTurns(turn, { pause: giveWay, elapsed, onError })
      const worker: Worker = { waiting: [], attempted: new Set(), finished: [], turns }
      return worker
    })

  async function takeNext(endpointId: string, worker: Worker): Promise<void> {
    const finished = worker.finished.splice(0)
    const turn = await db
      .write(tx => takeTurn(tx, endpointId, finished, limitsOf(worker)))
      .catch(error => {
        // The next poll stores the results. A lease that ends before means another attempt.
        worker.finished.unshift(...finished)
        throw error
      })
    if (!turn) {
      worker.waiting.splice(0)
      return void workers.delete(endpointId)
    }
    if (turn.disabled) log.error({ endpointId, reason: turn.disabled }, 'webhook endpoint disabled')
    startAll(turn)
  }

  function startAll({ endpoint, claims, maySend }: Turn): void {
    const worker = workerOf(endpoint.id)
    const recipient = { url: endpoint.url, secrets: signingSecrets(endpoint, webhookSecrets, now()) }
    worker.waiting.push(...claims.map(claim => ({ recipient, claim })))
    if (stopped || !maySend) giveBack(worker)
    else attemptNext(worker)
  }

  /** Waiting deliveries become due again at once, without counting an attempt. */
  function giveBack(worker: Worker): void {
    if (worker.waiting.length === 0) return
    worker.finished.push(...worker.waiting.splice(0).map(({ claim }) => ({ ...claim, result: null })))
    void worker.turns.ask()
  }

  function attemptNext(worker: Worker): void {
    const latest = now().getTime() + attemptMs + LEASE_MARGIN_MS
    while (worker.attempted.size < maxInFlight) {
      const next = worker.waiting.shift()
      if (!next) return
      if (next.claim.leaseEndsAt.getTime() >= latest) start(worker, next)
      else worker.finished.push({ ...next.claim, result: null })
    }
  }

  function start(worker: Worker, { recipient, claim }: Worker['waiting'][number]): void {
    const { waiting, attempted, finished, turns } = worker
    attempted.add(claim)
    const attempt = send(recipient, claim).then(async result => {
      attempted.delete(claim)
      finished.push({ ...claim, result })
      if (result && asksForPause(result)) giveBack(worker)
      else attemptNext(worker)
      // The next poll stores results that wait for more.
      if (waiting.length === 0 || finished.length >= 2 * maxInFlight) await turns.ask()
    })
    running.add(attempt)
    void attempt.finally(() => running.delete(attempt))
  }

  async function send(
    { url, secrets }: Recipient,
    { userId, sequence, body }: Claim,
  ): Promise<AttemptResult | null> {
    if (secrets.length === 0) return { status: null, response: 'its secret cannot be decrypted' }
    return sendMessage(sending, { url, secrets, id: messageId({ lane: userId, sequence }), body, at: now() })
  }

  /** Endpoints with something due, or with results that are not stored. */
  async function dueEndpoints(): Promise<string[]> {
    const endpoints = await selectDueEndpoints(db.read, now())
    const unsaved = [...workers].filter(([, { finished }]) => finished.length > 0).map(([id]) => id)
    return [...new Set([...endpoints.map(({ id }) => id), ...unsaved])]
  }

  return {
    /** Attempts what is due at any endpoint. Resolves when the attempts have started. */
    async poll(): Promise<void> {
      await Promise.all((await dueEndpoints()).map(take))
    },
    /**
     * Claims nothing more and waits for running attempts, each of which has a deadline, so that messages that
     * a receiver has read are not sent again. After `graceMs` it cancels the other attempts; their deliveries
     * are due again at once.
     */
    async stop(graceMs = attemptMs): Promise<void> {
      if (webhooks.claimDue === claimDue) delete webhooks.claimDue
      stopped = true
      const grace = setTimeout(() => cancelling.abort(), graceMs)
      for (const worker of workers.values()) giveBack(worker)
      await Promise.all([...workers.values()].map(({ turns }) => turns.settled()))
      // An attempt that ends asks for a turn, which stores its result.
      while (running.size > 0) await Promise.all(running)
      clearTimeout(grace)
    },
  }
}
