/** Who owns an item: the fan who drew it or was given it, until it changes hands. */
import { and, eq, isNull, or, type SQL } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

type Tables = Pick<Reader, 'tables'>

/** SQL: whether the fan owns the item now. Each branch is an index. */
export function isOwnedBy({ tables: { userItems } }: Tables, userId: string): SQL | undefined {
  return or(eq(userItems.ownerId, userId), and(eq(userItems.userId, userId), isNull(userItems.ownerId)))
}
