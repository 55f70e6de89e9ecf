/**
 * Decisions of moderators. They are append-only: the sanctions in force are computed from all decisions about
 * a fan.
 */
import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { fanTag } from '../../platform/cache/tags.ts'
import { userProblems } from '../users/problems.ts'
import { lockForSanction, writeSanctionState } from '../users/sanction-state.ts'
import { sanctionProblems } from './problems.ts'
import type { Reason } from './reasons.ts'

export type Decision = Tables['moderationDecisions']['$inferSelect']

/** Who decides: by name, and in the console also by their id. */
export interface Moderator {
  decidedBy: string
  decidedById?: string | null
}

/** What a moderator decides. `until` is in the future; `liftsId` is the id of a sanction in force. */
export type NewDecision = Moderator & {
  fanId: string
  reason: Reason
  note?: string | undefined
  /** What happened, in words for the fan. Of sanctions only. */
  facts?: string | undefined
  /** Whether software found it. False by default. */
  automated?: boolean
} & (
    | { kind: 'dismiss' | 'hide' | 'mute' | 'note' }
    | { kind: 'suspend'; until: Date }
    | { kind: 'lift'; liftsId: string }
  )

/** In their order. */
export const listDecisions = prepared((reader: Reader, fanId: string) => {
  const { moderationDecisions: decisions } = reader.tables
  return reader.select().from(decisions).where(eq(decisions.fanId, fanId)).orderBy(asc(decisions.seq))
})

export const findDecision = preparedRow((reader: Reader, id: string) => {
  const { moderationDecisions: decisions } = reader.tables
  return reader.select().from(decisions).where(eq(decisions.id, id))
})

/** A later suspension replaces an earlier one. Null: nothing of the kind is in force. A suspension also ends by its `until`. */
export function foldDecisions(decisions: readonly Decision[]) {
  let hidden: Decision | null = null
  let muted: Decision | null = null
  let suspended: Decision | null = null
  for (const decision of decisions) {
    if (decision.kind === 'hide') hidden ??= decision
    if (decision.kind === 'mute') muted ??= decision
    if (decision.kind === 'suspend') suspended = decision
    if (decision.kind === 'lift' && decision.liftsId === hidden?.id) hidden = null
    if (decision.kind === 'lift' && decision.liftsId === muted?.id) muted = null
    if (decision.kind === 'lift' && decision.liftsId === suspended?.id) suspended = null
  }
  return { hidden, muted, suspended }
}

/** Ids of the sanctions that are in force. */
export function sanctionsInForce(decisions: readonly Decision[], now: Date): string[] {
  const { hidden, muted, suspended } = foldDecisions(decisions)
  const active = suspended?.until && suspended.until > now ? suspended : null
  return [hidden, muted, active].flatMap(sanction => (sanction ? [sanction.id] : []))
}

/**
 * Appends a decision and puts it in force. The lock waits for units of work of the fan that have begun; later ones find the
 * decision. A fan who is hidden or muted is not hidden or muted again: the decision in force is returned.
 * @throws DomainError `fan_not_found`, `sanction_not_in_force`
 */
export async function recordDecision(tx: Transaction, decision: NewDecision): Promise<Decision> {
  const { fanId, kind, reason, decidedBy, decidedById = null, note, facts } = decision
  if (!(await lockForSanction(tx, fanId))) throw new DomainError(userProblems.fan_not_found)
  const earlier = await listDecisions(tx, fanId)
  const { hidden, muted } = foldDecisions(earlier)
  if (kind === 'hide' && hidden) return hidden
  if (kind === 'mute' && muted) return muted
  if (kind === 'lift' && !sanctionsInForce(earlier, tx.now()).includes(decision.liftsId))
    throw new DomainError(sanctionProblems.sanction_not_in_force)
  const row: Decision = {
    id: tx.newId(),
    fanId,
    seq: earlier.length + 1,
    kind,
    reason,
    until: kind === 'suspend' ? decision.until : null,
    liftsId: kind === 'lift' ? decision.liftsId : null,
    decidedBy,
    decidedById,
    createdAt: tx.now(),
  }
  const { moderationDecisions, moderationNotes, moderationStatements } = tx.tables
  await tx.insert(moderationDecisions).values(row)
  if (note) await tx.insert(moderationNotes).values({ decisionId: row.id, fanId, note })
  const state = foldDecisions([...earlier, row])
  await writeSanctionState(tx, fanId, {
    hiddenAt: state.hidden?.createdAt ?? null,
    silencedAt: state.muted?.createdAt ?? null,
    suspendedUntil: state.suspended?.until ?? null,
  })
  if (kind === 'hide' || kind === 'mute' || kind === 'suspend') {
    const { automated = false } = decision
    await tx
      .insert(moderationStatements)
      .values({ decisionId: row.id, fanId, facts: facts ?? null, automated })
    await tx.spine.sanctions.recordSanction(tx, row)
  }
  const lifted = kind === 'lift' && earlier.find(({ id }) => id === decision.liftsId)
  if (lifted) {
    await tx.spine.sanctions.recordLift(tx, row, lifted)
    await closeAppeal(tx, lifted.id, { granted: true, decidedBy, decidedById })
  }
  tx.invalidate(fanTag(fanId))
  return row
}

interface AppealDecision extends Moderator {
  granted: boolean
}

/** Whether the appeal was open. */
export async function closeAppeal(tx: Transaction, sanctionId: string, decision: AppealDecision) {
  const { appeals } = tx.tables
  const [closed] = await tx
    .update(appeals)
    .set({ ...decision, decidedAt: tx.now() })
    .where(and(eq(appeals.sanctionId, sanctionId), isNull(appeals.decidedAt)))
    .returning()
  if (closed) await tx.spine.sanctions.recordAppeal(tx, closed)
  return closed !== undefined
}

export async function deleteNotesAbout(tx: Transaction, fanId: string): Promise<void> {
  const { moderationNotes } = tx.tables
  await tx.delete(moderationNotes).where(eq(moderationNotes.fanId, fanId))
}

/** By the id of the decision. */
export async function readNotesAbout(reader: Reader, fanId: string): Promise<Map<string, string>> {
  const { moderationNotes: notes } = reader.tables
  const rows = await reader.select().from(notes).where(eq(notes.fanId, fanId))
  return new Map(rows.map(({ decisionId, note }) => [decisionId, note]))
}

/** What the fan learns about a sanction. */
export interface Statement {
  facts: string | null
  automated: boolean
}

/** By the id of the decision. */
export async function readStatements(reader: Reader, fanId: string): Promise<Map<string, Statement>> {
  const { moderationStatements: statements } = reader.tables
  const rows = await reader.select().from(statements).where(eq(statements.fanId, fanId))
  return new Map(rows.map(({ decisionId, facts, automated }) => [decisionId, { facts, automated }]))
}

/** For an erasure. The rows stay, so that reports of a year count the same. */
export async function clearFactsAbout(tx: Transaction, fanId: string): Promise<void> {
  const { moderationStatements: statements } = tx.tables
  await tx
    .update(statements)
    .set({ facts: null })
    .where(and(eq(statements.fanId, fanId), isNotNull(statements.facts)))
}
