/** Adds a row to the audit log, in the unit of work of the recorded action. */
import { eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { prepared } from '../../../../db/prepared.ts'
import type { Staff } from '../staff.ts'
import { FIRST_PREVIOUS_HASH, hashAuditRow } from './hash.ts'

/** The subject of an action, only by id: rows of the log outlive the data of fans. */
export interface Subject {
  /** Such as `fan`, `reward`, `order`. */
  kind: string
  id: string
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
/** Ids, numbers and states. No personal data: names, addresses and texts of fans would outlive an erasure. */
export type Detail = Record<string, Json>

export interface Action {
  staff: Staff
  /** Id of the operation. */
  operation: string
  subject: Subject
  reason?: string | undefined
  detail?: Detail | undefined
  /** The second person, for an action that needs two. */
  confirmedBy?: Staff | undefined
}

const HEAD = 'audit'

/** The head stays locked until the unit of work ends, and other actions of staff wait for it. So call it at the end. */
export async function recordAction(tx: Transaction, action: Action): Promise<void> {
  const { staff, operation, subject, reason, detail, confirmedBy } = action
  const [head] = await lockHead(tx)
  if (!head) throw new Error('an upsert returns its row')
  const row = {
    seq: head.seq + 1,
    at: tx.now(),
    staffId: staff.id,
    staffName: staff.name,
    role: staff.role,
    operation,
    subjectKind: subject.kind,
    subjectId: subject.id,
    reason: reason ?? null,
    detail: detail === undefined ? null : JSON.stringify(detail),
    confirmedById: confirmedBy?.id ?? null,
    confirmedByName: confirmedBy?.name ?? null,
  }
  const hash = hashAuditRow(head.hash, row)
  await tx.insert(tx.tables.consoleAudit).values({ ...row, hash })
  await moveHead(tx, { seq: row.seq, hash })
}

const lockHead = prepared((tx: Transaction) => {
  const { consoleAuditHead } = tx.tables
  return tx
    .insert(consoleAuditHead)
    .values({ id: HEAD, seq: 0, hash: FIRST_PREVIOUS_HASH })
    .onConflictDoUpdate({ target: consoleAuditHead.id, set: { seq: sql`${consoleAuditHead.seq}` } })
    .returning()
})

const moveHead = prepared((tx: Transaction, head: { seq: number; hash: string }) => {
  const { consoleAuditHead } = tx.tables
  return tx.update(consoleAuditHead).set(head).where(eq(consoleAuditHead.id, HEAD))
})
