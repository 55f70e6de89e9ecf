/**
 * The task of automatic leagues: copies the scores of fans who have earned since its last run to the boards of their groups, once
 * units of work that began before have ended.
 */
import { nextSize, restAfter } from '../../../db/batches.ts'
import type { Database, Reader } from '../../../db/index.ts'
import { listFansOfEvents } from '../../economy/events/list-events.ts'
import { eachEnrolled } from '../../economy/leaderboard/enrolment.ts'
import { copyScores } from '../../economy/points/groups.ts'
import { listFansOfEntries } from '../../economy/points/history.ts'
import { readRuns, recordRun } from '../../platform/jobs/maintenance.ts'

const COMMAND = 'automatic-leagues'
/** Longer than any unit of work: no write from before is still running. */
const SETTLED_MS = 60_000
/** A span of time whose fans are read at once. */
const SPAN_MS = 300_000
/** Fans of a unit of work, adjusted by its duration. */
const FANS = { min: 20, max: 500 }
/** Fans that are read at once. */
const PAGE = 500

/** Up to when the scores of all fans are copied. Undefined before the first run has ended. */
export const readCopiedUntil = async (reader: Reader): Promise<Date | undefined> =>
  (await readRuns(reader)).get(COMMAND)

/**
 * Any number of processes may run it at the same time: a copy that is right is not written. Returns how many fans it has looked at.
 */
export async function copyGroupScores(
  { db }: { db: Database },
  stopping: () => boolean = () => false,
): Promise<number> {
  const settled = new Date(db.read.now().getTime() - SETTLED_MS)
  let from = await readCopiedUntil(db.read)
  let [copied, size] = [0, FANS.min]
  while (!stopping() && (from === undefined || from < settled)) {
    const until: Date = from ? new Date(Math.min(settled.getTime(), from.getTime() + SPAN_MS)) : settled
    const pages = from ? [await listEarners(db.read, from, until)] : eachEnrolled(db.read, PAGE)
    for await (const fans of pages) {
      for (let at = 0; at < fans.length; ) {
        if (stopping()) return copied
        const began = performance.now()
        const userIds = fans.slice(at, at + size)
        await db.write(tx => copyScores(tx, userIds))
        at += userIds.length
        copied += userIds.length
        size = nextSize(db, { size, ms: performance.now() - began }, FANS)
        await restAfter(began)
      }
    }
    await db.write(tx => recordRun(tx, COMMAND, until))
    from = until
  }
  return copied
}

/** Fans with an event or an entry of this time. An enrolment of an onboarding is an event. */
async function listEarners(reader: Reader, from: Date, until: Date): Promise<string[]> {
  const ofEvents = await listFansOfEvents(reader, from, until)
  const ofEntries = await listFansOfEntries(reader, from, until)
  return [...new Set([...ofEvents, ...ofEntries])].toSorted()
}
