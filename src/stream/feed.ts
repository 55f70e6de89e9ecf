/** The events of one fan on one stream: in order, without gaps, at the pace of the reader. */
import type { Database } from '../../db/index.ts'
import { EVENTS_PER_PAGE, readEventsAfter, readNewestSequences } from '../events/follow.ts'
import { bodyOf } from '../events/message.ts'
import type { Connection } from './connection.ts'
import { frameOf } from './frames.ts'

/** A client that was away for longer reads what it shows again. */
const RESUMABLE_MS = 86_400_000

export type Feed = ReturnType<typeof createFeed>

interface FeedOptions {
  db: Database
  connection: Connection
  /** The fan; undefined while there is no user record. */
  userId(): string | undefined
  /** Whether events of the fan are sent. Without them only `reset` is. */
  sendsEvents: boolean
  /** `Last-Event-ID` of the client; null if there is none. */
  lastEventId: number | null
}

export function createFeed({ db, connection, userId, sendsEvents, lastEventId }: FeedOptions) {
  /** The sequence of the last event that was sent. Null: the reader must get `reset`. */
  let position: number | null = sendsEvents ? null : 0
  let resumeFrom = lastEventId
  let lost = false
  let running = false
  let again = false

  async function sendNew(): Promise<void> {
    const fan = sendsEvents ? userId() : undefined
    if (resumeFrom !== null) {
      position = await findResumption(db, fan, resumeFrom)
      resumeFrom = null
    }
    if (lost) {
      await connection.room()
      lost = false
      position = null
    }
    if (position === null) {
      position = fan === undefined ? 0 : await newestOf(db, fan)
      connection.send(frameOf({ event: 'reset', data: {}, ...(sendsEvents ? { id: position } : {}) }))
    }
    for (let more = fan !== undefined; more && fan !== undefined; ) {
      const page = await readEventsAfter(db.read, { userId: fan, sequence: position })
      for (const event of page) {
        await connection.room()
        if (connection.closed || lost) return
        connection.send(frameOf({ id: event.sequence, event: event.type, data: bodyOf(event) }))
        position = event.sequence
      }
      more = page.length === EVENTS_PER_PAGE
    }
  }

  return {
    /** Sends what has happened since. Never rejects for a reader that is slow or gone; rejects if the database fails. */
    async advance(): Promise<void> {
      again = true
      if (running) return
      running = true
      try {
        while (again && !connection.closed) {
          again = false
          await sendNew()
        }
      } catch (error) {
        again = true
        throw error
      } finally {
        running = false
      }
    },
    /** Whether there is something to send when this is the fan's newest sequence. */
    isBehind: (newest: number) => again || lost || position === null || newest > position,
    /** The reader has lost events: it gets `reset` once it has taken what waits. */
    lose(): void {
      lost = true
      again = true
    },
  }
}

/** Where a client that has the events up to `from` goes on; null if it cannot. */
async function findResumption(db: Database, fan: string | undefined, from: number): Promise<number | null> {
  const newest = fan === undefined ? 0 : await newestOf(db, fan)
  if (from > newest) return null
  const [missed] = fan === undefined ? [] : await readEventsAfter(db.read, { userId: fan, sequence: from })
  const oldest = db.read.now().getTime() - RESUMABLE_MS
  return missed && missed.recordedAt.getTime() < oldest ? null : from
}

const newestOf = async (db: Database, userId: string): Promise<number> =>
  (await readNewestSequences(db.read, [userId])).get(userId) ?? 0
