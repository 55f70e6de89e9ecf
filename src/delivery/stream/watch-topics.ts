/** Tells streams that a public response has changed, at most once a second for each topic. */
import type { Connection } from './connection.ts'
import type { Feed } from './feed.ts'
import { frameOf } from './frames.ts'
import { findTopic, type TopicDeps, type TopicState } from './topics.ts'

/** Between two announcements of a topic. */
const QUIET_MS = 1_000

interface Follower {
  connection: Connection
  feed: Feed
}

interface Watched {
  state: TopicState
  /** It was announced within the last second. */
  quiet: boolean
  followers: Set<Follower>
}

export function watchTopics(deps: TopicDeps) {
  const watched = new Map<string, Watched>()

  async function announceChange(topic: string, watching: Watched): Promise<void> {
    const state = await findTopic(deps, topic)
    if (state.etag === watching.state.etag) return
    Object.assign(watching, { state, quiet: true })
    setTimeout(() => {
      watching.quiet = false
    }, QUIET_MS).unref()
    for (const follower of watching.followers)
      if (follower.connection.hasRoom) send(topic, state, follower)
      else follower.feed.lose()
  }

  function send(topic: string, data: TopicState, { connection, feed }: Follower): void {
    connection.send(frameOf({ id: feed.lastId(), event: topic, data }))
  }

  return {
    /** Sends the current state at once. `state`: as just read. */
    follow(topic: string, state: TopicState, follower: Follower): void {
      const fresh = () => ({ state, quiet: false, followers: new Set<Follower>() })
      const watching = watched.getOrInsertComputed(topic, fresh)
      watching.followers.add(follower)
      send(topic, watching.state, follower)
    },
    /** Ends all topics of the follower. */
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
