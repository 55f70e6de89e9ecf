/** The hash chain of the audit log. */
import { hash } from 'node:crypto'
import type { Tables } from '../../../../db/index.ts'

export type AuditRow = Tables['consoleAudit']['$inferSelect']

/** The previous hash of the first row. */
export const FIRST_PREVIOUS_HASH = '0'.repeat(64)

/**
 * SHA-256, in lower-case hex, over the JSON array `[previousHash, seq, at, staffId, staffName, role, operation, subjectKind,
 * subjectId, reason, detail, confirmedById, confirmedByName]`, without white space, in UTF-8; `at` is ISO 8601 in UTC with
 * milliseconds, `detail` its text.
 */
export function hashAuditRow(previousHash: string, row: Omit<AuditRow, 'hash'>): string {
  const { seq, at, staffId, staffName, role, operation, subjectKind, subjectId, reason, detail } = row
  const who = [staffId, staffName, role]
  const what = [operation, subjectKind, subjectId, reason, detail]
  const second = [row.confirmedById, row.confirmedByName]
  return hash(
    'sha256',
    JSON.stringify([previousHash, seq, at.toISOString(), ...who, ...what, ...second]),
    'hex',
  )
}
