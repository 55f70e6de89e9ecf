/** `bun run moderate show`: open reports about a fan, and what was decided. */
import type { Database } from '../../db/index.ts'
import { listOpenReports } from '../../src/fan/moderation/cases.ts'
import { type Appeal, listAppeals } from '../../src/identity/sanctions/appeals.ts'
import {
  type Decision,
  listDecisions,
  readNotesAbout,
  sanctionsInForce,
} from '../../src/identity/sanctions/decisions.ts'
import type { CommandResult } from '../command/command.ts'

export async function showFan(
  db: Database,
  { id: fanId, handle }: { id: string; handle: string | null },
): Promise<CommandResult> {
  const rows = await listDecisions(db.read, fanId)
  const notes = await readNotesAbout(db.read, fanId)
  const inForce = sanctionsInForce(rows, db.read.now())
  const appeals = await listAppeals(db.read, fanId)
  const decisions = rows.map(row => ({ ...present(row), note: notes.get(row.id) ?? null }))
  const reports = (await listOpenReports(db.read, fanId)).map(
    ({ id, reporterId, subjectKind, reason, note, evidence, createdAt }) => ({
      ...{ id, reporterId, subjectKind, reason, note, createdAt: createdAt.toISOString() },
      evidence: evidence === null ? null : JSON.parse(evidence),
    }),
  )
  const lines = [
    ...reports.map(({ id, reporterId, reason, note, evidence }) =>
      [id, `reported by ${reporterId ?? 'the text filter'}`, reason, note ?? '', JSON.stringify(evidence)]
        .filter(Boolean)
        .join('  '),
    ),
    ...appeals.map(describeAppeal),
    ...decisions.map(row =>
      [describe(row), inForce.includes(row.id) ? 'in force' : '', row.note ?? ''].filter(Boolean).join('  '),
    ),
  ]
  return {
    json: { fanId, handle, reports, inForce, decisions, appeals: appeals.map(presentAppeal) },
    text: [
      `Fan ${fanId}, ${handle ?? 'without a handle'}`,
      ...(lines.length > 0 ? lines : ['Nothing was reported or decided about this fan.']),
    ].join('\n'),
  }
}

export function present({ seq: _, fanId, until, createdAt, ...row }: Decision) {
  return { ...row, fanId, until: until?.toISOString() ?? null, createdAt: createdAt.toISOString() }
}

export function describe({
  id,
  kind,
  reason,
  until,
  liftsId,
  decidedBy,
}: ReturnType<typeof present>): string {
  const more = [...(liftsId ? [`of ${liftsId}`] : []), ...(until ? [`until ${until}`] : [])]
  return [id, kind, ...more, reason, `by ${decidedBy}`].join('  ')
}

export function presentAppeal({ createdAt, decidedAt, ...appeal }: Appeal) {
  return { ...appeal, createdAt: createdAt.toISOString(), decidedAt: decidedAt?.toISOString() ?? null }
}

export function describeAppeal({ id, sanctionId, text, granted, decidedBy }: Appeal): string {
  const outcome = granted === null ? 'open' : `${granted ? 'granted' : 'rejected'} by ${decidedBy}`
  return [id, `appeal against ${sanctionId}`, outcome, text].join('  ')
}
