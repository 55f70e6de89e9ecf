/**
 * Applies the decisions of moderators again, and compares the result with the records of fans, reports, notes and appeals.
 */
import { and, asc, eq, isNotNull, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, differsInTime, type Finding, isSet } from '../../core/finding.ts'
import { foldDecisions } from '../../identity/sanctions/decisions.ts'
import { SANCTIONS } from '../../identity/sanctions/kinds.ts'

type Decision = Tables['moderationDecisions']['$inferSelect']
type User = Tables['users']['$inferSelect']

/** Needs a snapshot: a decision is written together with its effects. */
export async function findWrongModeration(reader: Reader, range: Range): Promise<Finding[]> {
  const { moderationDecisions, users } = reader.tables
  const decisions = await reader
    .select()
    .from(moderationDecisions)
    .where(inRange(moderationDecisions.fanId, range))
    .orderBy(asc(moderationDecisions.seq))
  const byFan = Map.groupBy(decisions, ({ fanId }) => fanId)
  const { id, hiddenAt, silencedAt, suspendedUntil } = users
  const sanctioned = await reader
    .select({ id, hiddenAt, silencedAt, suspendedUntil })
    .from(users)
    .where(and(inRange(id, range), or(isNotNull(hiddenAt), isNotNull(silencedAt), isNotNull(suspendedUntil))))
  const fans = new Map(sanctioned.map(fan => [fan.id, fan]))
  return [
    ...[...new Set([...byFan.keys(), ...fans.keys()])].flatMap(fanId =>
      fanFindings(fanId, byFan.get(fanId) ?? [], fans.get(fanId)),
    ),
    ...(await findWrongNotes(reader, range)),
    ...(await findWrongStatements(reader, range)),
    ...(await findWrongAppeals(reader, range, byFan)),
    ...(await findWrongReports(reader, range)),
    ...(await findWrongNotices(reader, range)),
  ]
}

type Sanctioned = Pick<User, 'hiddenAt' | 'silencedAt' | 'suspendedUntil'>

function fanFindings(fanId: string, decisions: Decision[], fan: Sanctioned | undefined): Finding[] {
  const { hidden, muted, suspended } = foldDecisions(decisions)
  const ids = new Set<string>()
  return [
    ...decisions.flatMap(({ id, seq, kind, liftsId }, index) => {
      const isLost = liftsId !== null && !ids.has(liftsId)
      if (SANCTIONS.some(sanction => sanction === kind)) ids.add(id)
      return [
        ...differs(fanId, `moderation_decisions.seq of ${id}`, index + 1, seq),
        ...(isLost
          ? differs(fanId, `moderation_decisions.lifts_id of ${id}`, 'an earlier sanction', liftsId)
          : []),
      ]
    }),
    ...differs(fanId, 'users.hidden_at', hidden?.createdAt ?? null, fan?.hiddenAt ?? null),
    ...differs(fanId, 'users.silenced_at', muted?.createdAt ?? null, fan?.silencedAt ?? null),
    ...differs(fanId, 'users.suspended_until', suspended?.until ?? null, fan?.suspendedUntil ?? null),
  ]
}

async function findWrongNotes(reader: Reader, range: Range): Promise<Finding[]> {
  const { moderationNotes: notes, moderationDecisions: decisions } = reader.tables
  const rows = await reader
    .select({ id: notes.decisionId, fanId: notes.fanId, ofDecision: decisions.fanId })
    .from(notes)
    .leftJoin(decisions, eq(decisions.id, notes.decisionId))
    .where(inRange(notes.fanId, range))
  return rows.flatMap(({ id, fanId, ofDecision }) =>
    differs(fanId, `moderation_notes.fan_id of ${id}`, ofDecision, fanId),
  )
}

/** A statement is about a sanction of the same fan. */
async function findWrongStatements(reader: Reader, range: Range): Promise<Finding[]> {
  const { moderationStatements: statements, moderationDecisions: decisions } = reader.tables
  const rows = await reader
    .select({
      id: statements.decisionId,
      fanId: statements.fanId,
      ofDecision: decisions.fanId,
      kind: decisions.kind,
    })
    .from(statements)
    .leftJoin(decisions, eq(decisions.id, statements.decisionId))
    .where(inRange(statements.fanId, range))
  return rows.flatMap(({ id, fanId, ofDecision, kind }) => [
    ...differs(fanId, `moderation_statements.fan_id of ${id}`, ofDecision, fanId),
    ...(SANCTIONS.some(sanction => sanction === kind)
      ? []
      : differs(fanId, `moderation_statements.decision_id of ${id}`, 'a sanction', kind)),
  ])
}

/** A granted appeal must lift its sanction, unless the sanction had already ended. */
async function findWrongAppeals(
  reader: Reader,
  range: Range,
  byFan: Map<string, Decision[]>,
): Promise<Finding[]> {
  const { appeals } = reader.tables
  const rows = await reader.select().from(appeals).where(inRange(appeals.fanId, range))
  return rows.flatMap(({ sanctionId, fanId, granted, decidedAt }) => {
    const what = (column: string) => `appeals.${column} of ${sanctionId}`
    const decisions = byFan.get(fanId) ?? []
    const sanction = decisions.find(({ id }) => id === sanctionId)
    if (!sanction || !SANCTIONS.some(kind => kind === sanction.kind))
      return differs(fanId, what('sanction_id'), 'a sanction of the fan', sanctionId)
    const lift = decisions.find(({ liftsId }) => liftsId === sanctionId)
    const mayHaveEnded = sanction.kind === 'suspend'
    return [
      ...(lift || mayHaveEnded ? [] : differs(fanId, what('granted'), false, granted === true)),
      // Any lift closes the appeal as granted.
      ...(lift && granted === null ? differs(fanId, what('granted'), true, null) : []),
      ...differs(fanId, what('decided_at'), isSet(granted), isSet(decidedAt)),
    ]
  })
}

/** A resolved report must name a decision about its fan, with the same time. */
async function findWrongReports(reader: Reader, range: Range): Promise<Finding[]> {
  const { reports, moderationDecisions: decisions, users } = reader.tables
  const rows = await reader
    .select({ report: reports, decision: decisions, erasedAt: users.erasedAt })
    .from(reports)
    .leftJoin(decisions, eq(decisions.id, reports.decisionId))
    .leftJoin(users, eq(users.id, reports.fanId))
    .where(inRange(reports.fanId, range))
  return rows.flatMap(({ report, decision, erasedAt }) => {
    const { id, fanId, subjectKind, subjectId, decisionId, resolvedAt, actionTaken } = report
    const what = (column: string) => `reports.${column} of ${id}`
    const own = subjectKind === 'fan' ? differs(fanId, what('subject_id'), fanId, subjectId) : []
    // An erasure resolves open reports without a decision.
    if (decisionId === null)
      return resolvedAt && !erasedAt ? [...own, ...differs(fanId, what('decision_id'), 'set', null)] : own
    if (!decision) return [...own, ...differs(fanId, what('decision_id'), 'a decision', decisionId)]
    return [
      ...own,
      ...differs(fanId, what('fan_id'), decision.fanId, fanId),
      ...differsInTime(fanId, what('resolved_at'), decision.createdAt, resolvedAt),
      ...differs(fanId, what('action_taken'), decision.kind !== 'dismiss', actionTaken),
    ]
  })
}

/** A sanction that was decided with a notice is one of the fan of its content. */
async function findWrongNotices(reader: Reader, range: Range): Promise<Finding[]> {
  const { contentNotices: notices, moderationDecisions: decisions } = reader.tables
  const rows = await reader
    .select({ id: notices.id, fanId: notices.fanId, kind: decisions.kind, ofDecision: decisions.fanId })
    .from(notices)
    .innerJoin(decisions, eq(decisions.id, notices.decisionId))
    .where(inRange(decisions.fanId, range))
  return rows.flatMap(({ id, fanId, kind, ofDecision }) => [
    ...differs(ofDecision, `content_notices.fan_id of ${id}`, ofDecision, fanId),
    ...(SANCTIONS.some(sanction => sanction === kind)
      ? []
      : differs(ofDecision, `content_notices.decision_id of ${id}`, 'a sanction', kind)),
  ])
}
