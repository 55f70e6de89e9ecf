/** Decisions of moderators in the console, with the verbs of the command `moderate`. */
import type { Transaction } from '../../../../db/index.ts'
import { instantIn } from '../../../core/instant.ts'
import { refuseField } from '../../../core/transport-problems.ts'
import { decide } from '../../../fan/moderation/cases.ts'
import { decideNotice, findNotice } from '../../../fan/moderation/notices.ts'
import type { Decision } from '../../../identity/sanctions/decisions.ts'
import { SANCTIONS } from '../../../identity/sanctions/kinds.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import type { NewDecision, NoticeDecision } from './schema.ts'

const MAX_SUSPENSION_MS = 3_653 * 86_400_000

/** `about`: id of a case, or user id. */
export async function decideAs(
  tx: Transaction,
  staff: Staff,
  about: string,
  { kind, reason, facts, note, until }: NewDecision,
): Promise<Decision> {
  const isSanction = SANCTIONS.some(sanction => sanction === kind)
  if (isSanction && !facts?.trim()) refuseField({ pointer: '/facts', message: 'is required' })
  if (!isSanction && facts !== undefined) refuseField({ pointer: '/facts', message: 'is for a sanction' })
  const common = { ...moderatorOf(staff), reason, facts, note }
  if (kind !== 'suspend') {
    if (until !== undefined) refuseField({ pointer: '/until', message: 'is for a suspension' })
    return decide(tx, about, { ...common, kind })
  }
  if (until === undefined) return refuseField({ pointer: '/until', message: 'is required' })
  const end = instantIn(until)
  const ahead = end.getTime() - tx.now().getTime()
  if (ahead <= 0 || ahead > MAX_SUSPENSION_MS)
    refuseField({ pointer: '/until', message: 'must be in the future, at most ten years ahead' })
  return decide(tx, about, { ...common, kind, until: end })
}

/** Decides a notice, and about the fan of its content in the same unit of work. */
export async function decideNoticeAs(
  tx: Transaction,
  staff: Staff,
  noticeId: string,
  { actionTaken, reason, answer, sanction, facts, until }: NoticeDecision,
) {
  const notice = await findNotice(tx, noticeId)
  const fanId = notice?.decidedAt === null ? notice.fanId : undefined
  if (sanction === undefined) {
    if (facts !== undefined) refuseField({ pointer: '/facts', message: 'is for a sanction' })
    if (until !== undefined) refuseField({ pointer: '/until', message: 'is for a suspension' })
  } else {
    if (!actionTaken) refuseField({ pointer: '/sanction', message: 'is for a notice that is acted on' })
    if (fanId === null) refuseField({ pointer: '/sanction', message: 'is for content of a fan' })
  }
  const decision =
    sanction && fanId ? await decideAs(tx, staff, fanId, { kind: sanction, reason, facts, until }) : undefined
  const decided = { ...moderatorOf(staff), actionTaken, answer, decisionId: decision?.id }
  return decideNotice(tx, noticeId, decided)
}

/** The moderator in the form that decisions store. */
export const moderatorOf = ({ id, name }: Staff) => ({ decidedBy: name, decidedById: id })
