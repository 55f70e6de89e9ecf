/** Changes of tiers as events. Neither rules nor readers get them: what they would book could change a tier again. */
import type { Transaction } from '../../../db/index.ts'
import type { ToldTier } from '../accounts/spine.ts'
import { applicationEvent } from './record-event.ts'
import { recordNotices } from './record-notices.ts'

/** The id of an event names the change, so that it cannot be recorded twice. */
export const recordTiers = (tx: Transaction, changes: ToldTier[]): Promise<void> =>
  recordNotices(
    tx,
    changes.map(change => eventOfTier(tx, change)),
  )

function eventOfTier(
  tx: Transaction,
  { type, userId, accountId, tierId, to, reason, seq, endsAt }: ToldTier,
) {
  const eventId = `tier:${type}:${accountId}:${tierId}:${userId}:${endsAt?.getTime() ?? seq}`
  const data = { accountId, tierId }
  if (type === 'reached') return applicationEvent(tx, { userId, type: 'tier.reached', data, eventId })
  if (type === 'at_risk') {
    const ends = (endsAt ?? tx.now()).toISOString()
    return applicationEvent(tx, { userId, type: 'tier.at_risk', data: { ...data, endsAt: ends }, eventId })
  }
  const lost = { ...data, toTierId: to, reason: reason === 'correction' ? reason : ('season' as const) }
  return applicationEvent(tx, { userId, type: 'tier.lost', data: lost, eventId })
}
