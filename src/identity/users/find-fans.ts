/** Finds fans for the club's own systems, by the identifiers that these systems know. */
import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { type FanEmails, findByEmails } from './emails.ts'
import type { FanQuery, FoundFan } from './found-fans.ts'
import { publicProfileColumns } from './public-profile.ts'
import { findUser } from './users.ts'

/** At most one by subject; several fans may have the same e-mail address. @throws DomainError `validation_failed` */
export async function findFans(
  reader: Reader,
  fanEmails: FanEmails | null,
  { email, provider, subject }: FanQuery,
): Promise<FoundFan[]> {
  if (email !== undefined) {
    if (!fanEmails)
      refuseField({ parameter: 'email', message: 'cannot be used: this server does not find fans by e-mail' })
    const hash = fanEmails.hashOf(email)
    return readFans(reader, (await findByEmails(reader, fanEmails, [hash])).get(hash) ?? [])
  }
  const user = await findUser(reader, { provider: provider ?? '', subject: subject ?? '' })
  return user ? readFans(reader, [user.id]) : []
}

async function readFans(reader: Reader, ids: string[]): Promise<FoundFan[]> {
  if (ids.length === 0) return []
  const { users, identities } = reader.tables
  const rows = await reader
    .select({
      id: users.id,
      provider: users.provider,
      subject: users.subject,
      handle: users.handle,
      ...publicProfileColumns({ user: users, mirror: identities }),
      createdAt: users.createdAt,
    })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(and(inArray(users.id, ids), isNull(users.erasedAt)))
    .orderBy(users.id)
  return rows.map(({ createdAt, ...fan }) => ({ ...fan, createdAt: createdAt.toISOString() }))
}
