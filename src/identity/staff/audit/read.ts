/** Reads pages of the audit log, the newest row first. */
import { and, desc, eq, gte, lt } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { parseQueryInstant } from '../../../core/instant.ts'
import { type Cursors, cutPage, pageOf } from '../../../core/pagination.ts'
import type { AuditRow } from './hash.ts'
import type { Subject } from './record.ts'
import type { AuditFilter, AuditQuery } from './schema.ts'

export async function readAuditPage(reader: Reader, cursors: Cursors, query: typeof AuditQuery.static) {
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
  return { entries: shown.map(presentAuditRow), nextCursor }
}

/** The last row of an operation about a subject. */
export async function findLastAction(reader: Reader, { kind, id }: Subject, operation: string) {
  const { consoleAudit } = reader.tables
  const [row] = await reader
    .select({
      staffId: consoleAudit.staffId,
      staffName: consoleAudit.staffName,
      detail: consoleAudit.detail,
    })
    .from(consoleAudit)
    .where(
      and(
        eq(consoleAudit.subjectKind, kind),
        eq(consoleAudit.subjectId, id),
        eq(consoleAudit.operation, operation),
      ),
    )
    .orderBy(desc(consoleAudit.seq))
    .limit(1)
  return row
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
