/**
 * Fans invite fans. An invitation counts for a new fan, once; when this fan does what the setting `referralCompletes` names,
 * `referral.completed` is recorded for both, so that rules can pay. It is taken back when that event is voided, and when a merge
 * shows that the person had an account before.
 */
import { and, asc, type Column, eq, gte, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed } from '../../../db/listed.ts'
import { countRows } from '../../../db/pages.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { windowAt } from '../../core/windows.ts'
import type { EventKey } from '../../economy/events/event-rows.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import { voidEvent } from '../../economy/events/void-event.ts'
import { lockFan, lockToCount } from '../../identity/users/locks.ts'
import { listMergedRecords } from '../../identity/users/merges.ts'
import { findUserById, type User } from '../../identity/users/users.ts'
import { settingsOf, timeZoneOf } from '../../platform/settings/settings.ts'
import { mintCode, normalizeCode } from '../../play/codes/code.ts'

/** 40 bits: nothing is won by guessing a code. */
const LETTERS = 8
const CODE_BYTES = 5
/** A record that is older is of a fan who existed before the invitation. */
const NEW_MS = 86_400_000

/** The code of the caller, who gets one at the first call, and how many were invited. */
export async function readReferral(tx: Transaction, { userId }: Caller) {
  const { referralLimit: limit } = await settingsOf(tx)
  const code = (await findOwnCode(tx, userId))?.code ?? (await issueCode(tx, userId))
  const { referrals } = tx.tables
  const isTheirs = eq(referrals.inviterId, userId)
  const isCompleted = and(isTheirs, isNotNull(referrals.completedAt), isNull(referrals.voidedAt))
  return {
    code: code.replace(/^.{4}/, '$&-'),
    invited: await countRows(tx, referrals, isTheirs),
    completed: await countRows(tx, referrals, isCompleted),
    limit,
  }
}

const findOwnCode = preparedRow((reader: Reader, userId: string) => {
  const { referralCodes } = reader.tables
  const { code, createdAt } = referralCodes
  return reader
    .select({ code })
    .from(referralCodes)
    .where(eq(referralCodes.userId, userId))
    .orderBy(asc(createdAt), asc(code))
    .limit(1)
})

async function issueCode(tx: Transaction, userId: string): Promise<string> {
  // Concurrent requests of a fan get one code.
  await lockToCount(tx, userId)
  const known = await findOwnCode(tx, userId)
  if (known) return known.code
  for (;;) {
    const code = normalizeCode(mintCode(tx.randomBytes(CODE_BYTES), LETTERS)) ?? ''
    const { referralCodes } = tx.tables
    const [made] = await tx
      .insert(referralCodes)
      .values({ code, userId, createdAt: tx.now() })
      .onConflictDoNothing()
      .returning()
    if (made) return code
  }
}

/**
 * Notes who invited a fan who completes the onboarding now. Returns the handle of the inviter; null if the code is unknown, is
 * the fan's own or of a fan who is gone, or if the fan existed before.
 */
export async function acceptReferral(
  tx: Transaction,
  inviteeId: string,
  text: string,
): Promise<{ invitedBy: string | null } | null> {
  const code = normalizeCode(text)
  const inviterId = code === null ? undefined : (await findOwner(tx, code))?.userId
  if (inviterId === undefined || inviterId === inviteeId || !(await lockFan(tx, inviterId))) return null
  // In one order. Of two fans who invite each other at the same time, the later one sees the invitation of the other.
  for (const userId of [inviteeId, inviterId].toSorted()) await lockToCount(tx, userId)
  if (!(await isNew(tx, inviteeId))) return null
  const [invited] = await insertReferral(tx, { inviteeId, inviterId, invitedAt: tx.now() })
  return invited ? presentInviter(await findUserById(tx, inviterId)) : null
}

const presentInviter = (inviter: Pick<User, 'handle' | 'hiddenAt'> | undefined) => ({
  invitedBy: inviter?.hiddenAt ? null : (inviter?.handle ?? null),
})

const findOwner = preparedRow((reader: Reader, code: string) => {
  const { referralCodes } = reader.tables
  return reader
    .select({ userId: referralCodes.userId })
    .from(referralCodes)
    .where(eq(referralCodes.code, code))
})

/** Whether the record was made for this onboarding: no other was merged into it, and the fan has invited nobody. */
async function isNew(tx: Transaction, userId: string): Promise<boolean> {
  const { referrals } = tx.tables
  const user = await findUserById(tx, userId)
  if (!user || tx.now().getTime() - user.createdAt.getTime() > NEW_MS) return false
  const merged = await listMergedRecords(tx, userId)
  return merged.length === 0 && (await countRows(tx, referrals, eq(referrals.inviterId, userId))) === 0
}

const insertReferral = prepared((tx: Transaction, row: Tables['referrals']['$inferInsert']) =>
  tx.insert(tx.tables.referrals).values(row).onConflictDoNothing().returning(),
)

/** As a part of a larger statement: who invited a fan. */
export function invitationOf(reader: Reader, inviteeId: string) {
  const { referrals } = reader.tables
  return reader
    .select({ inviterId: referrals.inviterId })
    .from(referrals)
    .where(eq(referrals.inviteeId, inviteeId))
}

/** Null without an invitation. */
export const presentInvitation = async (reader: Reader, inviterId: string | null) =>
  inviterId === null ? null : presentInviter(await findUserById(reader, inviterId))

/**
 * Records `referral.completed` for both, once, unless the inviter is gone or has completed as many in this month of the club's
 * time zone as the club allows. Call it after the event of the invited fan is recorded.
 */
export async function completeReferral(tx: Transaction, inviteeId: string, by: EventKey): Promise<void> {
  const inviterId = await lockInviter(tx, inviteeId)
  if (inviterId === undefined) return
  const { referralLimit: limit } = await settingsOf(tx)
  // The count is exact: completions of the inviter wait for each other here.
  await lockToCount(tx, inviterId)
  const { startsAt } = windowAt('month', tx.now(), await timeZoneOf(tx))
  if ((await countSince(tx, inviterId, startsAt)) >= limit) return
  const [completed] = await setCompleted(tx, inviteeId, { ...by, completedAt: tx.now() })
  if (!completed) return
  const userIds = { invited: inviteeId, inviter: inviterId }
  for (const role of REFERRAL_ROLES)
    await recordEvent(tx, {
      userId: userIds[role],
      type: 'referral.completed',
      data: { role },
      eventId: referralEventId(inviteeId, role),
      senderId: userIds[role === 'invited' ? 'inviter' : 'invited'],
    })
}

/** The inviter of an open invitation. Undefined without one, or if the inviter is gone. */
async function lockInviter(tx: Transaction, inviteeId: string): Promise<string | undefined> {
  for (let last: string | undefined; ; ) {
    const open = await findOpen(tx, inviteeId)
    if (!open || open.inviterId === last) return undefined
    last = open.inviterId
    if (await lockFan(tx, last)) return last
    // A merge that the lock has waited for has moved the invitation to the fan who remains.
  }
}

export const REFERRAL_ROLES = ['invited', 'inviter'] as const
export type ReferralRole = (typeof REFERRAL_ROLES)[number]

/** The event `referral.completed` of one of the two fans. */
export const referralEventId = (inviteeId: string, role: ReferralRole) => `referral:${inviteeId}:${role}`

/** The invited fan of such an event. */
export const inviteeOf = (eventId: string) => eventId.split(':')[1] ?? ''

const findOpen = preparedRow((reader: Reader, inviteeId: string) => {
  const { referrals } = reader.tables
  const { inviterId, completedAt, voidedAt } = referrals
  return reader
    .select({ inviterId })
    .from(referrals)
    .where(and(eq(referrals.inviteeId, inviteeId), isNull(completedAt), isNull(voidedAt)))
})

async function countSince(tx: Transaction, inviterId: string, since: Date): Promise<number> {
  const { referrals } = tx.tables
  const isCounted = and(eq(referrals.inviterId, inviterId), gte(referrals.completedAt, since))
  return countRows(tx, referrals, isCounted)
}

type Completed = EventKey & { completedAt: Date }

const setCompleted = prepared(
  (tx: Transaction, inviteeId: string, { source, eventId, completedAt }: Completed) => {
    const { referrals } = tx.tables
    return tx
      .update(referrals)
      .set({ completedAt, source, eventId })
      .where(
        and(eq(referrals.inviteeId, inviteeId), isNull(referrals.completedAt), isNull(referrals.voidedAt)),
      )
      .returning({ inviteeId: referrals.inviteeId })
  },
)

/** Takes back what an invitation earned for both, and ends it. */
// never event_not_found, event_archived: only completed ones have events, and only those of other systems are archived.
export async function voidReferral(tx: Transaction, inviteeId: string): Promise<void> {
  const [voided] = await setVoided(tx, inviteeId, tx.now())
  if (!voided?.completedAt) return
  for (const role of REFERRAL_ROLES)
    await voidEvent(tx, { source: APPLICATION, eventId: referralEventId(inviteeId, role) })
}

const setVoided = prepared((tx: Transaction, inviteeId: string, voidedAt: Date) => {
  const { referrals } = tx.tables
  return tx
    .update(referrals)
    .set({ voidedAt })
    .where(and(eq(referrals.inviteeId, inviteeId), isNull(referrals.voidedAt)))
    .returning({ completedAt: referrals.completedAt })
})

/** SQL, in a query that reads events: whether this one completed the invitation of the fan. */
export function isCompleting(
  { tables: { referrals } }: Transaction,
  inviteeId: string,
  event: Record<'source' | 'eventId', Column>,
): SQL {
  const { source, eventId } = referrals
  return sql`exists (select 1 from ${referrals} where ${and(eq(referrals.inviteeId, inviteeId), eq(source, event.source), eq(eventId, event.eventId))})`
}

/** The invitations of these fans that are not voided. */
export const listInvitations = prepared((reader: Reader, userIds: string) => {
  const { referrals } = reader.tables
  return reader
    .select()
    .from(referrals)
    .where(and(isListed(reader, referrals.inviteeId, userIds), isNull(referrals.voidedAt)))
})

/** Before the rows of a merged fan move: ends invitations of a person who had an account before. */
export async function mergeReferrals(tx: Transaction, { from, into }: { from: User; into: User }) {
  const { referrals } = tx.tables
  const isEnded = async (user: User, other: User) => {
    const [row] = await tx.select().from(referrals).where(eq(referrals.inviteeId, user.id))
    if (!row) return
    const existed = user === from || row.inviterId === other.id || other.createdAt < row.invitedAt
    if (existed) await voidReferral(tx, user.id)
    if (row.inviterId === other.id) await tx.delete(referrals).where(eq(referrals.inviteeId, user.id))
  }
  await isEnded(from, into)
  await isEnded(into, from)
}

/** The codes of a fan, the invitation of the fan, and those that the fan made: without ids of others. */
export async function exportReferral(reader: Reader, userId: string) {
  const { referralCodes, referrals } = reader.tables
  const { code, createdAt } = referralCodes
  const { inviteeId, inviterId, invitedAt, completedAt, voidedAt } = referrals
  const [invitation = null] = await reader
    .select({ invitedAt, completedAt, voidedAt })
    .from(referrals)
    .where(eq(inviteeId, userId))
  return {
    codes: await reader
      .select({ code, createdAt })
      .from(referralCodes)
      .where(eq(referralCodes.userId, userId))
      .orderBy(asc(createdAt), asc(code)),
    invitation,
    invited: await reader
      .select({ invitedAt, completedAt, voidedAt })
      .from(referrals)
      .where(eq(inviterId, userId))
      .orderBy(asc(invitedAt), asc(inviteeId)),
  }
}

/** Of an erased fan: the codes invite nobody. */
export async function deleteReferralCodes(tx: Transaction, userId: string): Promise<void> {
  const { referralCodes } = tx.tables
  await tx.delete(referralCodes).where(eq(referralCodes.userId, userId))
}
