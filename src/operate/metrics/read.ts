/** Sets the metrics that are read at each scrape instead of counted. */

import { withDeadline } from '../../../db/deadline.ts'
import type { Database } from '../../../db/index.ts'
import { countUnreadable, type EncryptionKeys } from '../../audit/keys/encrypted-rows.ts'
import { createCachedRead } from '../../core/cached-read.ts'
import type { AppSources } from '../../core/sources.ts'
import { readSinkBacklog } from '../../delivery/event-sink/backlog.ts'
import { readPushBacklog } from '../../delivery/push/backlog.ts'
import { readEndpointBacklogs } from '../../delivery/webhooks/inspect.ts'
import { readCashTotals } from '../../economy/cash/balances.ts'
import { readAwaiting } from '../../economy/events/distribute.ts'
import { countOpenReports } from '../../fan/moderation/cases.ts'
import { countOpenNotices } from '../../fan/moderation/notices.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import type { CacheCounts } from '../../platform/cache/response-cache.ts'
import type { IdentityProvider } from '../../platform/identity-provider/provider.ts'
import { CIRCUIT_STATES } from '../../platform/identity-provider/resilience-policy.ts'
import { readRuns } from '../../platform/jobs/maintenance.ts'
import { readDuePeriods } from '../../play/divisions/close.ts'
import { readDueLeagues } from '../../play/leagues/rounds.ts'
import { readQuestionBacklog } from '../../play/questions/backlog.ts'
import { readCampaignBacklog } from '../admin/campaigns/backlog.ts'
import { readOpenMoney } from '../admin/open-money.ts'
import type { Metrics } from './definitions.ts'

/** A scrape interval is 15 s or more: each sees a new value, and several Prometheus servers share one. */
const BACKLOG_MAX_AGE_MS = 5_000
/** Far below the 10 s after which Prometheus gives up. */
const BACKLOG_DEADLINE_MS = 1_000
/** It reads all orders with an address. */
const UNREADABLE_MAX_AGE_MS = 600_000
/** It reads all accounts. */
const CASH_MAX_AGE_MS = 60_000

export interface MetricsDeps extends Pick<AppSources, 'now' | 'elapsed'>, EncryptionKeys {
  lifecycle: { stopping: boolean }
  config: { eventSink: object | null; cashCurrencies: readonly string[] }
  db: Database
  cache: { counts: CacheCounts }
  tokenValidityCache: { counts: CacheCounts }
  publicReads: Pick<PublicReads, 'replica'>
  identity: Pick<IdentityProvider, 'circuit' | 'problem' | 'cacheCounts' | 'clockSkewMs'>
  nativeTokens: { cacheCounts: CacheCounts }
  streams: { readonly size: number }
}

export function createReading(metrics: Metrics, deps: MetricsDeps): () => Promise<void> {
  const { db, now, elapsed, identity, streams } = deps
  const { replica } = deps.publicReads
  const caches = {
    responses: deps.cache.counts,
    token_validity: deps.tokenValidityCache.counts,
    session_tokens: identity.cacheCounts,
    native_tokens: deps.nativeTokens.cacheCounts,
    ...(replica ? { replica_responses: replica.cache } : {}),
  }
  const readBacklogs = createCachedRead(
    async () => ({
      awaiting: await readAwaiting(db.read),
      endpoints: await readEndpointBacklogs(db.read),
      runs: await readRuns(db.read),
      reports: await countOpenReports(db.read),
      notices: await countOpenNotices(db.read),
      money: await readOpenMoney(db.read),
      questions: await readQuestionBacklog(db.read),
      leagues: await readDueLeagues(db.read),
      divisions: await readDuePeriods(db.read),
      pushes: await readPushBacklog(db.read),
      campaigns: await readCampaignBacklog(db.read),
      sink: deps.config.eventSink && (await readSinkBacklog(db.read)),
    }),
    { elapsed, maxAgeMs: BACKLOG_MAX_AGE_MS, deadlineMs: BACKLOG_DEADLINE_MS },
  )
  const readCash = createCachedRead(() => readCashTotals(db.read), {
    elapsed,
    maxAgeMs: CASH_MAX_AGE_MS,
    deadlineMs: BACKLOG_DEADLINE_MS,
  })
  const readUnreadable = createCachedRead(() => countUnreadable(db.read, deps), {
    elapsed,
    maxAgeMs: UNREADABLE_MAX_AGE_MS,
    deadlineMs: BACKLOG_DEADLINE_MS,
  })
  const VERIFICATIONS = ['verify-ledger', 'verify-quests', 'verify-audit', 'verify-pictures']
  const ageOf = (since: Date | null) => (since ? Math.max(0, now().getTime() - since.getTime()) / 1000 : 0)

  return async () => {
    readDatabase()
    readCaches()
    metrics.streams.set(streams.size)
    metrics.providerKeys.set(identity.problem() === null ? 1 : 0)
    const circuit = identity.circuit()
    for (const state of CIRCUIT_STATES) metrics.providerCircuit.set({ state }, state === circuit ? 1 : 0)
    await readReadiness()
    await readWebhooks()
    metrics.unreadableRows.reset()
    for (const { column, rows } of (await readUnreadable()) ?? [])
      metrics.unreadableRows.set({ column }, rows)
    metrics.cash.reset()
    if (deps.config.cashCurrencies.length === 0) return
    for (const { currency, ...states } of (await readCash()) ?? [])
      for (const [state, amount] of Object.entries(states)) metrics.cash.set({ currency, state }, amount)
  }

  /** Like `/readyz`, so that a process that is not ready is visible even if nothing polls `/readyz`. */
  async function readReadiness() {
    const skew = await readSkew()
    metrics.ready.set({ check: 'database' }, skew === null ? 0 : 1)
    metrics.ready.set({ check: 'identityProvider' }, identity.problem() === null ? 1 : 0)
    metrics.ready.set({ check: 'process' }, deps.lifecycle.stopping ? 0 : 1)
    metrics.clockSkew.reset()
    if (skew) metrics.clockSkew.set({ against: 'database' }, skew.ms / 1000)
    const provider = identity.clockSkewMs()
    if (provider !== null) metrics.clockSkew.set({ against: 'provider' }, provider / 1000)
  }

  /** Null if the database does not answer. */
  async function readSkew(): Promise<{ ms: number } | null> {
    try {
      await withDeadline(db.ping(), BACKLOG_DEADLINE_MS, () => new Error('late'))
      return { ms: await withDeadline(db.clockSkewMs(), BACKLOG_DEADLINE_MS, () => new Error('late')) }
    } catch {
      return null
    }
  }

  function readDatabase() {
    const { pending, oldestMs } = db.writeLoad()
    metrics.writesPending.set(pending)
    metrics.oldestWrite.set(oldestMs / 1000)
    readPool('primary', db.poolLoad())
    if (!replica) return
    readPool('replica', replica.poolLoad())
    metrics.replicaUnusable.set(replica.problem() === null ? 0 : 1)
    metrics.replicaFallbacks.reset()
    metrics.replicaFallbacks.inc(replica.fallbacks())
  }

  function readPool(server: 'primary' | 'replica', pool: ReturnType<Database['poolLoad']>) {
    if (!pool) return
    metrics.poolSize.set({ server }, pool.size)
    metrics.poolUse.set({ server, state: 'transaction' }, pool.transactions)
    metrics.poolUse.set({ server, state: 'waiting' }, pool.waiting)
    metrics.poolUse.set({ server, state: 'statement' }, pool.statements)
  }

  function readCaches() {
    metrics.cacheRequests.reset()
    for (const [cache, { hits, misses }] of Object.entries(caches)) {
      metrics.cacheRequests.inc({ cache, result: 'hit' }, hits)
      metrics.cacheRequests.inc({ cache, result: 'miss' }, misses)
    }
  }

  async function readWebhooks() {
    const backlogs = await readBacklogs()
    for (const stale of [metrics.webhookEndpoints, metrics.webhookBacklog, metrics.webhookAge]) stale.reset()
    for (const stale of [metrics.pushBacklog, metrics.pushAge, metrics.campaigns]) stale.reset()
    for (const stale of [metrics.ordersHeld, metrics.refundsDue]) stale.reset()
    metrics.verificationAge.reset()
    metrics.backupAge.remove()
    for (const stale of [
      ...[metrics.eventBacklog, metrics.eventAge, metrics.sinkBacklog, metrics.sinkAge],
      ...[metrics.reportsOpen, metrics.reportsAge, metrics.noticesOpen, metrics.noticesAge],
      metrics.refundsDueAge,
      ...[metrics.questionsOpen, metrics.votesToSettle, metrics.votesToSettleAge],
      ...[metrics.campaignBacklog, metrics.campaignAge],
      ...[metrics.leaguesDue, metrics.leaguesDueAge, metrics.divisionsDue, metrics.divisionsDueAge],
    ])
      stale.remove()
    metrics.backlogRead.set(backlogs ? 1 : 0)
    if (!backlogs) return
    const { awaiting, endpoints, runs, reports, money, questions, pushes, campaigns, sink } = backlogs
    const { leagues, divisions, notices } = backlogs
    const backup = runs.get('backup')
    if (backup) metrics.backupAge.set(ageOf(backup))
    for (const command of VERIFICATIONS) {
      const finishedAt = runs.get(command)
      if (finishedAt) metrics.verificationAge.set({ command }, ageOf(finishedAt))
    }
    metrics.reportsOpen.set(reports.open)
    metrics.reportsAge.set(ageOf(reports.since))
    metrics.noticesOpen.set(notices.open)
    metrics.noticesAge.set(ageOf(notices.since))
    for (const [currency, amount] of money.held) metrics.ordersHeld.set({ currency }, amount)
    for (const [currency, amount] of money.due) metrics.refundsDue.set({ currency }, amount)
    metrics.refundsDueAge.set(ageOf(money.dueSince))
    metrics.questionsOpen.set(questions.open)
    metrics.votesToSettle.set(questions.unsettled)
    metrics.votesToSettleAge.set(ageOf(questions.since))
    metrics.leaguesDue.set(leagues.due)
    metrics.leaguesDueAge.set(ageOf(leagues.since))
    metrics.divisionsDue.set(divisions.due)
    metrics.divisionsDueAge.set(ageOf(divisions.since))
    metrics.eventBacklog.set(awaiting.pending)
    metrics.eventAge.set(ageOf(awaiting.since))
    metrics.sinkBacklog.set(sink?.events ?? 0)
    metrics.sinkAge.set(ageOf(sink?.since ?? null))
    for (const { service, pending, since } of pushes) {
      metrics.pushBacklog.set({ service }, pending)
      metrics.pushAge.set({ service }, ageOf(since))
    }
    for (const { name, campaigns: found } of campaigns.states) metrics.campaigns.set({ state: name }, found)
    metrics.campaignBacklog.set(campaigns.waiting)
    metrics.campaignAge.set(ageOf(campaigns.since))
    const enabled = endpoints.filter(({ disabledAt }) => disabledAt === null)
    metrics.webhookEndpoints.set({ state: 'enabled' }, enabled.length)
    metrics.webhookEndpoints.set({ state: 'disabled' }, endpoints.length - enabled.length)
    for (const { id: endpoint, pending, since } of enabled) {
      metrics.webhookBacklog.set({ endpoint }, pending)
      metrics.webhookAge.set({ endpoint }, ageOf(since))
    }
  }
}
