/** Reports and decisions about a fan. */
import type { Reader } from '../../../../db/index.ts'
import { listOpenReports } from '../../../fan/moderation/cases.ts'
import { type Appeal, listAppeals } from '../../../identity/sanctions/appeals.ts'
import {
  type Decision,
  listDecisions,
  readNotesAbout,
  sanctionsInForce,
} from '../../../identity/sanctions/decisions.ts'
import type { NamedFan } from './find-fan.ts'

export async function readFanRecord(reader: Reader, { id: fanId, handle }: NamedFan) {
  const rows = await listDecisions(reader, fanId)
  const notes = await readNotesAbout(reader, fanId)
  return {
    fanId,
    handle,
    reports: (await listOpenReports(reader, fanId)).map(presentReport),
    inForce: sanctionsInForce(rows, reader.now()),
    decisions: rows.map(row => ({ ...presentDecision(row), note: notes.get(row.id) ?? null })),
    appeals: (await listAppeals(reader, fanId)).map(presentAppeal),
  }
}

type Report = Awaited<ReturnType<typeof listOpenReports>>[number]

/** `evidence`: the content of the subject at that time. */
function presentReport({ id, reporterId, subjectKind, reason, note, evidence, createdAt }: Report) {
  return {
    id,
    reporterId,
    subjectKind,
    reason,
    note,
    createdAt: createdAt.toISOString(),
    evidence: evidence === null ? null : JSON.parse(evidence),
  }
}

export function presentDecision({ seq: _, fanId, until, createdAt, ...row }: Decision) {
  return { ...row, fanId, until: until?.toISOString() ?? null, createdAt: createdAt.toISOString() }
}

export function presentAppeal({ createdAt, decidedAt, ...appeal }: Appeal) {
  return { ...appeal, createdAt: createdAt.toISOString(), decidedAt: decidedAt?.toISOString() ?? null }
}
