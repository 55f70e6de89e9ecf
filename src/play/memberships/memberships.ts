/** Memberships as fans and ticket offices read them, and as a ticket office writes one. */
import { and, count, desc, eq, exists, gt, inArray, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { locksInUnitOfWork } from '../../../db/row-lock.ts'
import { presentText, type Text } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { instantIn } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { type FanNaming, resolveFan } from '../../identity/users/fan-reference.ts'
import { lockFans } from '../../identity/users/locks.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { isMembershipKind, membershipKind } from './membership-kind.ts'
import { sinceOf, stateAt } from './periods.ts'
import { membershipProblems } from './problems.ts'
import type { Membership, MembershipUpdate } from './schema.ts'
import { endMembership, readHolders, readMemberships, writeMemberships } from './write-memberships.ts'

/** Writes the membership with this ref, which may exist. */
export async function writeMembership(
  tx: Transaction,
  naming: FanNaming,
  ref: string,
  { fan, kindId, number, holder, ...period }: MembershipUpdate,
): Promise<{ created: boolean; membership: Membership }> {
  const [startsAt, endsAt] = [instantIn(period.startsAt), instantIn(period.endsAt)]
  if (startsAt >= endsAt)
    throw new DomainError(transportProblems.validation_failed, {
      errors: [{ pointer: '/endsAt', message: 'must be after startsAt' }],
    })
  const resolved = await resolveFan(tx, fan, naming)
  if ('missing' in resolved) throw new DomainError(userProblems.fan_not_found)
  if (!(await isMembershipKind(tx, kindId)))
    throw new DomainError(membershipProblems.membership_kind_not_found)
  const { userId } = resolved
  const [outcome] = await writeMemberships(tx, [
    { ref, userId, kindId, number: number ?? null, holder: holder ?? null, startsAt, endsAt },
  ])
  if (outcome === 'of_another_fan') throw new DomainError(membershipProblems.membership_of_another_fan)
  const membership = (await listMemberships(tx, { userId })).memberships.find(one => one.ref === ref)
  if (!membership) throw new Error('a membership vanished')
  return { created: outcome === 'created', membership }
}

/** Ends it now. A repeat changes nothing. `ofFan`: only if it is of this fan. */
export async function deleteMembership(tx: Transaction, ref: string, ofFan?: string): Promise<void> {
  const holders = await readHolders(tx, [ref])
  await lockFans(tx, holders)
  const isTheirs = ofFan === undefined || holders.includes(ofFan)
  if (!isTheirs || !(await endMembership(tx, ref)))
    throw new DomainError(membershipProblems.membership_not_found)
}

/** Those of the caller, newest first. */
export async function listMemberships(
  reader: Reader,
  { userId }: Viewer,
): Promise<{ memberships: Membership[] }> {
  const rows = await readMemberships(reader, [userId])
  const kinds = new Map(
    (await membershipKind.read(reader, [...new Set(rows.map(({ kindId }) => kindId))])).map(kind => [
      kind.id,
      kind,
    ]),
  )
  const now = reader.now()
  const newest = rows.toSorted((a, b) => +b.startsAt - +a.startsAt || (a.ref < b.ref ? -1 : 1))
  return {
    memberships: newest.map(row => {
      const { ref, kindId, number, holder, startsAt, endsAt } = row
      const kind = kinds.get(kindId)
      return {
        ref,
        kindId,
        name: presentText(kind?.name ?? kindId),
        benefits: (kind?.benefits ?? []).map((text: Text) => presentText(text)),
        imageUrl: kind?.imageUrl ?? null,
        number,
        holder,
        startsAt: startsAt.toISOString(),
        endsAt: endsAt.toISOString(),
        since: sinceOf(row, rows).toISOString(),
        state: stateAt(row, now),
      }
    }),
  }
}

/** Which of these kinds of membership the fan has now. In a unit of work it locks the rows. */
export async function findActiveKinds(
  reader: Reader,
  userId: string,
  kindIds: string[],
): Promise<Set<string>> {
  const { fanMemberships: rows } = reader.tables
  const now = reader.now()
  const isActive = and(lte(rows.startsAt, now), gt(rows.endsAt, now))
  const found = await locksInUnitOfWork(
    reader,
    reader
      .select({ kindId: rows.kindId })
      .from(rows)
      .where(and(eq(rows.userId, userId), inArray(rows.kindId, kindIds), isActive)),
  )
  return new Set(found.map(({ kindId }) => kindId))
}

/** Of a larger statement: whether a fan has an active membership of a kind. */
export function hasMembership(
  reader: Reader,
  userId: SQL,
  { kindId, asOf }: { kindId: string; asOf: Date },
): SQL {
  const { fanMemberships: rows } = reader.tables
  const isActive = and(lte(rows.startsAt, asOf), gt(rows.endsAt, asOf))
  const isOwn = and(sql`${rows.userId} = ${userId}`, eq(rows.kindId, kindId))
  // With a limit, SQLite looks up each fan. Without one, it first reads all memberships into a filter, for each page of a list.
  return exists(reader.select({ ref: rows.ref }).from(rows).where(and(isOwn, isActive)).limit(1))
}

/** Kinds and numbers of the active memberships of fans, by their ids. */
export async function readNumbers(reader: Reader, userIds: string[], asOf: Date) {
  const { fanMemberships: rows } = reader.tables
  const isActive = and(lte(rows.startsAt, asOf), gt(rows.endsAt, asOf))
  const { userId, kindId, number, ref } = rows
  const found =
    userIds.length === 0
      ? []
      : await reader
          .select({ userId, kindId, number })
          .from(rows)
          .where(and(inArray(userId, userIds), isActive))
          .orderBy(kindId, ref)
  const byFan = Map.groupBy(found, row => row.userId)
  return new Map([...byFan].map(([id, own]) => [id, own.map(({ kindId, number }) => ({ kindId, number }))]))
}

/** Memberships that had started by then, and were written or changed since. */
export async function countChangedMemberships(reader: Reader, asOf: Date): Promise<number> {
  const { fanMemberships: rows } = reader.tables
  const [found] = await reader
    .select({ changed: count() })
    .from(rows)
    .where(and(gt(rows.updatedAt, asOf), lte(rows.startsAt, asOf)))
  return found?.changed ?? 0
}

/** For the export of a fan. */
export function exportMemberships(reader: Reader, userId: string) {
  const { fanMemberships: rows } = reader.tables
  const { ref, kindId, number, holder, startsAt, endsAt, createdAt, updatedAt } = rows
  return reader
    .select({ ref, kindId, number, holder, startsAt, endsAt, createdAt, updatedAt })
    .from(rows)
    .where(eq(rows.userId, userId))
    .orderBy(desc(startsAt), ref)
}

/** For the erasure of a fan. */
export async function deleteMembershipsOf(tx: Transaction, userId: string): Promise<void> {
  const { fanMemberships: rows } = tx.tables
  await tx.delete(rows).where(eq(rows.userId, userId))
}
