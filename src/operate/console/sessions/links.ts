/** Links that sign in once: an operator makes them, and sends each to one person. */
import { and, eq, gt, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { linkIdOf } from '../../../core/staff-ids.ts'
import { recordAction } from '../audit/record.ts'
import { consoleProblems } from '../problems.ts'
import type { Role } from '../roles.ts'
import { OPERATOR, roleOf, type Staff } from '../staff.ts'
import { hashSecret, mintSecret } from './secrets.ts'
import { createSession, type NewSession } from './sessions.ts'

const LINK_MS = 10 * 60_000

/**
 * Creates a link, recorded in the audit log. Its secret is not stored. All links with one name belong to one person, who
 * cannot confirm their own actions.
 */
export async function issueLink(
  tx: Transaction,
  { name, role }: { name: string; role: Role },
): Promise<{ secret: string; expiresAt: Date }> {
  const secret = mintSecret(tx.randomBytes)
  const expiresAt = new Date(tx.now().getTime() + LINK_MS)
  const staffId = linkIdOf(name)
  const link = { hash: hashSecret(secret), staffId, name, role }
  await tx.insert(tx.tables.consoleLinks).values({ ...link, createdAt: tx.now(), expiresAt })
  const subject = { kind: 'staff', id: staffId }
  await recordAction(tx, { staff: OPERATOR, operation: 'issueLink', subject, detail: { role } })
  return { secret, expiresAt }
}

/** `console`: its address, without a trailing slash. Servers and proxies do not receive the part after `#`. */
export const addressOfLink = (console: string, { secret }: { secret: string }) =>
  `${console}/sign-in#${secret}`

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
