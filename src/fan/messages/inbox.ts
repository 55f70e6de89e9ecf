/** The inbox of a fan: pages, read marks, deletion. */
import { and, asc, count, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Category } from '../../club/notifications/categories.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { instantIn } from '../../core/instant.ts'
import { type Cursors, cutPage, type Page, type TimedPosition } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { fanTag } from '../../platform/cache/tags.ts'
import { messageProblems } from './problems.ts'
import type { ReadMessages } from './schema.ts'

type MessageRow = Tables['messages']['$inferSelect']
type MessageColumns = Pick<Tables['messages'], 'userId' | 'hiddenAt' | 'readAt'>

const isShown = (messages: MessageColumns, userId: string) =>
  and(eq(messages.userId, userId), isNull(messages.hiddenAt))

/** Newest first. @throws DomainError `invalid_cursor` */
export async function listInbox(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const name = `inbox ${userId}`
  const before = cursors.decodeTimed(name, page.cursor)
  const rows = await selectInbox(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ createdAt, id }) =>
    cursors.encodeTimed(name, { at: createdAt, id }),
  )
  return { messages: shown.map(present), unread: await readUnread(reader, userId), nextCursor }
}

const selectInbox = prepared((reader: Reader, userId: string, limit: number, before?: TimedPosition) => {
  const { messages } = reader.tables
  const older =
    before === undefined
      ? undefined
      : sql`(${messages.createdAt}, ${messages.id}) < (${before.at}, ${before.id})`
  return reader
    .select()
    .from(messages)
    .where(and(isShown(messages, userId), older))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(limit)
})

const present = ({ id, category, title, body, url, imageUrl, createdAt, readAt }: MessageRow) => ({
  id,
  // Guarantee of the cast: only notifications write it.
  category: category as Category,
  title,
  body,
  url,
  imageUrl,
  createdAt: createdAt.toISOString(),
  readAt: readAt?.toISOString() ?? null,
})

const readUnread = async (reader: Reader, userId: string) =>
  (await countUnread(reader, [userId])).get(userId) ?? 0

/** Of each of the fans with unread messages, how many. */
export const countUnread = async (reader: Reader, userIds: string[]): Promise<ReadonlyMap<string, number>> =>
  new Map((await selectUnread(reader, toList(userIds))).map(({ userId, unread }) => [userId, unread]))

const selectUnread = prepared((reader: Reader, userIds: string) => {
  const { messages } = reader.tables
  return reader
    .select({ userId: messages.userId, unread: count() })
    .from(messages)
    .where(
      and(isListed(reader, messages.userId, userIds), isNull(messages.readAt), isNull(messages.hiddenAt)),
    )
    .groupBy(messages.userId)
})

/** For the dashboard. */
export function unreadOf(reader: Reader, userId: string): SQL<number> {
  const { messages } = reader.tables
  const isUnread = and(isShown(messages, userId), isNull(messages.readAt))
  return sql<number>`(select count(*) from ${messages} where ${isUnread})`.mapWith(Number)
}

/** Marks messages as read, once: the first time stays. A repeat changes nothing. */
export async function readMessages(
  tx: Transaction,
  { userId }: Caller,
  { ids, until, clicked }: ReadMessages,
) {
  const { messages } = tx.tables
  if ((ids === undefined) === (until === undefined))
    refuseField({ pointer: '/ids', message: 'must be stated, or `until`, and not both' })
  if (clicked && ids === undefined) refuseField({ pointer: '/clicked', message: 'must be with `ids`' })
  const named =
    ids === undefined
      ? sql`${messages.createdAt} <= ${sql.param(instantIn(until ?? ''), messages.createdAt)}`
      : isListed(tx, messages.id, toList(ids))
  const marked = await tx
    .update(messages)
    .set({ readAt: tx.now() })
    .where(and(isShown(messages, userId), isNull(messages.readAt), named))
    .returning({ id: messages.id })
  if (marked.length > 0) noteChange(tx, userId)
  // Also of a message that only devices get.
  if (clicked)
    await tx
      .update(messages)
      .set({ clickedAt: tx.now() })
      .where(and(eq(messages.userId, userId), isNull(messages.clickedAt), named))
  return { unread: await readUnread(tx, userId) }
}

/** Its texts are deleted; the row stays until the retention, so that its cause writes no other one. */
export async function deleteMessage(tx: Transaction, { userId }: Caller, id: string): Promise<void> {
  const { messages } = tx.tables
  const [deleted] = await tx
    .update(messages)
    .set({ hiddenAt: tx.now(), title: '', body: '', url: null, imageUrl: null })
    .where(and(isShown(messages, userId), eq(messages.id, id)))
    .returning({ id: messages.id })
  if (!deleted) throw new DomainError(messageProblems.message_not_found)
  noteChange(tx, userId)
}

function noteChange(tx: Transaction, userId: string): void {
  tx.invalidate(fanTag(userId))
  tx.spine.inbox.changed.announce(tx, { userId })
}

/** The oldest first, for the export and for staff. */
export const exportMessages = (reader: Reader, userId: string) => {
  const { messages } = reader.tables
  const { userId: owner, ...columns } = messages
  const { id, notificationId, cause, category, title, body, url, imageUrl } = columns
  const { createdAt, readAt, clickedAt, hiddenAt } = columns
  const texts = { id, notificationId, cause, category, title, body, url, imageUrl }
  return reader
    .select({ ...texts, createdAt, readAt, clickedAt, hiddenAt })
    .from(messages)
    .where(eq(owner, userId))
    .orderBy(asc(createdAt), asc(id))
}
