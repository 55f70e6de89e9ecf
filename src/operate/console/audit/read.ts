/** Reads pages of the audit log, the newest row first. */
import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { parseQueryInstant } from '../../../core/instant.ts'
import { type Cursors, cutPage, pageOf } from '../../../core/pagination.ts'
import type { AuditRow } from './hash.ts'
import type { AuditFilter, AuditQuery } from './schema.ts'
import { readSubjectNames } from './subjects.ts'

export async function readAudit(reader: Reader, cursors: Cursors, query: typeof AuditQuery.static) {
  const { limit: _, cursor: __, ...filter } = query
  const { limit, cursor } = pageOf(query)
  const list = `console audit ${JSON.stringify(filter)}`
  const before = cursors.decode(list, cursor)
  const { consoleAudit } = reader.tables
  const rows = await reader
    .select()
    .from(consoleAudit)
    .where(
      and(matches(reader, filter), before === undefined ? undefined : lt(consoleAudit.seq, Number(before))),
    )
    .orderBy(desc(consoleAudit.seq))
    .limit(limit + 1)
  const { shown, nextCursor } = cutPage(rows, limit, ({ seq }) => cursors.encode(list, seq))
  const entries = shown.map(presentAuditRow)
  const named = await readSubjectNames(
    reader,
    entries.map(({ subject }) => subject),
  )
  return { entries: entries.map(entry => ({ ...entry, subject: named(entry.subject) })), nextCursor }
}

export function matches(reader: Reader, filter: Partial<typeof AuditFilter.static>) {
  const { consoleAudit } = reader.tables
  const { staffId, subjectKind, subjectId, operation, from, to } = filter
  const [first, last] = [from, to].map(text => (text === undefined ? null : parseQueryInstant(text)))
  return and(
    staffId === undefined ? undefined : eq(consoleAudit.staffId, staffId),
    subjectKind === undefined ? undefined : eq(consoleAudit.subjectKind, subjectKind),
    subjectId === undefined ? undefined : eq(consoleAudit.subjectId, subjectId),
    operation === undefined ? undefined : eq(consoleAudit.operation, operation),
    first ? gte(consoleAudit.at, first) : undefined,
    last ? lt(consoleAudit.at, last) : undefined,
  )
}

export function presentAuditRow(row: AuditRow) {
  const { seq, at, staffId, staffName, role, operation, subjectKind, subjectId, reason, hash } = row
  return {
    seq,
    at: at.toISOString(),
    staff: { id: staffId, name: staffName, role },
    operation,
    subject: { kind: subjectKind, id: subjectId },
    reason,
    // Guarantee of the cast: `recordAction` writes objects.
    detail: row.detail === null ? null : (JSON.parse(row.detail) as Record<string, unknown>),
    confirmedBy:
      row.confirmedById === null ? null : { id: row.confirmedById, name: row.confirmedByName ?? '' },
    hash,
  }
}
