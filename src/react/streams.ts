/** One stream for all components: it follows the topics of those that are shown. */
import type { Follow, FollowOptions, StreamEvent, Topic } from '@matchday/client'

interface Follower {
  topics: readonly Topic[]
  onEvent(event: StreamEvent): void
  onConnection(isOpen: boolean): void
}

export interface Streams {
  /** Returns a function that ends it. */
  add(follower: Follower): () => void
  /** With the token of another session, or none. */
  restart(): void
}

const PUBLIC = /^(leaderboard|pack:|match:|question:)/

interface Surroundings {
  /** The topic `me` is refused without a session. */
  isSignedOut(): boolean
  /** Gets each event once, before those who follow its topic. */
  onEvent(event: StreamEvent): void
  onEnd: NonNullable<FollowOptions['onEnd']>
}

export function createStreams(follow: Follow, { isSignedOut, onEvent, onEnd }: Surroundings): Streams {
  const followers = new Set<Follower>()
  let followed = ''
  let end = () => {}
  let isOpen = false

  function setOpen(open: boolean) {
    isOpen = open
    for (const { onConnection } of followers) onConnection(open)
  }

  function take(event: StreamEvent) {
    onEvent(event)
    for (const { topics, onEvent: tell } of followers) {
      const topic = PUBLIC.test(event.type) ? event.type : 'me'
      // Guarantee of the cast: the type of a public event is its topic.
      if (event.type === 'reset' || topics.includes(topic as Topic)) tell(event)
    }
  }

  /**
   * Opens another connection if the topics have changed. Its `reset`, or the current state of topics, covers
   * missed events.
   */
  function update() {
    const wanted = new Set([...followers].flatMap(follower => follower.topics))
    if (isSignedOut()) wanted.delete('me')
    const topics = [...wanted].sort()
    if (topics.join() === followed) return
    followed = topics.join()
    end()
    setOpen(false)
    end = topics.length === 0 ? () => {} : follow(topics, take, { onConnection: setOpen, onEnd })
  }

  return {
    add(follower) {
      followers.add(follower)
      if (isOpen) follower.onConnection(true)
      // After all components of the page have registered their topics.
      queueMicrotask(update)
      return () => {
        followers.delete(follower)
        queueMicrotask(update)
      }
    },
    restart() {
      followed = ''
      update()
    },
  }
}
