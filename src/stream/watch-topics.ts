/** Tells streams that a public response has changed, at most once a second for each topic. */
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'
import { findEtag, type TopicDeps } from './topics.ts'

/** Between two announcements of a topic. */
const QUIET_MS = 1_000

interface Follower {
  connection: Connection
  /** The reader has no room for the change. */
  lose(): void
}

interface Watched {
  etag: string | null
  /** It was announced within the last second. */
  quiet: boolean
  followers: Set<Follower>
}

export function watchTopics(deps: TopicDeps) {
  const watched = new Map<string, Watched>()

  async function announceChange(topic: string, state: Watched): Promise<void> {
    const etag = await findEtag(deps, topic)
    if (etag === state.etag) return
    Object.assign(state, { etag, quiet: true })
    setTimeout(() => {
      state.quiet = false
    }, QUIET_MS).unref()
    const frame = frameOf({ event: topic, data: { etag } })
    for (const { connection, lose } of state.followers)
      if (connection.hasRoom) connection.send(frame)
      else lose()
  }

  return {
    /** Sends the current state at once. `etag`: as just read. */
    follow(topic: string, etag: string, follower: Follower): void {
      const state = watched.getOrInsertComputed(topic, () => ({ etag, quiet: false, followers: new Set() }))
      state.followers.add(follower)
      follower.connection.send(frameOf({ event: topic, data: { etag: state.etag } }))
    },
    /** Ends all that the follower follows. */
    leave(follower: Follower): void {
      for (const [topic, { followers }] of watched)
        if (followers.delete(follower) && followers.size === 0) watched.delete(topic)
    },
    /** Announces what has changed. The response cache decides how often the database is asked. */
    async poll(): Promise<void> {
      const due = [...watched].filter(([, { quiet }]) => !quiet)
      await Promise.all(due.map(([topic, state]) => announceChange(topic, state)))
    },
  }
}
