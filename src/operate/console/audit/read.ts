/** Pages of the audit log with what they are about. */
import type { Reader } from '../../../../db/index.ts'
import type { Cursors } from '../../../core/pagination.ts'
import { readAuditPage } from '../../../identity/staff/audit/read.ts'
import type { AuditQuery } from '../../../identity/staff/audit/schema.ts'
import { readSubjectNames } from '../../../identity/staff/audit/subjects.ts'
import { createNames } from '../../admin/fans/timeline/names.ts'
import { readAuditContext } from './context.ts'

export async function readAudit(reader: Reader, cursors: Cursors, query: typeof AuditQuery.static) {
  const { entries, nextCursor } = await readAuditPage(reader, cursors, query)
  const named = await readSubjectNames(
    reader,
    entries.map(({ subject }) => subject),
  )
  const contextOf = await readAuditContext(reader, entries)
  const wanted = createNames()
  for (const { subject } of entries) if (isNamed(subject.kind)) wanted.want(subject.kind, subject.id)
  const names = await wanted.read(reader)
  const subjectOf = ({ subject }: (typeof entries)[number]) => {
    const { kind, id, name } = named(subject)
    const own = isNamed(kind) ? names.word(kind, id) : id
    return { kind, id, name: name ?? (own === id ? null : own) }
  }
  return {
    entries: entries.map(entry => ({ ...entry, ...contextOf(entry), subject: subjectOf(entry) })),
    nextCursor,
  }
}

/** Entries of the catalogue that have a name of their own, and matches. */
const NAMED = ['match', 'reward', 'pack', 'product', 'quest', 'rule', 'set', 'team', 'question'] as const
const isNamed = (kind: string): kind is (typeof NAMED)[number] => NAMED.some(name => name === kind)
