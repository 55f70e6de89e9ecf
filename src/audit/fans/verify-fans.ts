/** Recomputes derived data of a fan: merges, relations to others, and search keys. */
import { and, eq, inArray, isNotNull, ne, or, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { differs, differsInTime, type Finding, readJson } from '../../core/finding.ts'
import { APPLICATION } from '../../economy/events/types.ts'
import { PROFILE_FIELDS } from '../../identity/users/profile-fields.ts'
import { nameKeyOf, searchKeysOf } from '../../identity/users/search-keys.ts'

/** Needs a snapshot. */
export async function findWrongFans(reader: Reader, range: Range): Promise<Finding[]> {
  return [
    ...(await findWrongMerges(reader, range)),
    ...(await findWrongRelations(reader, range)),
    ...(await findWrongKeys(reader, range)),
    ...(await findWrongWallets(reader, range)),
    ...(await findWrongTombstones(reader, range)),
  ]
}

/** The record of a merged fan must point to the end of the chain of merges, which is not merged itself. */
async function findWrongMerges(reader: Reader, range: Range): Promise<Finding[]> {
  const { users, fanMerges } = reader.tables
  const records = await reader
    .select({ id: users.id, mergedIntoId: users.mergedIntoId, intoId: fanMerges.intoId })
    .from(users)
    .leftJoin(fanMerges, eq(fanMerges.fromId, users.id))
    .where(and(inRange(users.id, range), or(isNotNull(users.mergedIntoId), isNotNull(fanMerges.intoId))))
  if (records.length === 0) return []
  const merges = await reader.select({ fromId: fanMerges.fromId, intoId: fanMerges.intoId }).from(fanMerges)
  const next = new Map(merges.map(({ fromId, intoId }) => [fromId, intoId]))
  return records.flatMap(({ id, mergedIntoId }) => {
    let end = next.get(id) ?? null
    for (let steps = 0; end !== null && next.has(end) && steps < merges.length; steps++)
      end = next.get(end) ?? null
    return differs(id, 'users.merged_into_id', end, mergedIntoId)
  })
}

/** A block must be in both rows of a pair, and the count of follows must equal the number of rows. */
async function findWrongRelations(reader: Reader, range: Range): Promise<Finding[]> {
  const { fanRelations: relations, followCounts, users } = reader.tables
  const { fanId, otherId, blockedAt, blockedByAt, followedAt } = relations
  const rows = await reader
    .select({ fanId, otherId, blockedAt, blockedByAt })
    .from(relations)
    .where(and(inRange(fanId, range), or(isNotNull(blockedAt), isNotNull(blockedByAt))))
  const mirrored = await reader
    .select({ fanId, otherId, blockedAt, blockedByAt })
    .from(relations)
    .where(and(inRange(otherId, range), or(isNotNull(blockedAt), isNotNull(blockedByAt))))
  const mirrors = new Map(mirrored.map(row => [`${row.otherId} ${row.fanId}`, row]))
  const blocked = [...new Set(rows.map(row => row.fanId))]
  const unmarked =
    blocked.length === 0
      ? []
      : await reader
          .select({ id: users.id })
          .from(users)
          .where(and(inArray(users.id, blocked), sql`${users.hasBlocks} is not true`))
  const follows = await reader
    .select({ fanId, following: sql`count(*)`.mapWith(Number) })
    .from(relations)
    .where(and(inRange(fanId, range), isNotNull(followedAt)))
    .groupBy(fanId)
  const kept = await reader
    .select()
    .from(followCounts)
    .where(and(inRange(followCounts.userId, range), ne(followCounts.following, 0)))
  const counted = new Map(follows.map(row => [row.fanId, row.following]))
  const counts = new Map(kept.map(row => [row.userId, row.following]))
  return [
    ...rows.flatMap(row => {
      const mirror = mirrors.get(`${row.fanId} ${row.otherId}`)
      const found = (column: string, expected: Date | null, actual: Date | null) =>
        differs(row.fanId, `fan_relations.${column} to ${row.otherId}`, expected, actual)
      return [
        ...found('blocked_at', mirror?.blockedByAt ?? null, row.blockedAt),
        ...found('blocked_by_at', mirror?.blockedAt ?? null, row.blockedByAt),
      ]
    }),
    ...unmarked.flatMap(({ id }) => differs(id, 'users.has_blocks', true, null)),
    ...[...new Set([...counted.keys(), ...counts.keys()])].flatMap(id =>
      differs(id, 'follow_counts.following', counted.get(id) ?? 0, counts.get(id) ?? 0),
    ),
  ]
}

/** Each link must have its event, of the fan or of a fan who was merged into them. */
async function findWrongWallets(reader: Reader, range: Range): Promise<Finding[]> {
  const { wallets, users, events } = reader.tables
  const rows = await reader
    .select({ wallet: wallets, data: events.data, eventId: events.eventId })
    .from(wallets)
    .leftJoin(users, or(eq(users.id, wallets.userId), eq(users.mergedIntoId, wallets.userId)))
    .leftJoin(
      events,
      and(
        ...[eq(events.source, APPLICATION), eq(events.type, 'wallet.linked')],
        ...[eq(events.userId, users.id), eq(events.occurredAt, wallets.linkedAt)],
      ),
    )
    .where(inRange(wallets.userId, range))
  return [...Map.groupBy(rows, ({ wallet }) => wallet.address)].flatMap(([address, links]) => {
    const told = links.filter(({ eventId }) => eventId !== null)
    const isTold = told.some(({ data }) => {
      // Guarantee of the cast: the application writes the data by its schema.
      const linked = readJson(data) as { address: string } | null | undefined
      return linked === null || linked?.address === address
    })
    const [{ wallet } = { wallet: null }] = links
    return isTold || !wallet
      ? []
      : differs(wallet.userId, `wallets.linked_at of ${address}`, 'when the fan linked it', wallet.linkedAt)
  })
}

/** The record of an erased fan must be final and have no profile. */
async function findWrongTombstones(reader: Reader, range: Range): Promise<Finding[]> {
  const { users } = reader.tables
  const rows = await reader
    .select()
    .from(users)
    .where(and(inRange(users.id, range), isNotNull(users.erasedAt)))
  return rows.flatMap(user => [
    ...differsInTime(user.id, 'users.erased_at', user.updatedAt, user.erasedAt),
    ...PROFILE_FIELDS.flatMap(name => differs(user.id, `users.${toSnakeCase(name)}`, null, user[name])),
  ])
}

/** Keys may be empty: a task fills rows of older versions. */
async function findWrongKeys(reader: Reader, range: Range): Promise<Finding[]> {
  const { users, identities } = reader.tables
  const fans = await reader
    .select({ id: users.id, displayName: users.displayName, nameKey: users.nameKey })
    .from(users)
    .where(and(inRange(users.id, range), isNotNull(users.nameKey)))
  const mirrors = await reader
    .select()
    .from(identities)
    .where(
      and(
        inRange(identities.userId, range),
        or(isNotNull(identities.nameKey), isNotNull(identities.emailKey)),
      ),
    )
  return [
    ...fans.flatMap(({ id, displayName, nameKey }) =>
      differs(id, 'users.name_key', displayName === null ? null : nameKeyOf(displayName), nameKey),
    ),
    ...mirrors.flatMap(mirror => {
      const due = searchKeysOf(mirror)
      return [
        ...(mirror.nameKey === null
          ? []
          : differs(mirror.userId, 'identities.name_key', due.nameKey, mirror.nameKey)),
        ...(mirror.emailKey === null
          ? []
          : differs(mirror.userId, 'identities.email_key', due.emailKey, mirror.emailKey)),
      ]
    }),
  ]
}
