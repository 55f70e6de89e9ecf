/** Tells streams of a fan how many messages are unread, when the number has changed. */
import type { Database } from '../../../db/index.ts'
import type { Connection } from './connection.ts'
import type { Feed } from './feed.ts'
import { frameOf } from './frames.ts'

/** Type of the frames. */
const INBOX = 'inbox'

interface Follower {
  connection: Connection
  feed: Feed
}

interface FollowedStreams<Stream extends Follower> {
  /** The fans with a stream. */
  users(): string[]
  of(userId: string): Stream[]
}

/** A stream that has told nothing yet shows what its reader has read itself: none, if there is nothing unread. */
export function watchUnread<Stream extends Follower>(db: Database, streams: FollowedStreams<Stream>) {
  const told = new WeakMap<Stream, number>()
  let seenCommits: number | null = null

  async function tell(userIds: string[]): Promise<void> {
    if (userIds.length === 0) return
    const counts = await db.read.spine.inbox.countUnread(db.read, userIds)
    for (const userId of userIds) {
      const unread = counts.get(userId) ?? 0
      for (const stream of streams.of(userId)) {
        const { connection, feed } = stream
        if (!feed.sendsEvents || (told.get(stream) ?? 0) === unread || !connection.hasRoom) continue
        told.set(stream, unread)
        connection.send(frameOf({ id: feed.lastId(), event: INBOX, data: { unread } }))
      }
    }
  }

  return {
    tell,
    /** Finds what other processes have written. */
    async poll(): Promise<void> {
      const commits = db.externalCommits()
      if (commits !== null && commits === seenCommits) return
      seenCommits = commits
      await tell(streams.users())
    },
  }
}
