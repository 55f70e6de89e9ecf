/** The people of the staff: who has access, in which role, and how their role changes. */
import { and, asc, desc, eq, gt, gte, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { compareStaff } from '../../../core/staff-ids.ts'
import type { ConsoleConfig } from '../../../platform/config/console.ts'
import { endRequestsWithoutRole } from '../approvals/end-requests.ts'
import { consoleProblems } from '../problems.ts'
import { hasTwoPersonPermission, PERMISSIONS, permissionsOf, ROLES, type Role } from '../roles.ts'
import { roleOf, type Staff } from '../staff.ts'
import { isLive, listSessions } from './staff-sessions.ts'

/** How long people who are no longer signed in are listed. */
const LISTED_MS = 30 * 86_400_000
/** Sign-ins of a club's staff in that time. */
const MAX_SIGN_INS = 2_000

interface Person {
  staff: Staff
  sessions: Awaited<ReturnType<typeof listSessions>>
  links: { role: Role; createdAt: string; expiresAt: string; invitedBy: string | null }[]
  lastSignInAt: string | null
}

/** Everybody with a session, an unused link, or a sign-in of the last 30 days, by name. */
export async function listStaff(reader: Reader, config: ConsoleConfig, you: Staff) {
  const [sessions, links, signIns] = [
    await listSessions(reader),
    await listLinks(reader),
    await listSignIns(reader),
  ]
  const people = new Map<string, Person>()
  const personOf = (staff: Staff): Person => {
    const known = people.get(staff.id)
    if (known) return known
    const person = { staff, sessions: [], links: [], lastSignInAt: null }
    people.set(staff.id, person)
    return person
  }
  for (const session of sessions) personOf(session.staff).sessions.push(session)
  for (const { staffId, name, role, invitedById, createdAt, expiresAt } of links)
    personOf({ id: staffId, name, role: roleOf(role) }).links.push({
      role: roleOf(role),
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      invitedBy: invitedById,
    })
  for (const { staffId, staffName, role, at } of signIns)
    personOf({ id: staffId, name: staffName, role: roleOf(role) }).lastSignInAt ??= at.toISOString()
  const nameOf = (id: string) => people.get(id)?.staff.name ?? id
  return {
    people: [...people.values()]
      .map(({ staff, sessions, links, lastSignInAt }) => ({
        staff,
        way: staff.id.startsWith('provider:') ? ('provider' as const) : ('link' as const),
        isYou: staff.id === you.id,
        sessions: sessions.map(({ staff: { role }, ...session }) => ({ ...session, role })),
        links: links.map(({ invitedBy, ...link }) => ({
          ...link,
          invitedBy: invitedBy === null ? null : nameOf(invitedBy),
        })),
        lastSignInAt,
      }))
      .toSorted((a, b) => a.staff.name.localeCompare(b.staff.name) || (a.staff.id < b.staff.id ? -1 : 1)),
    roles: ROLES.map(role => ({
      role,
      may: permissionsOf(role).map(permission => PERMISSIONS[permission].about),
      needsSecondPerson: config.twoPerson.length > 0 && hasTwoPersonPermission(role),
    })),
    provider:
      config.provider === null
        ? null
        : { issuer: config.provider.issuer, roleClaim: config.provider.roleClaim },
  }
}

const isUnused = (reader: Reader) => {
  const { usedAt, expiresAt } = reader.tables.consoleLinks
  return and(isNull(usedAt), gt(expiresAt, reader.now()))
}

const listLinks = (reader: Reader) => {
  const { consoleLinks } = reader.tables
  return reader
    .select()
    .from(consoleLinks)
    .where(isUnused(reader))
    .orderBy(asc(consoleLinks.createdAt), asc(consoleLinks.hash))
}

/** Newest first. */
const listSignIns = (reader: Reader) => {
  const { staffId, staffName, role, at, operation, seq } = reader.tables.consoleAudit
  return reader
    .select({ staffId, staffName, role, at })
    .from(reader.tables.consoleAudit)
    .where(and(eq(operation, 'signIn'), gte(at, new Date(reader.now().getTime() - LISTED_MS))))
    .orderBy(desc(seq))
    .limit(MAX_SIGN_INS)
}

/**
 * Changes the role of all sessions and unused links of a person, at once. Requests for approval that the new role does not allow
 * end. @throws DomainError `own_role`, `role_of_provider`, `staff_not_found`
 */
export async function changeStaffRole(
  tx: Transaction,
  { staffId, role, by }: { staffId: string; role: Role; by: readonly Staff[] },
) {
  if (by.some(({ id }) => compareStaff(id, staffId) === 'same'))
    throw new DomainError(consoleProblems.own_role)
  if (staffId.startsWith('provider:')) throw new DomainError(consoleProblems.role_of_provider)
  const { consoleSessions, consoleLinks } = tx.tables
  const sessions = await tx
    .update(consoleSessions)
    .set({ role })
    .where(and(eq(consoleSessions.staffId, staffId), isLive(tx)))
    .returning()
  const links = await tx
    .update(consoleLinks)
    .set({ role })
    .where(and(eq(consoleLinks.staffId, staffId), isUnused(tx)))
    .returning()
  const [known] = [...sessions, ...links]
  if (!known) throw new DomainError(consoleProblems.staff_not_found)
  await endRequestsWithoutRole(tx, { id: staffId, name: known.name, role })
  return { sessions: sessions.length, links: links.length }
}
