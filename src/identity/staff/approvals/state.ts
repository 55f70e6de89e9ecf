/** Whether an approval request waits: as an SQL condition, and for a row. */
import { and, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../../db/index.ts'

type ApprovalState = 'pending' | 'confirmed' | 'refused' | 'expired'
export type ApprovalRow = Tables['consoleApprovals']['$inferSelect']

/**
 * An action in steps that has not ended after this time was interrupted, for example because its process died. It waits
 * again. Its steps can be repeated, even while the first attempt still runs.
 */
export const INTERRUPTED_AFTER_MS = 60_000

export function isOpen(reader: Reader): SQL {
  const { decision, request, decidedAt, expiresAt } = reader.tables.consoleApprovals
  const begunBefore = new Date(reader.now().getTime() - INTERRUPTED_AFTER_MS)
  const isInterrupted = and(eq(decision, 'confirmed'), isNotNull(request), lte(decidedAt, begunBefore))
  return and(or(isNull(decision), isInterrupted), gt(expiresAt, reader.now())) ?? sql`false`
}

export function stateOf({ decision, decidedAt, request, expiresAt }: ApprovalRow, now: Date): ApprovalState {
  const begunBefore = now.getTime() - INTERRUPTED_AFTER_MS
  const isInterrupted = request !== null && decidedAt !== null && decidedAt.getTime() <= begunBefore
  if (decision === 'refused' || (decision === 'confirmed' && !(isInterrupted && expiresAt > now)))
    return decision
  return expiresAt > now ? 'pending' : 'expired'
}

/** The states of these requests, by id. */
export async function readApprovalStates(reader: Reader, ids: string[]): Promise<Map<string, ApprovalState>> {
  if (ids.length === 0) return new Map()
  const { consoleApprovals } = reader.tables
  const rows = await reader.select().from(consoleApprovals).where(inArray(consoleApprovals.id, ids))
  return new Map(rows.map(row => [row.id, stateOf(row, reader.now())]))
}
