/** The targets, as ratios within one run. Targets of scenarios that did not run are not evaluated. */
import type { Engine } from './databases.ts'
import type { Outcome, Row } from './scenario.ts'
import { OPERATIONS, scalingOf } from './scenarios/scale.ts'

export interface Results {
  [scenario: string]: Outcome
}

interface Target {
  title: string
  byCpu?(results: Results): number | undefined
  /** Undefined: not measured. */
  value(results: Results): number | undefined
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

const find = (results: Results, scenario: string, subject: string): Row | undefined =>
  results[scenario]?.invalid ? undefined : results[scenario]?.rows.find(row => row.subject === subject)

const value =
  (scenario: string, subject: string) =>
  (results: Results): number | undefined =>
    find(results, scenario, subject)?.median

/** The ratio of two medians. */
const ratio = (scenario: string, subject: string, to: string) => ({
  value(results: Results) {
    const [a, b] = [find(results, scenario, subject), find(results, scenario, to)]
    return a && b && a.median / b.median
  },
  byCpu(results: Results) {
    const [a, b] = [subject, to].map(name => find(results, scenario, name)?.detail?.perCpuSecond)
    return a && b ? a / b : undefined
  },
})

/** Throughput on the smallest database divided by that on the largest, for the worst path. */
const growthBy =
  (read: (row: Row) => number | null | undefined) =>
  ({ growth }: Results): number | undefined => {
    const byPath = Map.groupBy(growth?.invalid ? [] : (growth?.rows ?? []), ({ subject }) =>
      subject.slice(0, subject.indexOf(' ')),
    )
    const costs = [...byPath.values()].flatMap(rows => {
      const [smallest, largest] = [rows[0], rows.at(-1)].map(row => row && read(row))
      return smallest && largest ? [smallest / largest] : []
    })
    return costs.length > 0 ? Math.max(...costs) : undefined
  }

/** Latency on the largest board divided by that on the smallest, for the worst operation. */
function boardGrowth({ leaderboard }: Results): number | undefined {
  const rows = leaderboard?.invalid ? [] : (leaderboard?.rows ?? [])
  const byOperation = Map.groupBy(rows, ({ subject }) => subject.slice(0, subject.lastIndexOf(' of ')))
  const costs = [...byOperation.values()].flatMap(of => {
    const [smallest, largest] = [of[0]?.median, of.at(-1)?.median]
    return smallest && largest ? [largest / smallest] : []
  })
  return costs.length > 0 ? Math.max(...costs) : undefined
}

/** Throughput during a herd divided by normal throughput: the minimum over servers and herd sizes. */
function herdGoodput({ herd }: Results): number | undefined {
  const rows = herd?.invalid ? [] : (herd?.rows ?? [])
  const ratios = rows.flatMap(({ subject, median }) => {
    const of = /^(.*), \d+ × capacity$/.exec(subject)?.[1]
    const capacity = rows.find(row => row.subject === `${of}, capacity`)
    return capacity ? [median / capacity.median] : []
  })
  return ratios.length > 0 ? Math.min(...ratios) : undefined
}

/** The maximum of the latencies whose subject ends in `name`. */
const herdLatency =
  (name: string) =>
  ({ herd }: Results): number | undefined => {
    const rows = herd?.invalid ? [] : (herd?.rows ?? [])
    const times = rows.filter(({ subject }) => subject.endsWith(name)).map(({ median }) => median)
    return times.length > 0 ? Math.max(...times) : undefined
  }

interface CrowdRatios {
  /** Minimum ratios to `Bun.serve` that reads the list of rewards by one prepared statement on the same engine. */
  rewards: number
  profile: number
  dashboard: number
  /** Minimum ratios to Express on the same engine. */
  lists: number
  claims: number
}

/** The targets of the crowd scenarios on an engine. */
function crowdTargets(engine: Engine, minimum: CrowdRatios): Target[] {
  const of = (scenario: string, to: string, subject = 'matchday') =>
    ratio(`crowd-${scenario}`, `${engine}, ${subject}`, `${engine}, ${to}`)
  const reads = ['rewards', 'profile', 'dashboard'] as const
  return [
    ...reads.map(read => ({
      title: `${engine}, ${read} / one prepared list`,
      ...of(read, 'one list'),
      min: minimum[read],
    })),
    ...reads.map(read => ({
      title: `${engine}, ${read}, with 10 % writes / without`,
      ...of(read, 'matchday', '10 % writes'),
      min: 0.7,
    })),
    {
      title: `${engine}, claims / raw ${engine === 'sqlite' ? 'group commit' : 'transactions'}`,
      ...of('claims', engine === 'sqlite' ? 'group commit' : 'transactions'),
      min: 0.6,
    },
    { title: `${engine}, rewards / Express`, ...of('rewards', 'express'), min: minimum.lists },
    { title: `${engine}, claims / Express`, ...of('claims', 'express'), min: minimum.claims },
    {
      title: `${engine}, p99 at 0.7 of saturation, ms`,
      value: value('crowd-mixed', `${engine}, p99`),
      max: 15,
    },
  ]
}

/** The targets of the scenario of events on an engine. */
const eventTargets = (engine: Engine): Target[] => {
  const raw = engine === 'sqlite' ? 'group commit' : 'transactions'
  const of = (subject: string, to: string) => ratio('events', `${engine}, ${subject}`, `${engine}, ${to}`)
  return [
    { title: `${engine}, events / raw ${raw}`, ...of('matchday', raw), min: 0.35 },
    {
      title: `${engine}, events, 1,000 rules of 50 types / one rule`,
      ...of('1,000 rules', 'matchday'),
      min: 0.5,
    },
  ]
}

const settlementTargets = (engine: Engine): Target[] =>
  ['result', 'corrected result'].map(result => ({
    title: `${engine}, 100,000 predictions by a ${result}, s`,
    value: value('settlement', `${engine}, ${result}`),
    max: 60,
  }))

/** The share of the throughput of one instance for each CPU second that several keep. */
const scaleTargets = OPERATIONS.flatMap(name =>
  [2, 4].map(
    (count): Target => ({
      title: `${name}, by CPU of the API, ${count} instances / one`,
      ...ratio('scale', ...scalingOf(name, count)),
      min: 0.9,
    }),
  ),
)

const targets: Target[] = [
  { title: 'packs / bare Bun.serve', ...ratio('packs', 'matchday', 'bare'), min: 0.75 },
  ...crowdTargets('sqlite', { rewards: 1, profile: 1.2, dashboard: 0.5, lists: 12, claims: 8 }),
  ...crowdTargets('postgres', { rewards: 0.5, profile: 0.5, dashboard: 0.35, lists: 4, claims: 2.5 }),
  ...eventTargets('sqlite'),
  ...eventTargets('postgres'),
  ...settlementTargets('sqlite'),
  ...settlementTargets('postgres'),
  ...(['sqlite', 'postgres'] as const).map(engine => ({
    title: `${engine}, claims with two webhook endpoints / without`,
    ...ratio('webhooks', `${engine}, two endpoints`, `${engine}, no endpoint`),
    min: 0.8,
  })),
  ...scaleTargets,
  { title: 'herd, throughput of writes / capacity, minimum', value: herdGoodput, min: 0.8 },
  { title: 'herd, p99 of reads, ms', value: herdLatency(', reads, p99'), max: 100 },
  { title: 'herd, p99 of /readyz, ms', value: herdLatency(', readyz, p99'), max: 50 },
  {
    title: 'rewards, uncached tokens / verifications on one core',
    ...ratio('rewards-new', 'matchday', 'one core, jose'),
    min: 0.8,
  },
  { title: 'mixed, p99 at half of saturation, ms', value: value('mixed', 'sqlite, p99'), max: 10 },
  { title: 'memory after a million requests, MB', value: value('memory', 'matchday'), max: 250 },
  {
    title: 'memory, third minute / second minute',
    value: value('memory', 'matchday, third minute over second'),
    // The spread of samples without growth.
    max: 1.02,
  },
  { title: 'start to first response, ms', value: value('start-up', 'matchday'), max: 400 },
  {
    title: 'reads, fewest fans / most fans',
    value: growthBy(row => row.median),
    byCpu: growthBy(row => row.detail?.perCpuSecond),
    max: 1.5,
  },
  { title: 'leaderboard, most fans / fewest fans', value: boardGrowth, max: 3 },
]

export function evaluateTargets(results: Results): Verdict[] {
  return targets.map(({ title, value: read, byCpu, min, max }) => {
    const measured = read(results)
    const target = min === undefined ? `≤ ${max}` : `≥ ${min}`
    if (measured === undefined) return { title, value: null, byCpu: null, target, holds: null }
    const holds = min === undefined ? measured <= (max ?? 0) : measured >= min
    return { title, value: measured, byCpu: byCpu?.(results) ?? null, target, holds }
  })
}
