/** The output of `bun run moderate` for operators. */
import type { Database } from '../../db/index.ts'
import { findFan, type presentDecision, readFanRecord } from '../../src/fan/moderation/fan-record.ts'
import { readOpenAppeals, readQueue } from '../../src/fan/moderation/queue.ts'
import { reportYear } from '../../src/operate/admin/moderation-report.ts'
import type { CommandResult } from '../command/command.ts'

type OpenAppeals = Awaited<ReturnType<typeof readOpenAppeals>>
type ShownDecision = ReturnType<typeof presentDecision>
type ShownAppeal = Omit<OpenAppeals[number], 'handle' | 'sanction'>

export async function showQueue({ read }: Database): Promise<CommandResult> {
  const cases = await readQueue(read)
  const lines = cases.map(
    ({ caseId, subjectKind, fanId, handle, reports, reporters, since }) =>
      `${caseId}  ${subjectKind} ${handle ?? fanId}  reports: ${reports}, of fans: ${reporters}  since ${since}`,
  )
  return { json: { cases }, text: lines.length > 0 ? lines.join('\n') : 'No case is open.' }
}

export async function showAppeals({ read }: Database): Promise<CommandResult> {
  const appeals = await readOpenAppeals(read)
  const lines = appeals.map(
    appeal => `${describeAppeal(appeal)}\n  against ${describeDecision(appeal.sanction)}`,
  )
  return { json: { appeals }, text: lines.length > 0 ? lines.join('\n') : 'No appeal is open.' }
}

export async function showFan({ read }: Database, named: string): Promise<CommandResult> {
  const record = await readFanRecord(read, await findFan(read, named))
  const { fanId, handle, reports, appeals, decisions, inForce } = record
  const lines = [
    ...reports.map(({ id, reporterId, reason, note, evidence }) =>
      [id, `reported by ${reporterId ?? 'the text filter'}`, reason, note ?? '', JSON.stringify(evidence)]
        .filter(Boolean)
        .join('  '),
    ),
    ...appeals.map(describeAppeal),
    ...decisions.map(row =>
      [describeDecision(row), inForce.includes(row.id) ? 'in force' : '', row.facts ?? '', row.note ?? '']
        .filter(Boolean)
        .join('  '),
    ),
  ]
  return {
    json: record,
    text: [
      `Fan ${fanId}, ${handle ?? 'without a handle'}`,
      ...(lines.length > 0 ? lines : ['Nothing was reported or decided about this fan.']),
    ].join('\n'),
  }
}

export async function showYear({ read }: Database, year: number): Promise<CommandResult> {
  const report = await reportYear(read, year)
  const { decisions, reports, appeals, notices, timeZone } = report
  const counts = decisions.map(({ reason, kind, decisions: all, automated, found }) =>
    [reason, kind, all, found.fans, found.text_filter, found.notices, found.staff, automated].map((cell, n) =>
      `${cell}`.padEnd(COLUMNS[n] ?? 0),
    ),
  )
  const head = ['reason', 'decision', 'count', 'by fans', 'by filter', 'by notice', 'by staff', 'automated']
  const lines = [
    `${year}, ${timeZone}. A person made every decision; automated: software found the content of a sanction.`,
    ...[head.map((cell, n) => cell.padEnd(COLUMNS[n] ?? 0)), ...counts].map(cells =>
      cells.join('').trimEnd(),
    ),
    `Reports filed: ${reports.filed}, of the text filter: ${reports.ofTextFilter}, upheld: ${reports.upheld}, dismissed: ${reports.dismissed}, ended by an erasure: ${reports.ended}, open: ${reports.open}`,
    `Median time to the decision: ${describeTime(reports.medianSeconds)}`,
    `Appeals filed: ${appeals.filed}, granted: ${appeals.granted}, rejected: ${appeals.rejected}, open: ${appeals.open}`,
    `Median time to the decision: ${describeTime(appeals.medianSeconds)}`,
    `Notices filed: ${notices.filed}, counted with others: ${notices.merged}, acted on: ${notices.actedOn}, refused: ${notices.refused}, ended by an erasure: ${notices.ended}, open: ${notices.open}`,
    ...notices.categories.map(({ category, filed }) => `  ${category}: ${filed}`),
    `Median time to the decision: ${describeTime(notices.medianSeconds)}`,
  ]
  return { json: report, text: lines.join('\n') }
}

/** Widths of the table. */
const COLUMNS = [16, 10, 7, 9, 11, 11, 10, 9]

const describeTime = (seconds: number | null): string =>
  seconds === null ? 'none was decided' : `${(seconds / 3_600).toFixed(1)} hours`

export function describeDecision({ id, kind, reason, until, liftsId, decidedBy }: ShownDecision): string {
  const more = [...(liftsId ? [`of ${liftsId}`] : []), ...(until ? [`until ${until}`] : [])]
  return [id, kind, ...more, reason, `by ${decidedBy}`].join('  ')
}

export function describeAppeal({ id, sanctionId, text, granted, decidedBy }: ShownAppeal): string {
  const outcome = granted === null ? 'open' : `${granted ? 'granted' : 'rejected'} by ${decidedBy}`
  return [id, `appeal against ${sanctionId}`, outcome, text].join('  ')
}
