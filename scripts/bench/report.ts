/** The report for a terminal. */
import type { Row, Scenario, ScenarioResult } from './scenario.ts'
import type { Verdict } from './targets.ts'

const number = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2)
const share = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : `${Math.round(value * 100)} %`

/** Half of the distance between the slowest and the fastest round, relative to the median. */
const spread = ({ low, high, median }: Row) => `±${Math.round(((high - low) / 2 / median) * 100)} %`

function latencies({ p50, p99 }: NonNullable<Row['detail']>): string {
  return typeof p50 === 'number' && typeof p99 === 'number' ? `${p50.toFixed(2)} / ${p99.toFixed(2)}` : ''
}

/** Pads columns to their widest cell; all but the first are right-aligned. */
function table(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, index) => Math.max(...lines.map(line => line[index]?.length ?? 0)))
  return lines
    .map(line =>
      line.map((cell, index) =>
        index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0),
      ),
    )
    .map(cells => `  ${cells.join('  ')}`.trimEnd())
    .join('\n')
}

export function reportScenario(
  { name, summary }: Pick<Scenario, 'name' | 'summary'>,
  outcome: ScenarioResult,
): string {
  const title = `\n${name}: ${summary}\n`
  if (outcome.skipped) return `${title}  skipped: ${outcome.skipped}\n`
  const first = outcome.separateRows ? undefined : outcome.rows.find(({ unit }) => unit.endsWith('/s'))
  const rows = outcome.rows.map(row => {
    const detail = row.detail ?? {}
    const comparable = first && row !== first && row.unit.endsWith('/s')
    return [
      row.subject,
      number(row.median),
      row.unit,
      spread(row),
      comparable ? `${(first.median / row.median).toFixed(2)}` : '',
      comparable && first.detail?.perCpuSecond && detail.perCpuSecond
        ? (first.detail.perCpuSecond / detail.perCpuSecond).toFixed(2)
        : '',
      latencies(detail),
      share(detail.serverCpu),
      share(detail.databaseCpu),
      share(detail.generatorCpu),
    ]
  })
  const head = ['', 'median', '', 'spread', 'ratio', 'by CPU', 'p50 / p99 ms', 'server', 'PostgreSQL', 'load']
  const notes = outcome.notes.map(note => `  ${note}\n`).join('')
  const invalid = outcome.invalid ? `  INVALID: ${outcome.invalid}\n` : ''
  return `${title}${table([head, ...rows])}\n${notes}${invalid}`
}

export function reportTargets(verdicts: Verdict[]): string {
  const measured = verdicts.filter(({ holds }) => holds !== null)
  const rows = measured.map(({ title, value, byCpu, target, holds }) => {
    return [title, value?.toFixed(2) ?? '', byCpu?.toFixed(2) ?? '', target, holds ? 'holds' : 'MISSED']
  })
  const others = verdicts.length - measured.length
  const note = others === 0 ? '' : `  ${others} targets of other scenarios are not measured\n`
  return `\nTargets\n${table([['', 'measured', 'by CPU', 'target', ''], ...rows])}\n${note}`
}
