/** Compares each consent with the event that tells it: events are hashed, and the events of a fan have no gaps. */
import { and, asc, eq } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, differsInTime, type Finding, readJson } from '../../core/finding.ts'
import { APPLICATION, type DataOf } from '../../economy/events/types.ts'

type Consent = Tables['consents']['$inferSelect']
interface Told {
  userId: string | null
  at: Date | null
  data: DataOf<'consent.changed'>
}

/** Needs a snapshot: an event is written together with its row. */
export async function findWrongConsents(reader: Reader, range: Range): Promise<Finding[]> {
  const { consents, events } = reader.tables
  const rows = await reader
    .select()
    .from(consents)
    .where(inRange(consents.userId, range))
    .orderBy(asc(consents.seq))
  const { userId, occurredAt: at, data } = events
  const isTold = and(eq(events.source, APPLICATION), eq(events.type, 'consent.changed'))
  const recorded = await reader
    .select({ userId, at, data })
    .from(events)
    .where(and(isTold, inRange(userId, range)))
    .orderBy(asc(userId), asc(events.sequence))
  /** Fans some of whose events have lost their data, by their retention or an erasure. */
  const vague = new Set(recorded.flatMap(event => (event.data === null ? event.userId : [])))
  const told = Map.groupBy(
    recorded.flatMap((event): Told[] => {
      const data = readJson(event.data)
      // Guarantee of the cast: the application writes the data of each type by its schema.
      return data ? [{ ...event, data: data as Told['data'] }] : []
    }),
    ({ userId, data }) => `${userId} ${data.purpose}`,
  )
  const stated = Map.groupBy(rows, ({ userId, purpose }) => `${userId} ${purpose}`)
  return [...new Set([...told.keys(), ...stated.keys()])].flatMap(name =>
    compare(stated.get(name) ?? [], told.get(name) ?? [], vague),
  )
}

/** From the newest back: the oldest events lose their data first. */
function compare(rows: Consent[], told: Told[], vague: Set<string | null>): Finding[] {
  const [userId, purpose] = [
    rows[0]?.userId ?? told[0]?.userId ?? null,
    rows[0]?.purpose ?? told[0]?.data.purpose,
  ]
  const what = (column: string) => `consents.${column} of ${purpose}`
  const isEnough = rows.length > told.length && vague.has(userId)
  const number = isEnough ? [] : differs(userId, what('row'), told.length, rows.length)
  if (number.length > 0) return number
  const first = rows.length - told.length
  return rows.flatMap((row, index) => {
    const event = told[index - first]
    return [
      ...differs(userId, what('seq'), index + 1, row.seq),
      ...(event
        ? [
            ...differs(userId, what('granted'), event.data.granted, row.granted),
            ...differs(userId, what('document_id'), event.data.documentId, row.documentId),
            ...differs(userId, what('version'), event.data.version, row.version),
            ...differsInTime(userId, what('changed_at'), event.at, row.changedAt),
          ]
        : []),
    ]
  })
}
