/** The events of one fan on one stream: in order, without gaps, at the pace of the reader. */
import type { Database } from '../../../db/index.ts'
import { NOBODY } from '../../core/caller.ts'
import { EVENTS_PER_PAGE, readEventsAfter } from '../../economy/events/follow.ts'
import { bodyOf } from '../../economy/events/message.ts'
import { readNewestSequences } from '../../economy/events/sequences.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'

/** A client that was disconnected for longer must load its data again. */
const RESUMABLE_MS = 86_400_000

interface FeedOptions {
  db: Database
  connection: Connection
  /** The fan; `NOBODY` while there is no user record. */
  userId: string
  /** Whether events of the fan are sent. Without them only `reset` is. */
  sendsEvents: boolean
  /** `Last-Event-ID` of the client; null if there is none. */
  lastEventId: number | null
  /** Called once: the stream continues at the client's position, or `reset` was sent. */
  onBegin(): void
}

export class Feed {
  /** The fan; `NOBODY` while there is no user record. */
  userId: string
  readonly #db: Database
  readonly #connection: Connection
  readonly sendsEvents: boolean
  /** The sequence of the last event that was sent. Null: the reader must get `reset`. */
  #position: number | null = null
  #resumeFrom: number | null
  /** Null once it was called, with what it holds. */
  #onBegin: (() => void) | null
  #lost = false
  #running = false
  #again = false

  constructor({ db, connection, userId, sendsEvents, lastEventId, onBegin }: FeedOptions) {
    this.userId = userId
    this.#db = db
    this.#connection = connection
    this.sendsEvents = sendsEvents
    // Without events there is nothing to resume.
    this.#resumeFrom = sendsEvents ? lastEventId : null
    this.#onBegin = onBegin
  }

  async #sendNew(): Promise<void> {
    const [db, connection] = [this.#db, this.#connection]
    const fan = this.userId
    const hasEvents = this.sendsEvents && fan !== NOBODY
    if (this.#resumeFrom !== null) {
      this.#position = await findResumption(db, fan, this.#resumeFrom)
      this.#resumeFrom = null
    }
    if (this.#lost) {
      await connection.room()
      this.#lost = false
      this.#position = null
    }
    let position = this.#position
    if (position === null) {
      position = hasEvents ? await newestOf(db, fan) : 0
      this.#position = position
      connection.send(frameOf({ event: 'reset', data: {}, ...(this.sendsEvents ? { id: position } : {}) }))
    }
    if (!connection.closed) {
      this.#onBegin?.()
      this.#onBegin = null
    }
    for (let more = hasEvents; more; ) {
      const page = await readEventsAfter(db.read, { userId: fan, sequence: position })
      for (const event of page) {
        await connection.room()
        if (connection.closed || this.#lost) return
        connection.send(frameOf({ id: event.sequence, event: event.type, data: bodyOf(event) }))
        position = event.sequence
        this.#position = position
      }
      more = page.length >= EVENTS_PER_PAGE
    }
  }

  /** `id` of the frames of other topics: a client that reconnects after one resumes there. */
  lastId(): number | undefined {
    return this.sendsEvents ? (this.#position ?? undefined) : undefined
  }

  /** Sends what has happened since. Never rejects for a reader that is slow or gone; rejects if the database fails. */
  async advance(): Promise<void> {
    this.#again = true
    if (this.#running) return
    this.#running = true
    try {
      while (this.#again && !this.#connection.closed) {
        this.#again = false
        await this.#sendNew()
      }
    } catch (error) {
      this.#again = true
      throw error
    } finally {
      this.#running = false
    }
  }

  /** Whether there is something to send when this is the fan's newest sequence. */
  isBehind(newest: number): boolean {
    return this.#again || this.#lost || this.#position === null || newest > this.#position
  }

  /** The reader has lost events: it gets `reset` when it has read the waiting frames. */
  lose(): void {
    this.#lost = true
    this.#again = true
  }
}

/** The position at which a client that has the events up to `from` can resume; null if it cannot. */
async function findResumption(db: Database, fan: string, from: number): Promise<number | null> {
  const newest = await newestOf(db, fan)
  if (from > newest) return null
  const [missed] = await readEventsAfter(db.read, { userId: fan, sequence: from })
  const oldest = db.read.now().getTime() - RESUMABLE_MS
  return missed && missed.recordedAt.getTime() < oldest ? null : from
}

const newestOf = async (db: Database, userId: string): Promise<number> =>
  (await readNewestSequences(db.read, [userId])).get(userId) ?? 0
