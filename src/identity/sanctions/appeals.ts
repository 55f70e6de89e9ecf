/** Appeals of fans against sanctions: one for each, decided once, by another person than the sanction. */
import { and, asc, count, eq, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { isAfter, type TimedPosition } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { lockForSanction } from '../users/sanction-state.ts'
import {
  closeAppeal,
  listDecisions,
  type Moderator,
  type NewDecision,
  recordDecision,
  sanctionsInForce,
} from './decisions.ts'
import { appealProblems, sanctionProblems } from './problems.ts'

export type Appeal = Tables['appeals']['$inferSelect']

/** Against a sanction in force. A decision about the fan waits for it. */
export async function appealSanction(
  tx: Transaction,
  { userId: fanId }: Caller,
  { sanctionId, text }: { sanctionId: string; text: string },
): Promise<Appeal> {
  const decisions = await listDecisions(tx, fanId)
  const sanction = decisions.find(({ id, kind }) => id === sanctionId && kind !== 'lift' && kind !== 'note')
  if (!sanction || sanction.kind === 'dismiss') throw new DomainError(sanctionProblems.sanction_not_found)
  if (!sanctionsInForce(decisions, tx.now()).includes(sanctionId))
    throw new DomainError(sanctionProblems.sanction_not_in_force)
  const [appeal] = await tx
    .insert(tx.tables.appeals)
    .values({ id: tx.newId(), sanctionId, fanId, text, createdAt: tx.now() })
    .onConflictDoNothing()
    .returning()
  if (!appeal) throw new DomainError(sanctionProblems.already_appealed)
  return appeal
}

export const readAppeal = preparedRow((reader: Reader, sanctionId: string) => {
  const { appeals } = reader.tables
  return reader.select().from(appeals).where(eq(appeals.sanctionId, sanctionId))
})

/** In their order. */
export function listAppeals(reader: Reader, fanId: string) {
  const { appeals } = reader.tables
  return reader
    .select()
    .from(appeals)
    .where(eq(appeals.fanId, fanId))
    .orderBy(asc(appeals.createdAt), asc(appeals.id))
}

/** Open appeals of all fans, the oldest first. `after`: starts after this appeal. */
export function listOpenAppeals(reader: Reader, limit: number, after?: TimedPosition) {
  const { appeals, moderationDecisions: decisions } = reader.tables
  const { createdAt, id } = appeals
  return reader
    .select({ appeal: appeals, sanction: decisions })
    .from(appeals)
    .innerJoin(decisions, eq(decisions.id, appeals.sanctionId))
    .where(and(isNull(appeals.decidedAt), isAfter(createdAt, id, after)))
    .orderBy(asc(createdAt), asc(id))
    .limit(limit)
}

export async function countOpenAppeals(reader: Reader): Promise<number> {
  const { appeals } = reader.tables
  const [row] = await reader.select({ open: count() }).from(appeals).where(isNull(appeals.decidedAt))
  return row?.open ?? 0
}

type AppealDecision = Pick<NewDecision, 'reason' | 'note' | keyof Moderator> & { granted: boolean }

/**
 * Closes the appeal. A granted one lifts the sanction, if it is still in force. Of several decisions at once, one succeeds.
 * @throws DomainError `appeal_not_open`, `appeal_of_own_decision`
 */
export async function decideAppeal(
  tx: Transaction,
  appealId: string,
  decision: AppealDecision,
): Promise<Appeal> {
  const { granted, ...common } = decision
  const { decidedBy, decidedById = null } = common
  const found = await findAppeal(tx, appealId)
  if (!found || !(await lockForSanction(tx, found.fanId)))
    throw new DomainError(appealProblems.appeal_not_open)
  const { sanctionId, fanId } = found
  const decisions = await listDecisions(tx, fanId)
  const sanction = decisions.find(({ id }) => id === sanctionId)
  const deciding = { ...common, createdAt: tx.now() }
  if (sanction && (await tx.spine.sanctions.readSamePerson(tx, [sanction]))(sanction, deciding))
    throw new DomainError(appealProblems.appeal_of_own_decision)
  if (!(await closeAppeal(tx, sanctionId, { granted, decidedBy, decidedById })))
    throw new DomainError(appealProblems.appeal_not_open)
  const isLifted = granted && sanctionsInForce(decisions, tx.now()).includes(sanctionId)
  // never fan_not_found, sanction_not_in_force: the fan is locked, and the sanction is in force.
  if (isLifted) await recordDecision(tx, { ...common, fanId, kind: 'lift', liftsId: sanctionId })
  else if (common.note) await recordDecision(tx, { ...common, fanId, kind: 'note' })
  return { ...found, granted, decidedBy, decidedById, decidedAt: tx.now() }
}

export const findAppeal = preparedRow((reader: Reader, id: string) => {
  const { appeals } = reader.tables
  return reader.select().from(appeals).where(eq(appeals.id, id))
})

export async function deleteAppeals(tx: Transaction, fanId: string): Promise<void> {
  const { appeals } = tx.tables
  await tx.delete(appeals).where(eq(appeals.fanId, fanId))
}
