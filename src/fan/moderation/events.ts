/**
 * Events for the fans who are concerned by a decision, without who decided. Rules and quests do not get them:
 * points for upheld reports would be an incentive to report.
 */
import type { Tables, Transaction } from '../../../db/index.ts'
import { applicationEvent } from '../../economy/events/record-event.ts'
import { recordNotices } from '../../economy/events/record-notices.ts'
import type { DataOf } from '../../economy/events/types.ts'
import type { Appeal } from '../../identity/sanctions/appeals.ts'
import type { Decision } from '../../identity/sanctions/decisions.ts'
import { lockFans } from '../../identity/users/locks.ts'
import type { SubjectKind } from './subjects.ts'

type Applied = DataOf<'sanction.applied'>

// Guarantee of the casts: only `recordDecision` writes kinds and reasons.
const kindOf = ({ kind }: Decision) => kind as Applied['kind']
const reasonOf = ({ reason }: Decision) => reason as Applied['reason']

export async function recordSanction(tx: Transaction, sanction: Decision): Promise<void> {
  const { id, fanId, until } = sanction
  const [kind, reason] = [kindOf(sanction), reasonOf(sanction)]
  const data = { sanctionId: id, kind, reason, until: until?.toISOString() ?? null }
  await recordNotices(tx, [
    applicationEvent(tx, { userId: fanId, type: 'sanction.applied', eventId: id, data }),
  ])
}

export async function recordLift(tx: Transaction, { id, fanId }: Decision, sanction: Decision) {
  const data = { sanctionId: sanction.id, kind: kindOf(sanction) }
  await recordNotices(tx, [
    applicationEvent(tx, { userId: fanId, type: 'sanction.lifted', eventId: id, data }),
  ])
}

export async function recordAppeal(tx: Transaction, { id, fanId, sanctionId, granted }: Appeal) {
  const data = { sanctionId, granted: granted === true }
  await recordNotices(tx, [
    applicationEvent(tx, { userId: fanId, type: 'appeal.decided', eventId: id, data }),
  ])
}

type ResolvedReport = Pick<
  Tables['reports']['$inferSelect'],
  'id' | 'reporterId' | 'subjectKind' | 'actionTaken'
>

/** For the reporters who are not erased. */
export async function recordResolved(tx: Transaction, reports: ResolvedReport[]): Promise<void> {
  const reporters = await lockFans(tx, [...new Set(reports.flatMap(({ reporterId }) => reporterId ?? []))])
  const events = reports.flatMap(({ id, reporterId, subjectKind, actionTaken }) => {
    const reporter = reporterId === null ? undefined : reporters.get(reporterId)
    if (reporter?.state !== 'active') return []
    // Guarantee of the cast: only `fileReport` writes reports of a reporter.
    const data = {
      reportId: id,
      subjectKind: subjectKind as SubjectKind,
      actionTaken: actionTaken === true,
    }
    return applicationEvent(tx, { userId: reporter.id, type: 'report.resolved', eventId: id, data })
  })
  await recordNotices(tx, events)
}
