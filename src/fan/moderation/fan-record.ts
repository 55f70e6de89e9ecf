/** A fan as moderators find them, with the reports and decisions about them. */
import type { Reader } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { type Appeal, findAppeal, listAppeals } from '../../identity/sanctions/appeals.ts'
import {
  type Decision,
  listDecisions,
  readNotesAbout,
  readStatements,
  sanctionsInForce,
} from '../../identity/sanctions/decisions.ts'
import { readHandles, resolveHandle } from '../../identity/users/handles.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { findReport, listOpenReports } from './cases.ts'

interface NamedFan {
  id: string
  handle: string | null
}

/** Named by user id, by handle, or by a report or appeal about them. @throws DomainError `fan_not_found` */
export async function findFan(reader: Reader, named: string): Promise<NamedFan> {
  const about = await resolveHandle(reader, named)
  const subject = (await findReport(reader, about)) ?? (await findAppeal(reader, about))
  const id = subject?.fanId ?? about
  const handle = (await readHandles(reader, [id])).get(id)
  if (handle !== undefined) return { id, handle }
  throw new DomainError(userProblems.fan_not_found, { detail: `There is no fan, case or appeal ${named}.` })
}

export async function readFanRecord(reader: Reader, { id: fanId, handle }: NamedFan) {
  const rows = await listDecisions(reader, fanId)
  const notes = await readNotesAbout(reader, fanId)
  const statements = await readStatements(reader, fanId)
  return {
    fanId,
    handle,
    reports: (await listOpenReports(reader, fanId)).map(presentReport),
    inForce: sanctionsInForce(rows, reader.now()),
    decisions: rows.map(row => ({
      ...presentDecision(row),
      facts: statements.get(row.id)?.facts ?? null,
      automated: statements.get(row.id)?.automated ?? false,
      note: notes.get(row.id) ?? null,
    })),
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
