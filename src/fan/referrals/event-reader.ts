/**
 * Completes invitations by the event that the setting `referralCompletes` names, and takes them back with it. An onboarding
 * completes its own: so it does not look for an invitation that it has not noted.
 */
import { toList } from '../../../db/listed.ts'
import type { NewEvent } from '../../economy/events/event.ts'
import { type EventKey, nameOf } from '../../economy/events/event-rows.ts'
import type { EventReader, Reaction, Recording } from '../../economy/events/readers.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { completeReferral, isCompleting, listInvitations, voidReferral } from './referrals.ts'

export const ONBOARDED = 'onboarding.completed'

export const referralReader: EventReader = {
  async load(tx) {
    const { referralCompletes } = await settingsOf(tx)
    const listensTo = (type: string) => type === referralCompletes && type !== ONBOARDED
    return { listensTo, open: openReferrals }
  },
  names: isCompleting,
}

function openReferrals({ tx, afterwards }: Recording): Reaction {
  /** Invited fans whose invitation is open, and by the event that completed it the fan of the others. */
  const open = new Set<string>()
  const completed = new Map<string, string>()

  async function load(events: NewEvent[]) {
    const userIds = [...new Set(events.map(({ userId }) => userId))]
    for (const { inviteeId, completedAt, source, eventId } of await listInvitations(tx, toList(userIds))) {
      if (!completedAt) open.add(inviteeId)
      // The constraint of the table: both are stored, or none.
      else if (source !== null && eventId !== null) completed.set(nameOf({ source, eventId }), inviteeId)
    }
  }

  return {
    load,
    async onEvent({ userId, source, eventId }) {
      if (!open.delete(userId)) return
      const by: EventKey = { source, eventId }
      afterwards(userId, () => completeReferral(tx, userId, by))
    },
    loadVoids: load,
    async onVoid(event) {
      const inviteeId = completed.get(nameOf(event))
      if (inviteeId !== undefined) afterwards(inviteeId, () => voidReferral(tx, inviteeId))
    },
    async write() {},
  }
}
