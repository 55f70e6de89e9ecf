/** The feed of a fan: activities of followed fans, newest first. */
import { desc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { type EventPosition, NEWEST, newestPublicEvents } from '../../economy/events/public-events.ts'
import { fansInFeed, isShown, showsActivity } from '../../identity/relations/visibility.ts'
import { publicFans } from '../../identity/users/public-profile.ts'
import { type FeedItem, presentFeedItem } from './feed-items.ts'

/** By the privacy of each fan at the time of the read. New events do not move a page. @throws DomainError `invalid_cursor` */
export async function readFeed(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  page: Page,
): Promise<{ items: FeedItem[]; nextCursor: string | null }> {
  const list = `feed ${userId}`
  const before = positionOf(cursors.decode(list, page.cursor))
  const rows = await selectFeed(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, last =>
    cursors.encode(list, [last.recordedAt.getTime(), last.sequence, last.userId].join(' ')),
  )
  return { items: shown.map(presentFeedItem), nextCursor }
}

function positionOf(text: string | undefined): EventPosition {
  if (text === undefined) return NEWEST
  const [, at, sequence, userId] = /^(\d+) (\d+) (.+)$/.exec(text) ?? []
  if (userId === undefined) throw new DomainError(transportProblems.invalid_cursor)
  return { recordedAt: new Date(Number(at)), sequence: Number(sequence), userId }
}

const selectFeed = prepared((reader: Reader, viewerId: string, limit: number, before: EventPosition) => {
  const followed = reader.$with('followed').as(fansInFeed(reader, viewerId))
  const newest = newestPublicEvents(reader, followed, {
    isShown: fanId => showsActivity(reader, fanId),
    limit,
    before,
  })
  const fan = publicFans(reader).as('fan')
  return reader
    .with(followed, newest)
    .select({
      eventId: newest.eventId,
      type: newest.type,
      data: newest.data,
      occurredAt: newest.occurredAt,
      recordedAt: newest.recordedAt,
      userId: newest.userId,
      sequence: newest.sequence,
      handle: fan.handle,
      displayName: fan.displayName,
      avatarUrl: fan.avatarUrl,
      isShown: isShown(reader, 'profile', viewerId, fan.userId).as('is_shown'),
    })
    .from(newest)
    .innerJoin(fan, eq(fan.userId, newest.userId))
    .orderBy(desc(newest.recordedAt), desc(newest.userId), desc(newest.sequence))
})
