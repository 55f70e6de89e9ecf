/** Links that sign in once: an operator or an owner makes them, and sends each to one person. */
import { and, eq, gt, isNull } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { linkIdOf } from '../../../core/staff-ids.ts'
import { refuseField } from '../../../core/transport-problems.ts'
import { recordAction } from '../audit/record.ts'
import { consoleProblems } from '../problems.ts'
import type { Role } from '../roles.ts'
import { nameFault, OPERATOR, roleOf, type Staff } from '../staff.ts'
import { hashSecret, mintSecret } from './secrets.ts'
import { createSession, type NewSession } from './sessions.ts'

/** Links under `bun run dev` sign this person in. */
const DEVELOPER = { name: 'Developer', role: 'owner' } as const

const LINK_MS = 10 * 60_000
/** An invitation is sent by mail, and read later than a link of an operator. */
const INVITATION_MS = 24 * 3_600_000

/**
 * Creates a link, recorded in the audit log. Its secret is not stored. All links with one name belong to one person, who
 * cannot confirm their own actions.
 */
export async function issueLink(
  tx: Transaction,
  { name, role }: { name: string; role: Role },
): Promise<{ secret: string; expiresAt: Date }> {
  const issued = await storeLink(tx, { name, role, invitedById: null }, LINK_MS)
  const subject = { kind: 'staff', id: linkIdOf(name) }
  await recordAction(tx, { staff: OPERATOR, operation: 'issueLink', subject, detail: { role } })
  return issued
}

/**
 * Creates a link that works for a day. `shownTo`: the person who gets its secret, who could use it as a second person. @throws
 * DomainError `validation_failed`, `own_role`
 */
export async function inviteStaff(
  tx: Transaction,
  { name, role, by, shownTo }: { name: string; role: Role; by: Staff; shownTo: Staff },
): Promise<{ secret: string; expiresAt: Date; staffId: string }> {
  const fault = nameFault(name)
  if (fault !== null) refuseField({ pointer: '/name', message: fault })
  const staffId = linkIdOf(name)
  for (const one of [by, shownTo])
    if (one.id === staffId && one.role !== role) throw new DomainError(consoleProblems.own_role)
  return { ...(await storeLink(tx, { name, role, invitedById: shownTo.id }, INVITATION_MS)), staffId }
}

async function storeLink(
  tx: Transaction,
  link: { name: string; role: Role; invitedById: string | null },
  validMs: number,
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = mintSecret(tx.randomBytes)
  const [createdAt, expiresAt] = [tx.now(), new Date(tx.now().getTime() + validMs)]
  const row = { ...link, hash: hashSecret(secret), staffId: linkIdOf(link.name), createdAt, expiresAt }
  await tx.insert(tx.tables.consoleLinks).values(row)
  return { secret, expiresAt }
}

/** `console`: its address, without a trailing slash. Servers and proxies do not receive the part after `#`. */
export const addressOfLink = (console: string, { secret }: { secret: string }) =>
  `${console}/sign-in#${secret}`

/** A link for the developer of this machine. */
export const makeDeveloperLink = async (db: Database, console: string): Promise<string> =>
  addressOfLink(console, await db.write(tx => issueLink(tx, DEVELOPER)))

/** The person that the link signs in, without using the link. @throws DomainError `link_not_valid` */
export async function readLink(reader: Reader, secret: string): Promise<Staff> {
  const { consoleLinks } = reader.tables
  const [link] = await reader
    .select()
    .from(consoleLinks)
    .where(isUsable(reader, hashSecret(secret)))
  if (!link) throw new DomainError(consoleProblems.link_not_valid)
  return { id: link.staffId, name: link.name, role: roleOf(link.role) }
}

/** Only one of several concurrent uses gets a session. @throws DomainError `link_not_valid` */
export async function useLink(tx: Transaction, secret: string): Promise<NewSession> {
  const { consoleLinks } = tx.tables
  const hash = hashSecret(secret)
  const [link] = await tx.update(consoleLinks).set({ usedAt: tx.now() }).where(isUsable(tx, hash)).returning()
  if (link) return createSession(tx, { id: link.staffId, name: link.name, role: roleOf(link.role) })
  const [used] = await tx.select().from(consoleLinks).where(eq(consoleLinks.hash, hash))
  const event = used?.usedAt ? 'console_link_reused' : 'console_link_refused'
  throw new DomainError(consoleProblems.link_not_valid, { security: { event } })
}

const isUsable = (reader: Reader, hash: string) => {
  const { consoleLinks } = reader.tables
  return and(
    eq(consoleLinks.hash, hash),
    isNull(consoleLinks.usedAt),
    gt(consoleLinks.expiresAt, reader.now()),
  )
}
