/** The targets, as ratios within one run. Targets of scenarios that did not run are not evaluated. */
import type { Engine } from './databases.ts'
import type { Row, ScenarioResult } from './scenario.ts'

export interface Results {
  [scenario: string]: ScenarioResult
}

interface Target {
  title: string
  scenario: string
  /** A row, or its ratio to another one. */
  row: string
  to?: string
  /** Inclusive; a target has either `min` or `max`. */
  min?: number
  max?: number
}

export interface Verdict {
  title: string
  value: number | null
  /** The same ratio with throughput per CPU second of the servers. */
  byCpu: number | null
  target: string
  /** Null: not measured. */
  holds: boolean | null
}

interface Figures {
  /** Minimum ratios of reads to `Bun.serve` that reads the list of rewards by one prepared statement. */
  reads: Record<'rewards' | 'profile' | 'dashboard', number>
  /** Minimum ratio of events to the raw writes of the same rows: in bulk on SQLite, in a transaction for each on PostgreSQL. */
  events: number
  /** Minimum ratio of votes to the raw writes of the same rows. */
  votes: number
  /** Seconds that 100,000 predictions take. */
  settlement: number
  deliveries: number
}

function targetsOf(engine: Engine, figures: Figures): Target[] {
  const [raw, rawEvents] = engine === 'sqlite' ? ['group commit', 'bulk'] : ['transactions', 'transactions']
  const target = (
    title: string,
    scenario: string,
    row: string,
    rest: Omit<Target, 'title' | 'scenario' | 'row'>,
  ) => ({
    ...rest,
    title: `${engine}, ${title}`,
    scenario,
    row: `${engine}, ${row}`,
    ...(rest.to === undefined ? {} : { to: `${engine}, ${rest.to}` }),
  })
  return [
    ...Object.entries(figures.reads).flatMap(([read, min]) => [
      target(`${read} / one prepared list`, `crowd-${read}`, 'matchday', { to: 'one list', min }),
      target(`${read}, with 10 % writes / without`, `crowd-${read}`, '10 % writes', {
        to: 'matchday',
        min: 0.7,
      }),
    ]),
    target(`claims / raw ${raw}`, 'crowd-claims', 'matchday', { to: raw, min: 0.6 }),
    target(`votes / raw ${raw}`, 'votes', 'matchday', { to: raw, min: figures.votes }),
    // 20,000 fans within 10 s.
    ...(engine === 'sqlite' ? [target('votes a second', 'votes', 'matchday', { min: 2_000 })] : []),
    target(`events / raw ${rawEvents}`, 'events', 'matchday', { to: rawEvents, min: figures.events }),
    target('events, 1,000 rules of 50 types / one rule', 'events', '1,000 rules', {
      to: 'matchday',
      min: 0.5,
    }),
    ...[
      ['settlement', 'predictions'],
      ['jokers', 'predictions with jokers and crowd'],
    ].flatMap(([scenario = '', what]) => [
      ...['result', 'corrected result'].map(result =>
        target(`100,000 ${what} by a ${result}, s`, scenario, result, { max: figures.settlement }),
      ),
      ...['result', 'corrected result'].map(result =>
        target(`claims during a ${result}, p99, ms`, scenario, `${result}, claims, p99`, { max: 100 }),
      ),
    ]),
    target('tables of 500,000 fans closed, s', 'divisions', 'close', { max: 60 }),
    target('claims while tables are closed, p99, ms', 'divisions', 'close, claims, p99', { max: 100 }),
    target('feed of 1,000 followed, ms', 'social', 'feed', { max: 10 }),
    target('leaderboard among 1,000 followed, ms', 'social', 'board', { max: 5 }),
    target('table of a league of 1,000, ms', 'social', 'league', { max: 10 }),
    target('purchases with cash / raw rows', 'cash', 'one product', { to: 'raw rows', min: 0.5 }),
    target('cash, one product / spread products', 'cash', 'one product', { to: 'spread products', min: 0.8 }),
    target('cash, one product with a limit / spread ones', 'cash', 'one product with a limit', {
      to: 'spread products with limits',
      min: 0.8,
    }),
    target('claims with two webhook endpoints / without', 'webhooks', 'two endpoints', {
      to: 'no endpoint',
      min: 0.8,
    }),
    target('deliveries to one endpoint', 'webhooks', 'one endpoint', { min: figures.deliveries }),
    target('age of a delivery at 200 a second, p95, ms', 'webhooks', 'age p95', { max: 120 }),
    target('pushes / bare pushes', 'pushes', 'pushes', { to: 'bare pushes', min: 0.5 }),
    target('pushes a second', 'pushes', 'pushes', { min: 3_000 }),
    target('single push during a campaign, p95, ms', 'pushes', 'single, p95', { max: 200 }),
    target('a million fans reminded, s', 'reminders', 'reminded', { max: 60 }),
    target('memory of an idle stream, KB', 'idle-streams', 'memory of one', { max: 8 }),
    target('a vote at all of 10,000 streams, ms', 'stream', 'vote to 10000 streams, all', { max: 2_000 }),
    target('a close at all of 10,000 streams, ms', 'stream', 'close to 10000 streams, all', { max: 2_000 }),
    target('reads while votes are sent, p99, ms', 'stream', 'reads meanwhile, p99', { max: 100 }),
    target('sockets not closed after their clients', 'idle-streams', 'half closed', { max: 0 }),
  ]
}

const targets: Target[] = [
  {
    title: 'first response of the executable / of a server with one route',
    scenario: 'start',
    row: 'matchday',
    to: 'reference',
    max: 4,
  },
  ...targetsOf('sqlite', {
    reads: { rewards: 1, profile: 1.2, dashboard: 0.5 },
    events: 0.25,
    votes: 0.6,
    settlement: 60,
    deliveries: 3_000,
  }),
  ...targetsOf('postgres', {
    reads: { rewards: 0.5, profile: 0.5, dashboard: 0.35 },
    // Four times what events did one by one.
    events: 2.8,
    votes: 0.5,
    settlement: 120,
    deliveries: 1_500,
  }),
]

export function evaluateTargets(results: Results): Verdict[] {
  return targets.map(({ title, scenario, row, to, min, max }) => {
    const outcome = results[scenario]
    const find = (subject: string) =>
      outcome?.invalid ? undefined : outcome?.rows.find(found => found.subject === subject)
    const ratioOf = (read: (row: Row) => number | null | undefined) => {
      const [a, b] = [row, to].map(subject => {
        const found = subject === undefined ? undefined : find(subject)
        return found && read(found)
      })
      if (typeof a !== 'number') return null
      return to === undefined ? a : b ? a / b : null
    }
    const value = ratioOf(({ median }) => median)
    const target = min === undefined ? `≤ ${max}` : `≥ ${min}`
    if (value === null) return { title, value, byCpu: null, target, holds: null }
    const holds = min === undefined ? value <= (max ?? 0) : value >= min
    return {
      title,
      value,
      byCpu: to === undefined ? null : ratioOf(({ detail }) => detail?.perCpuSecond),
      target,
      holds,
    }
  })
}
