/**
 * What a scenario is. To add one: a file in `scenarios/` that exports a declaration
 *
 *     export const teams: Scenario = {
 *       name: 'teams',
 *       about: 'GET /api/teams, anonymous',
 *       async run(bench) {
 *         return { rows: [row('matchday', 'requests/s', [104, 99, 101])], notes: [] }
 *       },
 *     }
 *
 * and a line in `scenarios/index.ts`. `compare` (`rounds.ts`) measures servers in alternation; a scenario that times
 * something in its own way gives `row` one value a round. A ratio that must hold goes into `targets.ts`.
 */

import type { Databases, Engine } from './databases.ts'
import type { Issuer } from './issuer.ts'
import type { Generator } from './load/generator.ts'
import type { BenchOptions } from './options.ts'
import type { Subjects } from './subjects.ts'

/** What a scenario may use. */
export interface Bench {
  options: BenchOptions
  /** Goes when the bench ends. */
  folder: string
  cores: { server: number | null; generator: number | null; pinned: boolean }
  generator: Generator
  issuer: Issuer
  databases: Databases
  subjects: Subjects
  /** Tokens of so many fans, spread over all `fans` of a database; made once. */
  tokensOf(fans: number, count?: number): string[]
  /** More tokens of the fans of a database than Matchday remembers: in a circle, each must be verified again. */
  unknownTokens(fans: number): string[]
  /** Tokens of people whom no database knows. */
  newcomers(): string[]
  say(line: string): void
}

export type Unit = 'requests/s' | 'verifications/s' | 'chains/s' | 'ms' | 'MB' | 'x'

export interface Row {
  /** What was measured: a server, or a server and a size. */
  subject: string
  unit: Unit
  median: number
  low: number
  high: number
  /** One value a round, in order. */
  rounds: number[]
  /** Anything else that was seen, such as latencies in milliseconds and shares of a core. */
  detail?: Record<string, number | null>
}

export interface Outcome {
  rows: Row[]
  /** What a reader must know to believe the rows. */
  notes: string[]
  /** Its rows are not to be held beside the first: those that may be have a row of their own for it. */
  unlike?: true
  /** Why there is nothing: the route does not exist, or a flag is needed. */
  skipped?: string
  /** Something was wrong: answers that failed, subjects that answer differently. The run then ends with 1. */
  invalid?: string
}

export interface Scenario {
  name: string
  about: string
  /** Takes minutes: only with --long, or by its name. */
  long?: true
  run(bench: Bench): Promise<Outcome>
}

/** The engines that this run can measure: PostgreSQL needs a server. */
export const enginesOf = (): Engine[] =>
  process.env.BENCH_POSTGRES_URL ? ['sqlite', 'postgres'] : ['sqlite']

export function row(subject: string, unit: Unit, rounds: number[], detail?: Row['detail']): Row {
  return {
    subject,
    unit,
    rounds,
    median: median(rounds),
    low: Math.min(...rounds),
    high: Math.max(...rounds),
    ...(detail ? { detail } : {}),
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2
    ? (sorted[Math.floor(middle)] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

export const skipped = (why: string): Outcome => ({ rows: [], notes: [], skipped: why })
