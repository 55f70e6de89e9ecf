/**
 * Sends due deliveries, in every process. Each endpoint takes turns of its own (`turn.ts`), so that one that hangs delays
 * no other. What this process makes due is claimed in the same unit of work; `poll` finds retries, and what other processes
 * left behind.
 */
import { and, eq, exists, isNull, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database } from '../../db/index.ts'
import type { GiveWay } from '../core/give-way.ts'
import { logFailed } from '../core/loggable.ts'
import type { AppSources } from '../core/sources.ts'
import type { GuardedFetch } from '../core/ssrf-guard.ts'
import { createTurns, type Turns } from '../core/turns.ts'
import { type Endpoint, signingSecrets } from './endpoints.ts'
import { isDueAt, onDue } from './lanes.ts'
import { messageId } from './message-id.ts'
import type { WebhookSecrets } from './secrets.ts'
import { type Answer, ATTEMPT_MS, sendMessage } from './send.ts'
import { type Claim, type Finished, type Turn, takeTurn } from './turn.ts'

/** Attempts of one endpoint at once, in all processes. */
const MAX_IN_FLIGHT = 32
/** Time to store a result after the deadline of its attempt. */
const LEASE_MARGIN_MS = 15_000

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

interface Worker {
  finished: Finished[]
  turns: Turns
}

export function createDispatcher(
  { db, log, now, elapsed, webhookSecrets, webhookFetch, giveWay }: DispatcherDeps,
  { attemptMs = ATTEMPT_MS, maxInFlight = MAX_IN_FLIGHT } = {},
) {
  const stopping = new AbortController()
  const sending = { fetch: webhookFetch, deadlineMs: attemptMs, stop: stopping.signal }
  const workers = new Map<string, Worker>()
  const running = new Set<Promise<void>>()
  const unsubscribe = onDue(db.read, async (tx, endpointIds) => {
    for (const id of endpointIds) {
      const turn = await takeTurn(tx, id, [], limits())
      if (turn) tx.afterCommit(() => startAll(turn))
    }
  })
  const limits = () => {
    const leaseMs = attemptMs + LEASE_MARGIN_MS
    return { leaseMs, maxInFlight: stopping.signal.aborted ? 0 : maxInFlight }
  }
  const onError = logFailed(log, 'deliver webhooks')

  /** Does not wait for turns that follow: while one endpoint is busy, the next poll finds retries of the others. */
  const take = (endpointId: string): Promise<void> => workerOf(endpointId).turns.next()

  const workerOf = (endpointId: string): Worker =>
    workers.getOrInsertComputed(endpointId, () => {
      const turn = () => takeNext(endpointId, worker)
      const worker: Worker = { finished: [], turns: createTurns(turn, { pause: giveWay, elapsed, onError }) }
      return worker
    })

  async function takeNext(endpointId: string, worker: Worker): Promise<void> {
    const finished = worker.finished.splice(0)
    const turn = await db
      .write(tx => takeTurn(tx, endpointId, finished, limits()))
      .catch(error => {
        // The next poll stores the results. A lease that ends before means another attempt.
        worker.finished.unshift(...finished)
        throw error
      })
    if (!turn) return void workers.delete(endpointId)
    if (turn.disabled) log.error({ endpointId, reason: turn.disabled }, 'webhook endpoint disabled')
    startAll(turn)
  }

  function startAll({ endpoint, claims }: Turn): void {
    for (const claim of claims) start(endpoint, claim, workerOf(endpoint.id))
  }

  function start(endpoint: Endpoint, claim: Claim, worker: Worker): void {
    const attempt = send(endpoint, claim).then(async answer => {
      worker.finished.push({ ...claim, answer })
      await worker.turns.ask()
    })
    running.add(attempt)
    void attempt.finally(() => running.delete(attempt))
  }

  async function send(endpoint: Endpoint, { userId, sequence, body }: Claim): Promise<Answer | null> {
    const at = now()
    const secrets = signingSecrets(endpoint, webhookSecrets, at)
    if (secrets.length === 0) return { status: null, answer: 'its secret cannot be decrypted' }
    const message = { url: endpoint.url, secrets, id: messageId({ userId, sequence }), body, at }
    return sendMessage(sending, message)
  }

  /** Endpoints with something due, or with results that are not stored. */
  async function dueEndpoints(): Promise<string[]> {
    const { webhookEndpoints, webhookLanes } = db.tables
    const lanes = db.read
      .select({ one: sql`1` })
      .from(webhookLanes)
      .where(and(eq(webhookLanes.endpointId, webhookEndpoints.id), isDueAt(db, now())))
    const endpoints = await db.read
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(and(isNull(webhookEndpoints.disabledAt), exists(lanes)))
    const unsaved = [...workers].filter(([, { finished }]) => finished.length > 0).map(([id]) => id)
    return [...new Set([...endpoints.map(({ id }) => id), ...unsaved])]
  }

  return {
    /** Attempts what is due at any endpoint. Resolves when the attempts have started. */
    async poll(): Promise<void> {
      await Promise.all((await dueEndpoints()).map(take))
    },
    /** Cancels running attempts, which are due again at once. */
    async stop(): Promise<void> {
      unsubscribe()
      stopping.abort()
      await Promise.all([...workers.values()].map(({ turns }) => turns.settled()))
      await Promise.all(running)
    },
  }
}
