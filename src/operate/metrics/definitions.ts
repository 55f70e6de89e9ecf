/**
 * All metrics: names, labels and help. Labels have few values: ids of operations, endpoints of the operator and words of this
 * code, never data of fans. docs/observability.md lists the same, which a test checks.
 */
import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const UNITS_PER_COMMIT = [1, 2, 4, 8, 16, 32, 64, 128, 256]

export type Metrics = ReturnType<typeof defineMetrics>

export function defineMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter<Label>({ name, help, labelNames, registers })
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge<Label>({ name, help, labelNames, registers })
  const histogram = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Histogram<Label>({ name, help, labelNames, buckets: LATENCY_SECONDS, registers })

  return {
    registry,

    requests: counter('matchday_http_requests_total', 'Responses, by operation and status code.', [
      'operation',
      'code',
    ]),
    requestDuration: histogram(
      'matchday_http_request_duration_seconds',
      'Time from the arrival of a request to its response.',
      ['operation'],
    ),
    consoleRequests: counter(
      'matchday_console_http_requests_total',
      'Responses of the console, by operation and status code.',
      ['operation', 'code'],
    ),
    consoleRequestDuration: histogram(
      'matchday_console_http_request_duration_seconds',
      'Time from the arrival of a request of the console to its response.',
      ['operation'],
    ),
    streams: gauge('matchday_streams_open', 'Open streams of server-sent events.'),
    cacheRequests: counter('matchday_cache_requests_total', 'Look-ups in caches, by result.', [
      'cache',
      'result',
    ]),

    writesPending: gauge(
      'matchday_database_writes_pending',
      'Units of work that wait or run: the length of the write queue.',
    ),
    oldestWrite: gauge(
      'matchday_database_oldest_write_age_seconds',
      'Age of the oldest pending unit of work.',
    ),
    writeDuration: histogram(
      'matchday_database_write_duration_seconds',
      'Duration of units of work, waits included.',
    ),
    batchSize: new Histogram({
      name: 'matchday_database_commit_units',
      help: 'Units of work that shared a COMMIT; SQLite only.',
      buckets: UNITS_PER_COMMIT,
      registers,
    }),
    fsyncDuration: histogram(
      'matchday_database_fsync_duration_seconds',
      'Duration of the fsync after a COMMIT; SQLite only.',
    ),
    poolSize: gauge(
      'matchday_database_pool_size',
      'Maximum number of connections of this process, to the primary and to the replica; PostgreSQL only.',
      ['server'],
    ),
    poolUse: gauge(
      'matchday_database_pool_use',
      'Users of the pool: running transactions, transactions that wait for a connection, and statements outside of transactions; PostgreSQL only.',
      ['server', 'state'],
    ),
    replicaUnusable: gauge(
      'matchday_database_replica_unusable',
      'Whether public reads cannot use the replica of DATABASE_READ_URL: 1 or 0; 0 without one.',
    ),
    replicaFallbacks: counter(
      'matchday_database_replica_fallbacks_total',
      'Public reads that went to the primary because the replica was not used or failed.',
    ),

    providerRequests: counter(
      'matchday_identity_provider_requests_total',
      'Requests to the identity provider, by result.',
      ['endpoint', 'result'],
    ),
    providerDuration: histogram(
      'matchday_identity_provider_request_duration_seconds',
      'Duration of requests to the identity provider.',
      ['endpoint'],
    ),
    providerCircuit: gauge(
      'matchday_identity_provider_circuit',
      'State of the circuit breaker of userinfo requests: 1 for the current state, 0 for the others.',
      ['state'],
    ),
    providerKeys: gauge(
      'matchday_identity_provider_keys_usable',
      'Whether the keys that verify session tokens are held: 1 or 0.',
    ),
    webhookAttempts: counter(
      'matchday_webhook_attempts_total',
      'Attempts to deliver a webhook, by the outcome for the delivery.',
      ['outcome'],
    ),
    messages: counter(
      'matchday_messages_total',
      'Messages to fans that were written, or left out because their event lacks a member of the template.',
      ['outcome'],
    ),
    pushes: counter(
      'matchday_pushes_total',
      'Attempts to send a push and pushes that were skipped, by the kind of the service and the outcome for the push.',
      ['service', 'outcome'],
    ),
    pushBacklog: gauge(
      'matchday_push_pending_deliveries',
      'Pushes that are due and wait to be sent; counted up to 10000 of each queue.',
      ['service'],
    ),
    pushAge: gauge(
      'matchday_push_oldest_pending_age_seconds',
      'Time since the oldest push that waits was due; 0 without one.',
      ['service'],
    ),
    campaigns: gauge('matchday_campaigns', 'Message campaigns that are scheduled, running or stopped.', [
      'state',
    ]),
    campaignBacklog: gauge(
      'matchday_campaign_fans_due',
      'Fans who are due for a running campaign and have not got it; counted up to 10000 of each campaign.',
    ),
    campaignAge: gauge(
      'matchday_campaign_oldest_due_age_seconds',
      'Time since the first of the fans who have not got a campaign was due; 0 without one.',
    ),
    webhookEndpoints: gauge('matchday_webhook_endpoints', 'Endpoints of webhooks.', ['state']),
    webhookBacklog: gauge(
      'matchday_webhook_pending_deliveries',
      'Deliveries that are due or will be attempted again, of each enabled endpoint; counted up to 10000.',
      ['endpoint'],
    ),
    webhookAge: gauge(
      'matchday_webhook_oldest_pending_age_seconds',
      'Time since the event of the oldest pending delivery of each enabled endpoint, among 1000 of them.',
      ['endpoint'],
    ),
    eventBacklog: gauge(
      'matchday_events_awaiting_distribution',
      'Events that are not yet distributed to webhook endpoints; counted up to 10000.',
    ),
    eventAge: gauge(
      'matchday_events_oldest_awaiting_age_seconds',
      'Time since the oldest event that is not yet distributed.',
    ),
    sinkBacklog: gauge(
      'matchday_event_sink_pending_events',
      'Distributed events that are not published to the event sink; 0 without a sink.',
    ),
    sinkAge: gauge(
      'matchday_event_sink_oldest_pending_age_seconds',
      'Time since the oldest event that is not published to the event sink.',
    ),
    reportsOpen: gauge('matchday_reports_open', 'Reports of fans that no moderator has decided.'),
    reportsAge: gauge(
      'matchday_reports_oldest_open_age_seconds',
      'Time since the oldest report that no moderator has decided; 0 without one.',
    ),
    noticesOpen: gauge('matchday_notices_open', 'Notices of illegal content that no moderator has decided.'),
    noticesAge: gauge(
      'matchday_notices_oldest_open_age_seconds',
      'Time since the oldest notice that no moderator has decided; 0 without one.',
    ),
    questionsOpen: gauge('matchday_questions_open', 'Questions in which fans can vote.'),
    votesToSettle: gauge(
      'matchday_votes_to_settle',
      'Votes that an answer has not settled yet; counted up to 10000.',
    ),
    votesToSettleAge: gauge(
      'matchday_votes_to_settle_oldest_age_seconds',
      'Time since the oldest settlement of votes is due; 0 without one.',
    ),
    leaguesDue: gauge(
      'matchday_leagues_due',
      'Leagues that wait for the start or the end of a round, or for the end of a season.',
    ),
    leaguesDueAge: gauge(
      'matchday_leagues_due_oldest_age_seconds',
      'Time since the first of the leagues that wait was due; 0 without one.',
    ),
    divisionsDue: gauge(
      'matchday_division_periods_due',
      'Weeks and months of divisions that have ended, and whose tables are not all closed.',
    ),
    divisionsDueAge: gauge(
      'matchday_division_periods_due_oldest_age_seconds',
      'Time since the first of the weeks and months that are not closed was due; 0 without one.',
    ),
    ordersHeld: gauge(
      'matchday_orders_held_amount',
      'Prices of orders that are pending, in points or minor units of the currency.',
      ['currency'],
    ),
    refundsDue: gauge(
      'matchday_refunds_due_amount',
      'Payments of packs and orders that must be refunded, in minor units of the currency.',
      ['currency'],
    ),
    refundsDueAge: gauge(
      'matchday_refunds_due_oldest_age_seconds',
      'Time since the oldest payment that must be refunded was made; 0 without one.',
    ),
    cash: gauge(
      'matchday_cash_minor_units',
      'Cash of all fans by currency: `available` or `held` for purchases; `promotion` is the part of the available that the club gave. Read once a minute, only with CASH_CURRENCIES.',
      ['currency', 'state'],
    ),
    backupAge: gauge(
      'matchday_backup_age_seconds',
      'Time since the last backup; missing before the first one.',
    ),
    verificationAge: gauge(
      'matchday_clean_verification_age_seconds',
      'Time since `verify-ledger`, `verify-quests`, `verify-pictures` or `audit verify` (`verify-audit`) last ended without findings in a full run, or in all its parts; missing before the first time.',
      ['command'],
    ),
    unreadableRows: gauge(
      'matchday_unreadable_rows',
      'Rows whose encrypted column no configured key reads. Read every ten minutes.',
      ['column'],
    ),
    ready: gauge(
      'matchday_ready',
      'Whether a check of `/readyz` is met: 1 or 0. `process` is 0 while it stops.',
      ['check'],
    ),
    clockSkew: gauge(
      'matchday_clock_skew_seconds',
      'How far the clock of the process is ahead of that of the database server, or of the identity provider at its last response.',
      ['against'],
    ),
    backlogRead: gauge(
      'matchday_backlog_read_success',
      'Whether the backlogs were read from the database: 1 or 0. With 0 their metrics are missing.',
    ),

    events: counter('matchday_events_recorded_total', 'Recorded events, by type.', ['type']),
    ledgerEntries: counter('matchday_ledger_entries_total', 'Ledger entries, by reason.', ['reason']),
    ledgerPoints: counter(
      'matchday_ledger_points_total',
      'Points of ledger entries, by reason and whether fans got them or lost them.',
      ['reason', 'direction'],
    ),

    build: gauge('matchday_build_info', 'Always 1; the labels tell what runs.', [
      'version',
      'commit',
      'bun',
      'database',
    ]),
    loopDelay: histogram(
      'matchday_event_loop_delay_seconds',
      'How late a timer of 100 ms fires: the time for which requests wait for the processor.',
    ),
    cpu: counter('process_cpu_seconds_total', 'User and system CPU time of the process.'),
    residentMemory: gauge('process_resident_memory_bytes', 'Resident memory.'),
    heap: gauge('process_heap_bytes', 'Size of the JavaScript heap in use.'),
    startTime: gauge('process_start_time_seconds', 'Start of the process, as Unix time.'),
    openFiles: gauge('process_open_fds', 'Open file descriptors, sockets included; Linux only.'),
    maxFiles: gauge('process_max_fds', 'Maximum number of open file descriptors; Linux only.'),
  }
}
