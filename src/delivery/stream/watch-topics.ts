/**
 * Tells streams that a topic has changed: at most once a second for each topic, or four times for a question. A change reaches
 * some followers at a time, so that requests do not wait until all have it.
 */
import type { AppSources } from '../../core/sources.ts'
import type { Connection } from './connection.ts'
import type { Feed } from './feed.ts'
import { frameOf } from './frames.ts'
import { findTopic, isOfQuestion, type TopicDeps, type TopicState } from './topics.ts'

/** Between two announcements of a topic. */
const QUIET_MS = 1_000
const QUIET_OF_QUESTION_MS = 250
/** Up to so much longer, so that the processes of a club do not read and send at the same instants. */
const JITTER_MS = 100
/** Followers that get a change before other work of the process runs. */
const AT_ONCE = 100

interface Follower {
  connection: Connection
  feed: Feed
}

interface Watched {
  /** The state as it is sent. */
  text: string
  /** It was announced a moment ago, or is being announced. */
  quiet: boolean
  followers: Set<Follower>
}

export function watchTopics(deps: TopicDeps & Pick<AppSources, 'randomBytes'>) {
  const watched = new Map<string, Watched>()

  async function announceChange(topic: string, watching: Watched): Promise<void> {
    const text = JSON.stringify(await findTopic(deps, topic))
    if (text === watching.text) return
    Object.assign(watching, { text, quiet: true })
    // Other topics do not wait for its followers.
    void sendToAll(topic, watching)
  }

  async function sendToAll(topic: string, watching: Watched): Promise<void> {
    const begun = performance.now()
    // Those who come later have begun with this state.
    for (const [nth, follower] of [...watching.followers].entries()) {
      if (nth % AT_ONCE === AT_ONCE - 1) await new Promise(resolve => setImmediate(resolve))
      if (follower.connection.hasRoom) send(topic, watching.text, follower)
      else follower.feed.lose()
    }
    const [random = 0] = deps.randomBytes(1)
    const least = isOfQuestion(topic) ? QUIET_OF_QUESTION_MS + (random / 255) * JITTER_MS : QUIET_MS
    // With many followers, as long as sending took.
    const took = performance.now() - begun
    setTimeout(
      () => {
        watching.quiet = false
      },
      Math.max(least, took),
    ).unref()
  }

  function send(topic: string, data: string, { connection, feed }: Follower): void {
    connection.send(frameOf({ id: feed.lastId(), event: topic, data }))
  }

  return {
    /** Sends the current state at once. `state`: as just read. */
    follow(topic: string, state: TopicState, follower: Follower): void {
      const fresh = () => ({ text: JSON.stringify(state), quiet: false, followers: new Set<Follower>() })
      const watching = watched.getOrInsertComputed(topic, fresh)
      watching.followers.add(follower)
      send(topic, watching.text, follower)
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
