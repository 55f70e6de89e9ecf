/**
 * The open streams of this process. Timers run while there are any: they poll for events of the fans, for changes of public
 * topics, and for tokens that ended, in a fixed number of statements for all streams together.
 */

import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import { NOBODY } from '../../core/caller.ts'
import { every } from '../../core/every.ts'
import { logFailed } from '../../core/loggable.ts'
import { DomainError } from '../../core/problems.ts'
import type { AppSources } from '../../core/sources.ts'
import { readNewestSequences } from '../../economy/events/sequences.ts'
import { checkStreamTokens, type StreamToken } from '../../identity/auth/stream-tokens.ts'
import type { Config } from '../../platform/config/config.ts'
import { Connection, type ConnectionEvents } from './connection.ts'
import { Feed } from './feed.ts'
import { COMMENT, retryFrame } from './frames.ts'
import { streamProblems } from './problems.ts'
import type { TopicDeps, TopicState } from './topics.ts'
import { watchUnread } from './unread.ts'
import { watchTopics } from './watch-topics.ts'

/** Milliseconds between two polls of the database. */
const FANS_EVERY_MS = 400
const TOPICS_EVERY_MS = 100
/** Of unread messages that other processes write. */
const INBOX_EVERY_MS = 2_000
const COMMENT_EVERY_MS = 15_000
/** Clients reconnect after a random time in this range, so that they do not come back all at once. */
const RETRY_MS = { min: 1_000, spread: 3_000 }
/**
 * The same for streams that were closed in favour of others: they must not immediately take the place of
 * another one.
 */
const RETRY_LATER_MS = { min: 15_000, spread: 15_000 }
/** `Retry-After` of `too_many_streams`, in seconds. */
const RETRY_AFTER = 15

interface StreamsDeps extends TopicDeps, Pick<AppSources, 'now' | 'randomBytes'> {
  config: Config
  db: Database
  log: Logger
}

/** Who opens a stream: a token, or a network address without one. */
export type Opener = { token: StreamToken; userId: string } | { address: string }

interface StreamRequest {
  opener: Opener
  /** Public topics with their state as just read. */
  topics: Map<string, TopicState>
  /** Whether the fan's events are sent. */
  me: boolean
  lastEventId: number | null
  request: Request
  /** Null: no server has accepted the request. */
  server: RequestServer | null
}

interface RequestServer {
  timeout(request: Request, seconds: number): void
}

export type Streams = ReturnType<typeof createStreams>

/** What all streams of a server share. */
interface StreamHooks {
  db: Database
  /** Follows the public topics, once the events of the fan continue. */
  begin(stream: Stream, topics: StreamRequest['topics']): void
  remove(stream: Stream): void
}

/** Its callbacks are methods: closures would keep what is around them, for each of tens of thousands of streams. */
class Stream implements ConnectionEvents {
  /** Null for a stream without a token, which has public topics only. */
  readonly token: StreamToken | null
  /** A fan, or the address of a stream without a token: their streams are limited. */
  readonly owner: string
  readonly connection: Connection
  /** Has the user id. */
  readonly feed: Feed
  readonly #request: Request
  readonly #server: RequestServer | null
  readonly #hooks: StreamHooks

  constructor({ opener, topics, me, lastEventId, request, server }: StreamRequest, hooks: StreamHooks) {
    const { token, userId } = 'token' in opener ? opener : { token: null, userId: NOBODY }
    this.token = token
    this.owner = ownerOf(opener)
    this.#request = request
    this.#server = server
    this.#hooks = hooks
    this.connection = new Connection(this)
    this.feed = new Feed({
      db: hooks.db,
      connection: this.connection,
      userId,
      lastEventId,
      sendsEvents: me,
      onBegin: () => hooks.begin(this, topics),
    })
  }

  onClose(): void {
    this.#hooks.remove(this)
  }

  onUnreadEnd(): void {
    this.#server?.timeout(this.#request, 1)
  }
}

const ownerOf = (opener: Opener) =>
  'token' in opener ? `${opener.token.provider} ${opener.token.subject}` : opener.address

export function createStreams(deps: StreamsDeps, { commentEveryMs = COMMENT_EVERY_MS } = {}) {
  const { config, db, log, now, randomBytes } = deps
  const { limits } = config
  const open = new Set<Stream>()
  /**
   * Number of open streams without a token. They have separate limits, so that they never take the place of a
   * fan's stream.
   */
  let anonymous = 0
  const byFan = createIndex<Stream>()
  const byAddress = createIndex<Stream>()
  const byUser = createIndex<Stream>()
  const topics = watchTopics(deps)
  const unread = watchUnread(db, { users: () => byUser.keys(), of: userId => byUser.get(userId) })
  let stopTimers: (() => void) | undefined
  let stopped = false
  /** Whether tokens may have changed since the last poll, as far as this process knows. */
  let tokensChanged = true
  let seenCommits: number | null = null

  function isFull(opener: Opener): boolean {
    if (!('token' in opener)) return limits.publicStreams === 0
    return open.size - anonymous >= limits.streams || byFan.count(ownerOf(opener)) >= limits.streamsPerFan
  }

  /**
   * Makes room for a stream without a token: closes the oldest stream of the address with the most streams.
   */
  function makeRoom(address: string): void {
    let fullest = address
    if (byAddress.count(address) < limits.publicStreamsPerAddress) {
      if (anonymous < limits.publicStreams) return
      for (const key of byAddress.keys()) if (byAddress.count(key) > byAddress.count(fullest)) fullest = key
    }
    const [oldest] = byAddress.get(fullest)
    oldest?.connection.send(randomRetry(RETRY_LATER_MS))
    oldest?.connection.end()
  }

  function randomRetry({ min, spread }: typeof RETRY_MS): string {
    const [random = 0] = randomBytes(1)
    return retryFrame(min + Math.round((random / 255) * spread))
  }

  const indexOf = ({ token }: Pick<Stream, 'token'>) => (token === null ? byAddress : byFan)

  function add(stream: Stream): void {
    open.add(stream)
    if (stream.token === null) anonymous++
    else byUser.add(stream.feed.userId, stream)
    indexOf(stream).add(stream.owner, stream)
    tokensChanged = true
    stopTimers ??= startTimers()
  }

  function remove(stream: Stream): void {
    if (!open.delete(stream)) return
    if (stream.token === null) anonymous--
    else byUser.remove(stream.feed.userId, stream)
    topics.leave(stream)
    indexOf(stream).remove(stream.owner, stream)
    if (open.size > 0) return
    stopTimers?.()
    stopTimers = undefined
  }

  const hooks: StreamHooks = {
    db,
    begin(stream, followed) {
      for (const [topic, state] of followed) topics.follow(topic, state, stream)
    },
    remove,
  }

  function startTimers(): () => void {
    const timers = [
      start(FANS_EVERY_MS, 'look for events of streams', lookForAll),
      start(TOPICS_EVERY_MS, 'look for changes of topics', () => topics.poll()),
      start(commentEveryMs, 'send comments', async () => {
        for (const { connection } of open) if (connection.hasRoom) connection.send(COMMENT)
      }),
      start(INBOX_EVERY_MS, 'look for messages of streams', () => unread.poll()),
      db.read.spine.inbox.changed.listen(({ userId }) => {
        if (byUser.count(userId) > 0) unread.tell([userId]).catch(logFailed(log, 'tell unread messages'))
      }),
      db.read.spine.events.recorded.listen(({ userId }) => {
        for (const stream of byUser.get(userId)) advance(stream)
      }),
    ]
    return () => {
      for (const stop of timers) stop()
    }
  }

  /** Logs only the first of several failures in a row. */
  function start(ms: number, task: string, run: () => Promise<unknown>): () => void {
    const { stop } = every(ms, run, (error, isRepeated) => {
      if (!isRepeated) logFailed(log, task)(error)
    })
    return () => void stop()
  }

  async function lookForAll(): Promise<void> {
    for (const { connection, token, feed } of open) {
      if (token && token.credential.expiresAt <= now()) connection.end()
      else if (connection.isStalled()) feed.lose()
    }
    const commits = db.externalCommits()
    // SQLite reports commits of other processes. Those of this process are signalled.
    const mayHaveNews = commits === null || commits !== seenCommits
    if (mayHaveNews || tokensChanged) await checkTokens()
    const newest = await readNewestSequences(db.read, mayHaveNews ? byUser.keys() : [])
    seenCommits = commits
    for (const stream of open) {
      if (stream.feed.isBehind(newest.get(stream.feed.userId) ?? 0)) advance(stream)
    }
  }

  async function checkTokens(): Promise<void> {
    tokensChanged = false
    try {
      const streams = [...open]
      const check = await checkStreamTokens(
        db.read,
        config.identity.name,
        streams.flatMap(({ token }) => token ?? []),
      )
      for (const stream of streams) {
        if (!stream.token) continue
        const { valid, userId } = check(stream.token)
        if (!valid) stream.connection.end()
        else if (userId !== stream.feed.userId) recognize(stream, userId)
      }
    } catch (error) {
      tokensChanged = true
      throw error
    }
  }

  /** The fan has a user record now. */
  function recognize(stream: Stream, userId: string): void {
    if (!open.has(stream)) return
    byUser.remove(stream.feed.userId, stream)
    byUser.add(userId, stream)
    stream.feed.userId = userId
    advance(stream)
  }

  /** What fails is tried again by the next poll. */
  function advance({ feed }: Stream): void {
    feed.advance().catch(logFailed(log, 'send events'))
  }

  return {
    get size(): number {
      return open.size
    },
    /** The body of the response. @throws DomainError `too_many_streams` */
    open(request: StreamRequest) {
      const { opener } = request
      if (isFull(opener)) throw new DomainError(streamProblems.too_many_streams, { retryAfter: RETRY_AFTER })
      if ('address' in opener) makeRoom(opener.address)
      const stream = new Stream(request, hooks)
      const { connection } = stream
      connection.send(randomRetry(RETRY_MS))
      add(stream)
      advance(stream)
      if (stopped) connection.end()
      return connection.body
    },
    /** A token may have ended, or a user record may exist now: the next poll checks. */
    noteTokenChange(): void {
      tokensChanged = true
    },
    /** Ends all streams, and those that are opened later at once. */
    stop(): void {
      stopped = true
      for (const { connection } of open) connection.end()
    },
  }
}

/** Values by key. Most keys have one, for which a Set would take 350 bytes. */
function createIndex<Value extends object>() {
  const values = new Map<string, Value | Set<Value>>()
  return {
    add(key: string, value: Value): void {
      const found = values.get(key)
      if (found instanceof Set) found.add(value)
      else values.set(key, found === undefined || found === value ? value : new Set([found, value]))
    },
    remove(key: string, value: Value): void {
      const found = values.get(key)
      if (found instanceof Set) found.delete(value)
      if (found === value || (found instanceof Set && found.size === 0)) values.delete(key)
    },
    /** The oldest first. */
    get(key: string): Value[] {
      const found = values.get(key)
      return found instanceof Set ? [...found] : found === undefined ? [] : [found]
    },
    count(key: string): number {
      const found = values.get(key)
      return found instanceof Set ? found.size : found === undefined ? 0 : 1
    },
    keys: () => [...values.keys()],
  }
}
