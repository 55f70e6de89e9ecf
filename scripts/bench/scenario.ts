/** The interface of scenarios, which are in `scenarios.ts`. */

import type { Checkout } from './checkout.ts'
import type { Databases } from './databases.ts'
import type { Issuer } from './issuer.ts'
import type { BenchOptions } from './options.ts'
import type { Generator } from './plan.ts'
import type { Subjects } from './subjects.ts'

/** The tools of a scenario. */
export interface Bench {
  options: BenchOptions
  /** Deleted when the bench ends. */
  folder: string
  cores: { server: number | null; generator: number | null; pinned: boolean }
  generator: Generator
  issuer: Issuer
  databases: Databases
  subjects: Subjects
  /** With `--against`. */
  checkout: Checkout | undefined
  /** Tokens of `count` fans, spread over all `fans` of a database; cached. */
  tokensOf(fans: number, count?: number): string[]
  /** More tokens than Matchday caches: sent in a cycle, each must be verified again. */
  uncachedTokens(fans: number): string[]
  /** Tokens of users without a record. */
  newTokens(): string[]
  log(line: string): void
}

export type Unit =
  | 'requests/s'
  | 'purchases/s'
  | 'deliveries/s'
  | 'sockets'
  | 's'
  | 'ms'
  | 'bytes'
  | 'KB'
  | 'x'

export interface Row {
  /** The measured server, with the size if it varies. */
  subject: string
  unit: Unit
  median: number
  low: number
  high: number
  /** One value per round, in order. */
  rounds: number[]
  /** Further values, such as latencies in milliseconds and shares of a core. */
  detail?: Record<string, number | null>
}

export interface ScenarioResult {
  rows: Row[]
  /** Remarks for the interpretation of the rows. */
  notes: string[]
  /** Rows are not comparable with the first one: the report shows no ratios. */
  separateRows?: true
  /** Why the scenario did not run: an option is required. */
  skipped?: string
  /** Why the results are invalid: failed requests, or different responses. The bench then exits with 1. */
  invalid?: string
}

export interface Scenario {
  name: string
  summary: string
  /** Takes minutes: runs only with --long or by name. */
  long?: true
  /** `--against` can measure it. */
  comparable?: true
  run(bench: Bench): Promise<ScenarioResult>
}

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

/** The rows and notes of all, in order. Invalid if one of them is. */
export function mergeResults(outcomes: ScenarioResult[]): ScenarioResult {
  const invalid = outcomes.flatMap(outcome => outcome.invalid ?? []).join('; ')
  return {
    rows: outcomes.flatMap(({ rows }) => rows),
    notes: outcomes.flatMap(({ notes }) => notes),
    ...(invalid ? { invalid } : {}),
  }
}

export const skipped = (why: string): ScenarioResult => ({ rows: [], notes: [], skipped: why })
