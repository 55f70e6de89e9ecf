/** Pages of the audit log with what they are about. */
import type { Reader } from '../../../../db/index.ts'
import type { Cursors } from '../../../core/pagination.ts'
import { readAuditPage } from '../../../identity/staff/audit/read.ts'
import type { AuditQuery } from '../../../identity/staff/audit/schema.ts'
import { readSubjectNames } from '../../../identity/staff/audit/subjects.ts'
import { readAuditContext } from './context.ts'

export async function readAudit(reader: Reader, cursors: Cursors, query: typeof AuditQuery.static) {
  const { entries, nextCursor } = await readAuditPage(reader, cursors, query)
  const named = await readSubjectNames(
    reader,
    entries.map(({ subject }) => subject),
  )
  const contextOf = await readAuditContext(reader, entries)
  return {
    entries: entries.map(entry => ({ ...entry, ...contextOf(entry), subject: named(entry.subject) })),
    nextCursor,
  }
}
