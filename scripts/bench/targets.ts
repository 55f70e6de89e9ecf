/** What must hold, as ratios of one run. A target whose scenarios were not run is not judged. */
import type { Engine } from './databases.ts'
import type { Outcome, Row } from './scenario.ts'

export interface Results {
  [scenario: string]: Outcome
}

interface Target {
  title: string
  byCpu?(results: Results): number | undefined
  /** Undefined: not measured. */
  value(results: Results): number | undefined
  atLeast?: number
  /** Or less. */
  atMost?: number
}

export interface Verdict {
  title: string
  value: number | null
  /** A ratio of throughputs again, each per second of CPU time that its server used. */
  byCpu: number | null
  wanted: string
  /** Null: not measured. */
  holds: boolean | null
}

const find = (results: Results, scenario: string, subject: string): Row | undefined =>
  results[scenario]?.invalid ? undefined : results[scenario]?.rows.find(row => row.subject === subject)

const value =
  (scenario: string, subject: string) =>
  (results: Results): number | undefined =>
    find(results, scenario, subject)?.median

/** Medians by one another. */
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

/** By how much the reads of the smallest database are faster than those of the largest; the worst of the paths. */
const growthBy =
  (read: (row: Row) => number | null | undefined) =>
  ({ growth }: Results): number | undefined => {
    const byPath = Map.groupBy(growth?.invalid ? [] : (growth?.rows ?? []), ({ subject }) =>
      subject.slice(0, subject.indexOf(' ')),
    )
    const costs = [...byPath.values()].flatMap(rows => {
      const [fewest, most] = [rows[0], rows.at(-1)].map(row => row && read(row))
      return fewest && most ? [fewest / most] : []
    })
    return costs.length > 0 ? Math.max(...costs) : undefined
  }

/** By how much a rank or a page of the largest board takes longer than of the smallest; the worst of them. */
function boardGrowth({ leaderboard }: Results): number | undefined {
  const rows = leaderboard?.invalid ? [] : (leaderboard?.rows ?? [])
  const byOperation = Map.groupBy(rows, ({ subject }) => subject.slice(0, subject.lastIndexOf(' of ')))
  const costs = [...byOperation.values()].flatMap(of => {
    const [fewest, most] = [of[0]?.median, of.at(-1)?.median]
    return fewest && most ? [most / fewest] : []
  })
  return costs.length > 0 ? Math.max(...costs) : undefined
}

/** Of all servers and sizes of a herd: the least that was done of what the server does without one. */
function herdGoodput({ herd }: Results): number | undefined {
  const rows = herd?.invalid ? [] : (herd?.rows ?? [])
  const ratios = rows.flatMap(({ subject, median }) => {
    const of = /^(.*), \d+ × capacity$/.exec(subject)?.[1]
    const capacity = rows.find(row => row.subject === `${of}, capacity`)
    return capacity ? [median / capacity.median] : []
  })
  return ratios.length > 0 ? Math.min(...ratios) : undefined
}

/** The longest of the latencies that end in `name`. */
const herdLatency =
  (name: string) =>
  ({ herd }: Results): number | undefined => {
    const rows = herd?.invalid ? [] : (herd?.rows ?? [])
    const times = rows.filter(({ subject }) => subject.endsWith(name)).map(({ median }) => median)
    return times.length > 0 ? Math.max(...times) : undefined
  }

interface CrowdRatios {
  /** To `Bun.serve` with one prepared read on the same engine. */
  rewards: number
  profile: number
  dashboard: number
  /** To Express on the same engine. */
  lists: number
  claims: number
}

/** What a crowd of known fans gets on an engine. */
function crowdTargets(engine: Engine, wanted: CrowdRatios): Target[] {
  const of = (scenario: string, to: string, subject = 'matchday') =>
    ratio(`crowd-${scenario}`, `${engine}, ${subject}`, `${engine}, ${to}`)
  const reads = ['rewards', 'profile', 'dashboard'] as const
  return [
    ...reads.map(read => ({
      title: `${engine}, ${read} / one prepared read`,
      ...of(read, 'one read'),
      atLeast: wanted[read],
    })),
    ...reads.map(read => ({
      title: `${engine}, ${read}, one write in ten / without`,
      ...of(read, 'matchday', 'one write in ten'),
      atLeast: 0.7,
    })),
    {
      title: `${engine}, claims / raw ${engine === 'sqlite' ? 'group commit' : 'transactions'}`,
      ...of('claims', engine === 'sqlite' ? 'group commit' : 'transactions'),
      atLeast: 0.6,
    },
    { title: `${engine}, rewards / Express`, ...of('rewards', 'express'), atLeast: wanted.lists },
    { title: `${engine}, claims / Express`, ...of('claims', 'express'), atLeast: wanted.claims },
    {
      title: `${engine}, p99 at 0.7 of saturation, ms`,
      value: value('crowd-mixed', `${engine}, p99`),
      atMost: 15,
    },
  ]
}

const targets: Target[] = [
  { title: 'packs / bare Bun.serve', ...ratio('packs', 'matchday', 'bare'), atLeast: 0.75 },
  ...crowdTargets('sqlite', { rewards: 1, profile: 1.2, dashboard: 0.5, lists: 12, claims: 8 }),
  ...crowdTargets('postgres', { rewards: 0.5, profile: 0.5, dashboard: 0.35, lists: 4, claims: 2.5 }),
  { title: 'herd, writes done / capacity, the worst', value: herdGoodput, atLeast: 0.8 },
  { title: 'herd, p99 of reads meanwhile, ms', value: herdLatency(', reads, p99'), atMost: 100 },
  { title: 'herd, p99 of /readyz meanwhile, ms', value: herdLatency(', readyz, p99'), atMost: 50 },
  {
    title: 'rewards, new callers / what one core verifies',
    ...ratio('rewards-new', 'matchday', 'one core, jose'),
    atLeast: 0.8,
  },
  { title: 'mixed, p99 at half of saturation, ms', value: value('mixed', 'sqlite, p99'), atMost: 10 },
  { title: 'memory after a million requests, MB', value: value('memory', 'matchday'), atMost: 250 },
  {
    title: 'memory, third minute over second',
    value: value('memory', 'matchday, third minute over second'),
    // What a sample differs by when nothing grows.
    atMost: 1.02,
  },
  { title: 'start to first answer, ms', value: value('start-up', 'matchday'), atMost: 400 },
  {
    title: 'reads, most fans over fewest',
    value: growthBy(row => row.median),
    byCpu: growthBy(row => row.detail?.perCpuSecond),
    atMost: 1.5,
  },
  { title: 'leaderboard, most fans over fewest', value: boardGrowth, atMost: 3 },
]

export function judge(results: Results): Verdict[] {
  return targets.map(({ title, value: read, byCpu, atLeast, atMost }) => {
    const measured = read(results)
    const wanted = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
    if (measured === undefined) return { title, value: null, byCpu: null, wanted, holds: null }
    const holds = atLeast === undefined ? measured <= (atMost ?? 0) : measured >= atLeast
    return { title, value: measured, byCpu: byCpu?.(results) ?? null, wanted, holds }
  })
}
