/** Corrections of a fan by staff, for the console: each locks the fan and calls a verb of a room. */
import { and, eq, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { refuseField } from '../../../core/transport-problems.ts'
import { eventProblems } from '../../../economy/events/problems.ts'
import { APPLICATION } from '../../../economy/events/types.ts'
import { voidEvent } from '../../../economy/events/void-event.ts'
import { eraseUser } from '../../../fan/account/erase-user.ts'
import { changeProfile } from '../../../fan/profile/profile.ts'
import { endAllSessions } from '../../../identity/auth/token-validity.ts'
import { lockFan } from '../../../identity/users/locks.ts'
import { userProblems } from '../../../identity/users/problems.ts'
import type { Tombstone } from '../../../identity/users/tombstone.ts'
import { findUserById } from '../../../identity/users/users.ts'

/** @throws DomainError `fan_not_found`, also for a fan who is erased or merged */
export async function lockForStaff(tx: Transaction, fanId: string): Promise<string> {
  const fan = await lockFan(tx, fanId)
  if (!fan) throw new DomainError(userProblems.fan_not_found, { detail: 'No fan has this id, or no longer.' })
  return fan.id
}

export async function endSessionsOf(tx: Transaction, fanId: string): Promise<{ devices: number }> {
  return { devices: await endAllSessions(tx, await lockForStaff(tx, fanId)) }
}

export interface Names {
  displayName?: string | null | undefined
  handle?: string | null | undefined
}

/** Follows the rules of public text. An absent member keeps its value; null clears it. */
export async function renameFan(
  tx: Transaction,
  fanId: string,
  { displayName, handle }: Names,
): Promise<void> {
  // never profile_not_found: the record is locked.
  await changeProfile(tx, await lockForStaff(tx, fanId), {
    ...(displayName === undefined ? {} : { displayName }),
    ...(handle === undefined ? {} : { handle }),
  })
}

/** Voids an event of another system. Events of the application have causes, which are corrected instead. */
export async function voidEventOf(
  tx: Transaction,
  fanId: string,
  { source, eventId }: { source: string; eventId: string },
) {
  const { events, users } = tx.tables
  await lockForStaff(tx, fanId)
  const [event] = await tx
    .select({ source: events.source })
    .from(events)
    .innerJoin(users, eq(users.id, events.userId))
    .where(and(eq(events.source, source), eq(events.eventId, eventId), isOfFan()))
  if (!event || source === APPLICATION)
    throw new DomainError(eventProblems.event_not_found, {
      detail: event
        ? 'The application recorded this event itself: it cannot be voided.'
        : 'The fan has no such event.',
    })
  const taken = await voidEvent(tx, { source, eventId })
  return taken instanceof DomainError ? taken : { taken }

  function isOfFan() {
    return or(eq(users.id, fanId), eq(users.mergedIntoId, fanId))
  }
}

/**
 * `confirm`: the handle of the fan, or the id of a fan without a handle, as the person typed it. @throws DomainError
 * `fan_not_found`, or a validation error of the field
 */
export async function requireConfirmed(reader: Reader, fanId: string, confirm: string): Promise<void> {
  const user = await findUserById(reader, fanId)
  if (!user || user.erasedAt || user.mergedIntoId) throw new DomainError(userProblems.fan_not_found)
  if (confirm !== (user.handle ?? fanId))
    refuseField({
      pointer: '/confirm',
      message: 'must be the handle of the fan, or the id of a fan without one',
    })
}

export async function eraseFan(
  tx: Transaction,
  fanId: string,
  confirm: string,
  onErased: (tombstone: Tombstone) => void,
) {
  await lockForStaff(tx, fanId)
  await requireConfirmed(tx, fanId, confirm)
  const erasure = await eraseUser(tx, { id: fanId }, onErased)
  if (!erasure) throw new DomainError(userProblems.fan_not_found)
  const { devices, redemptionCodes, grantNotes, eventData } = erasure
  return { devices, redemptionCodes, grantNotes, eventData }
}
