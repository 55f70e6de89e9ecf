/** Compares each invitation with the onboarding of the invited fan, the event that completed it, and those that tell it. */
import { and, eq, inArray } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, differsInTime, type Finding, isSet } from '../../core/finding.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import { readSeamsOf } from '../../economy/points/seams.ts'
import { REFERRAL_ROLES, type ReferralRole, referralEventId } from '../../fan/referrals/referrals.ts'

type Referral = Tables['referrals']['$inferSelect']
type Told = Pick<Tables['events']['$inferSelect'], 'eventId' | 'userId' | 'occurredAt' | 'voidedAt'> & {
  mergedIntoId: string | null
}

/** Needs a snapshot: an event is written together with the row. */
export async function findWrongReferrals(reader: Reader, range: Range): Promise<Finding[]> {
  const { referrals, onboardings, events, users } = reader.tables
  const rows = await reader
    .select({ referral: referrals, onboardedAt: onboardings.completedAt })
    .from(referrals)
    .leftJoin(onboardings, eq(onboardings.userId, referrals.inviteeId))
    .where(inRange(referrals.inviteeId, range))
  if (rows.length === 0) return []
  const { eventId, userId, occurredAt, voidedAt } = events
  const ids = rows.flatMap(({ referral: { inviteeId } }) =>
    REFERRAL_ROLES.map(role => referralEventId(inviteeId, role)),
  )
  const recorded = await reader
    .select({ eventId, userId, occurredAt, voidedAt, mergedIntoId: users.mergedIntoId })
    .from(events)
    .leftJoin(users, eq(users.id, userId))
    .where(and(eq(events.source, APPLICATION), inArray(eventId, ids)))
  const told = new Map(recorded.map(event => [event.eventId, event]))
  const causes = await reader
    .select({ inviteeId: referrals.inviteeId, userId })
    .from(referrals)
    .innerJoin(events, and(eq(events.source, referrals.source), eq(eventId, referrals.eventId)))
    .where(inRange(referrals.inviteeId, range))
  const causeOf = new Map(causes.map(({ inviteeId, userId }) => [inviteeId, userId]))
  const seams = await readSeamsOf(reader, range)
  return rows.flatMap(({ referral, onboardedAt }) => {
    const { inviteeId, completedAt, invitedAt } = referral
    const cause = causeOf.get(inviteeId)
    // The event of another system may be archived.
    const isKnown = completedAt !== null && (cause !== undefined || !seams.has(inviteeId))
    return [
      ...(onboardedAt ? differsInTime(inviteeId, 'referrals.invited_at', onboardedAt, invitedAt) : []),
      ...(isKnown ? differs(inviteeId, 'referrals.event_id', inviteeId, cause ?? null) : []),
      ...REFERRAL_ROLES.flatMap(role =>
        compareTold(referral, role, told.get(referralEventId(inviteeId, role))),
      ),
    ]
  })
}

function compareTold(
  { inviteeId, inviterId, completedAt, voidedAt }: Referral,
  role: ReferralRole,
  event: Told | undefined,
): Finding[] {
  if (completedAt === null || !event)
    return differs(inviteeId, 'referrals.completed_at', event?.occurredAt ?? null, completedAt)
  const [fanId, column] = role === 'invited' ? [inviteeId, 'invitee_id'] : [inviterId, 'inviter_id']
  // A merge moves the invitations that a fan made, but not their events.
  const isTheirs = fanId === event.userId || fanId === event.mergedIntoId
  return [
    ...(isTheirs ? [] : differs(inviteeId, `referrals.${column}`, event.userId, fanId)),
    ...differsInTime(inviteeId, 'referrals.completed_at', event.occurredAt, completedAt),
    ...differs(inviteeId, 'referrals.voided_at', isSet(event.voidedAt), isSet(voidedAt)),
  ]
}
