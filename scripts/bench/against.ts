/** `bun run bench --against REVISION`: how fast this checkout is, compared with another one in the same rounds. */
import type { Row, ScenarioResult } from './scenario.ts'
import { median } from './scenario.ts'

export interface Comparison {
  /** The scenario, the engine, and what is measured if the scenario measures several things. */
  title: string
  /** Throughput of this checkout divided by that of the other: the median of the rounds. */
  ratio: number
  /** The same with throughput per CPU second of the server; null where it is not known. */
  byCpu: number | null
  holds: boolean
}

/** Labels of the rows of a pair: `engine, …` and `engine, … at COMMIT`. */
export const labelAt = (label: string, commit: string) => `${label} at ${commit}`

/** Pairs the rows of each scenario. A scenario that did not run, or whose results are invalid, has none. */
export function compareWith(
  results: Record<string, ScenarioResult>,
  commit: string,
  min: number,
): Comparison[] {
  return Object.entries(results).flatMap(([scenario, { rows, invalid }]) =>
    (invalid ? [] : rows).flatMap(row => {
      const other = rows.find(({ subject }) => subject === labelAt(row.subject, commit))
      if (!other) return []
      const ratio = ratioOfRounds(row, other)
      const [cpu, otherCpu] = [row.detail?.perCpuSecond, other.detail?.perCpuSecond]
      const byCpu = cpu && otherCpu ? cpu / otherCpu : null
      return { title: `${scenario}: ${row.subject}`, ratio, byCpu, holds: ratio >= min }
    }),
  )
}

/** Other load on the machine changes from round to round, so each round is compared with itself. */
const ratioOfRounds = (row: Row, other: Row) =>
  median(row.rounds.map((value, round) => value / (other.rounds[round] ?? Number.NaN)))

export function reportAgainst(comparisons: Comparison[], commit: string, min: number): string {
  const width = Math.max(...comparisons.map(({ title }) => title.length))
  const lines = comparisons.map(({ title, ratio, byCpu, holds }) => {
    const cpu = byCpu === null ? '' : `by CPU ${byCpu.toFixed(2)}`
    return `  ${title.padEnd(width)}  ${ratio.toFixed(2)}  ${cpu.padEnd(11)}  ${holds ? 'holds' : 'SLOWER'}`
  })
  return `\nThis checkout against ${commit}; at least ${min}\n${lines.join('\n')}\n`
}
