/** Background tasks: refresh keys before they are needed, retry deferred syncs, distribute and send events, delete expired rows. */
import { warnOfUnreadable } from '../audit/keys/encrypted-rows.ts'
import { createTimers, every } from '../core/every.ts'
import { createGiveWay } from '../core/give-way.ts'
import { logFailed } from '../core/loggable.ts'
import { createPublisher } from '../delivery/event-sink/publisher.ts'
import { createPushDispatcher } from '../delivery/push/dispatcher.ts'
import { sweepPushes } from '../delivery/push/enqueue.ts'
import { reencryptTokens } from '../delivery/push/tokens.ts'
import { createDispatcher } from '../delivery/webhooks/dispatcher.ts'
import { reencryptSecrets } from '../delivery/webhooks/endpoints.ts'
import { sweepDeliveries } from '../delivery/webhooks/replay.ts'
import { settleAccounts } from '../economy/accounts/settle.ts'
import { settleExpiredCash } from '../economy/cash/settle-expired.ts'
import { sweepEventData } from '../economy/events/delete-data.ts'
import { createDistributor } from '../economy/events/distributor.ts'
import { expirePoints } from '../economy/expiry/expire-points.ts'
import { sweepPointsHolds } from '../economy/points/holds.ts'
import { sweepExports } from '../fan/account/exports.ts'
import { showMatches } from '../fan/messages/live-activities.ts'
import { deleteOldMessages } from '../fan/messages/personal-data.ts'
import { remindFans } from '../fan/messages/remind.ts'
import { clearOldNotices } from '../fan/moderation/notices.ts'
import { keepDailyFigures } from '../figures/days/daily-figures.ts'
import { countSeason } from '../figures/season/sweep.ts'
import { sweepExpired } from '../identity/auth/sweep-expired.ts'
import { sweepConsole } from '../identity/staff/sweep.ts'
import { retryDueSyncs } from '../identity/users/deferred-sync.ts'
import { indexEmails } from '../identity/users/emails.ts'
import { indexSearchKeys } from '../identity/users/search-keys.ts'
import { runCampaigns, sweepCampaigns } from '../operate/admin/campaigns/run.ts'
import { trackSegments } from '../operate/admin/segments/track.ts'
import { sweepAddresses } from '../operate/admin/sweep-addresses.ts'
import { sweepPictures } from '../operate/admin/sweep-pictures.ts'
import { writeExports } from '../operate/admin/write-exports.ts'
import { sweepStored } from '../platform/files/stored-file.ts'
import { sweepIdempotencyKeys } from '../platform/http/idempotency/key-store.ts'
import { shareWindows, sweepWindows } from '../platform/http/rate-limits/share-windows.ts'
import { onceADay } from '../platform/jobs/maintenance.ts'
import { sweepRuns } from '../platform/jobs/runs.ts'
import { closeDivisions } from '../play/divisions/close.ts'
import { tellDivisions } from '../play/divisions/tell-results.ts'
import { copyGroupScores } from '../play/leagues/copy-scores.ts'
import { advanceLeagues } from '../play/leagues/rounds.ts'
import { tellResults } from '../play/leagues/tell-results.ts'
import { settleMemberships } from '../play/memberships/sweep.ts'
import { deleteUnpaidPurchases } from '../play/packs/purchases.ts'
import { settlePredictions } from '../play/predictions/settle.ts'
import { acknowledgePayments } from '../play/purchases/acknowledge.ts'
import { settleQuestions } from '../play/questions/settle.ts'
import { sweepCounts } from '../play/quests/sweep-counts.ts'
import { payOutDue } from '../play/shop/pay-out.ts'
import { deleteUnpaidOrders, noteExpiredOrders, reencryptAddresses } from '../play/shop/sweep-orders.ts'
import { deleteUnpaidTopUps } from '../play/top-ups/top-ups.ts'
import { deleteEndedTrades } from '../play/trades/end.ts'
import { sweepChallenges } from '../play/wallets/challenge.ts'
import type { Deps } from './deps.ts'

/** Milliseconds between two runs. */
const KEYS_EVERY_MS = 60_000
const SYNCS_EVERY_MS = 5_000
/** Using an account settles it; this task is for the other accounts. */
const CASH_EVERY_MS = 60_000
/** Soon after an erasure. */
const PICTURES_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 600_000
/** Purchases of testers are refunded after minutes. */
const ACKNOWLEDGE_EVERY_MS = 30_000
/** A table of an automatic league is this old at most, and a minute more. */
const GROUPS_EVERY_MS = 10_000
const RUNS_EVERY_MS = 60_000
const POLL_EVERY_MS = 1_000
/** Rows of an earlier version, while it still serves during a release. */
const INDEX_EVERY_MS = 10_000
/** A key changes with a new start of the process only. */
const REENCRYPT_EVERY_MS = 86_400_000

/**
 * Starts the first task at once, and one more in each turn of the event loop: a first run prepares its statements, and
 * requests must not wait for all. `stop` resolves when no task runs. `inFlight`: the number of requests without a response.
 */
export function startBackground(deps: Deps, inFlight = () => 0) {
  let stopping = false
  const timers = createTimers()
  const giveWay = createGiveWay({ ...deps, inFlight })
  const distributor = createDistributor({ ...deps, giveWay })
  const dispatcher = createDispatcher({ ...deps, giveWay })
  // Encryption keeps the core busy by itself: only requests in flight hold back the next turn.
  const pushes = createPushDispatcher({
    ...deps,
    giveWay: createGiveWay({ ...deps, inFlight, cpu: () => 0 }),
  })
  const publisher = deps.config.eventSink && createPublisher(deps.config.eventSink, { ...deps, giveWay })
  const tasks = [
    start(KEYS_EVERY_MS, 'refresh provider keys', () => deps.identity.refresh()),
    start(SYNCS_EVERY_MS, 'retry deferred syncs', () => retryDueSyncs(deps, () => stopping)),
    start(SWEEP_EVERY_MS, 'delete expired sessions', () => sweepExpired(deps.db)),
    start(SWEEP_EVERY_MS, 'delete expired sessions of staff', () => sweepConsole(deps.db)),
    start(SWEEP_EVERY_MS, 'delete expired idempotency keys', () => sweepIdempotencyKeys(deps.db)),
    start(SWEEP_EVERY_MS, 'delete expired challenges of wallets', () => sweepChallenges(deps.db)),
    start(SWEEP_EVERY_MS, 'delete expired rate limits', () => sweepWindows(deps.db)),
    start(SWEEP_EVERY_MS, 'delete data of old events', () => sweepEventData(deps.db)),
    start(POLL_EVERY_MS, 'index e-mail addresses', () => indexEmails(deps, () => stopping)),
    start(INDEX_EVERY_MS, 'index fans', () => indexSearchKeys(deps, () => stopping)),
    start(PICTURES_EVERY_MS, 'delete unused pictures', () => sweepPictures(deps)),
    start(SWEEP_EVERY_MS, 'delete old webhook deliveries', () => sweepDeliveries(deps.db)),
    start(SWEEP_EVERY_MS, 'encrypt webhook secrets', () => reencryptSecrets(deps.db, deps.webhookSecrets)),
    // It reads all periods of quests that may still change: not at each start of a process.
    start(SWEEP_EVERY_MS, 'delete counted events of settled quests', () =>
      onceADay(deps.db, 'sweep-counts', async () => {
        await sweepCounts(deps.db, () => stopping)
        return !stopping
      }),
    ),
    start(POLL_EVERY_MS, 'distribute events', () => distributor.poll()),
    start(POLL_EVERY_MS, 'deliver webhooks', () => dispatcher.poll()),
    start(POLL_EVERY_MS, 'send pushes', () => pushes.poll()),
    start(SWEEP_EVERY_MS, 'delete old pushes', () => sweepPushes(deps.db)),
    ...(publisher ? [start(POLL_EVERY_MS, 'publish events', () => publisher.poll())] : []),
    start(POLL_EVERY_MS, 'note expired orders', () => noteExpiredOrders(deps.db)),
    start(SWEEP_EVERY_MS, 'delete unpaid purchases', async () => {
      await sweepPointsHolds(deps.db)
      await deleteUnpaidOrders(deps.db)
      await deleteUnpaidPurchases(deps.db)
      await deleteUnpaidTopUps(deps.db)
    }),
    start(SWEEP_EVERY_MS, 'delete ended offers', () => deleteEndedTrades(deps.db)),
    start(SWEEP_EVERY_MS, 'delete addresses of orders', () => sweepAddresses(deps.db)),
    start(SWEEP_EVERY_MS, 'delete files of imports', () => sweepStored(deps.db)),
    start(POLL_EVERY_MS, 'write exports of fans', () => writeExports({ ...deps, giveWay }, () => stopping)),
    start(SWEEP_EVERY_MS, 'delete exports of fans', () => sweepExports(deps.db)),
    start(RUNS_EVERY_MS, 'end runs of dead processes', () => sweepRuns(deps.db)),
    start(REENCRYPT_EVERY_MS, 'encrypt addresses of orders and devices', async () => {
      await reencryptTokens(deps.db, deps.deviceEncryption)
      await reencryptAddresses(deps.db, deps.addressEncryption)
      await warnOfUnreadable(deps)
    }),
    start(RUNS_EVERY_MS, 'refund withdrawals', () => payOutDue(deps, () => stopping)),
    start(ACKNOWLEDGE_EVERY_MS, 'acknowledge payments', () => acknowledgePayments(deps, () => stopping)),
    start(POLL_EVERY_MS, 'check the replica', () => deps.publicReads.check()),
    start(POLL_EVERY_MS, 'settle predictions', () => settlePredictions(deps, () => stopping)),
    start(POLL_EVERY_MS, 'settle questions', () => settleQuestions(deps, () => stopping)),
    start(CASH_EVERY_MS, 'settle accounts', () => settleAccounts(deps, () => stopping)),
    start(SWEEP_EVERY_MS, 'track segments', () => trackSegments(deps, { stopping: () => stopping })),
    start(CASH_EVERY_MS, 'remind fans', () => remindFans({ db: deps.db, stopping: () => stopping })),
    start(POLL_EVERY_MS, 'show matches', () => showMatches({ db: deps.db, stopping: () => stopping })),
    start(POLL_EVERY_MS, 'send campaigns', () => runCampaigns(deps, { stopping: () => stopping })),
    start(SWEEP_EVERY_MS, 'delete old messages', async () => {
      await sweepCampaigns(deps.db)
      await deleteOldMessages(deps.db)
    }),
    start(SWEEP_EVERY_MS, 'clear old notices', () => clearOldNotices(deps.db)),
    start(POLL_EVERY_MS, 'settle memberships', () => settleMemberships(deps, () => stopping)),
    start(POLL_EVERY_MS, 'advance leagues', async () => {
      await advanceLeagues(deps, () => stopping)
      await tellResults(deps, () => stopping)
    }),
    start(POLL_EVERY_MS, 'close divisions', async () => {
      await closeDivisions(deps, () => stopping)
      await tellDivisions(deps, () => stopping)
    }),
    start(GROUPS_EVERY_MS, 'copy scores to automatic leagues', () => copyGroupScores(deps, () => stopping)),
    start(CASH_EVERY_MS, 'settle cash', () => settleExpiredCash(deps.db, () => stopping)),
    start(SWEEP_EVERY_MS, 'keep daily figures', () => keepDailyFigures(deps.db, () => stopping)),
    start(RUNS_EVERY_MS, 'count the season', () => countSeason(deps.db, () => stopping)),
    start(SWEEP_EVERY_MS, 'end points', () => expirePoints(deps, () => stopping)),
    start(POLL_EVERY_MS, 'share rate limits', () =>
      shareWindows(deps.db, deps.rateLimiter, deps.rateLimitSecret),
    ),
  ]

  function start(ms: number, task: string, run: () => Promise<unknown>) {
    return every(ms, deps.tasks.watch(task, ms, run), logFailed(deps.log, task), timers)
  }

  async function runFirst(): Promise<void> {
    for (const { run } of tasks) {
      if (stopping) return
      run()
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  void runFirst()

  let sendingStopped: Promise<void> | undefined
  /** Attempts that run are finished meanwhile, within their 15 s. What is due later is left to other processes. */
  const stopSending = (): Promise<void> =>
    (sendingStopped ??= Promise.all([dispatcher.stop(), pushes.stop()]).then(() => {}))

  return {
    stopSending,
    async stop(): Promise<void> {
      stopping = true
      const ended = tasks.map(task => task.stop())
      await deps.jobs.stop()
      // Before waiting for the tasks: a poll ends only when nothing is left to distribute or to send.
      await Promise.all([distributor.stop(), publisher?.stop()])
      await stopSending()
      await Promise.all(ended)
    },
  }
}
