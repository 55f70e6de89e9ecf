/** Compares events with the ledger entries whose events `points.changed` are folded into them. */
import { and, asc, isNotNull } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { differs, type Finding } from '../../core/finding.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'
import { earnedBy, type PointsReason } from '../ledgers/reasons.ts'
import { readEntriesOf } from '../points/entry-spans.ts'
import { readSeamsOf } from '../points/seams.ts'

type Fold = Pick<
  Tables['events']['$inferSelect'],
  'userId' | 'entryCount' | 'firstEntrySeq' | 'lifetimeAfter'
>

/** Needs a snapshot: an event is written together with its entries. */
export async function findWrongFolds(reader: Reader, range: Range): Promise<Finding[]> {
  const audit = await createFoldAudit(reader, range)
  if (audit.hasFolds)
    for await (const page of readEntriesOf(reader, range)) for (const entry of page) audit.add(entry)
  return audit.conclude()
}

/** `add` takes the entries of the range, which are read later than the events, by fan and `seq`. */
export async function createFoldAudit(reader: Reader, range: Range) {
  const folds = Map.groupBy(await readFolds(reader, range), ({ userId }) => userId)
  const seams = await readSeamsOf(reader, range)
  /** Lifetime points after each entry of fans with folded events. */
  const lifetimes = new Map<string, number>()
  let current = { userId: '', lifetime: 0 }

  function add({ userId, seq, delta, reason }: ChainedEntry) {
    const seam = seams.get(userId)
    if (!folds.has(userId) || (seam && seq <= seam.seq)) return
    if (current.userId !== userId) current = { userId, lifetime: seam?.lifetime ?? 0 }
    // Guarantee of the cast: an unknown reason counts as earned.
    current.lifetime += earnedBy({ delta, reason: reason as PointsReason })
    lifetimes.set(`${userId} ${seq}`, current.lifetime)
  }

  const conclude = () =>
    [...folds].flatMap(([userId, own]) => {
      const archived = userId === null ? 0 : (seams.get(userId)?.seq ?? 0)
      let told = 0
      return own.flatMap(({ entryCount, firstEntrySeq, lifetimeAfter }) => {
        const [first, count] = [firstEntrySeq ?? 0, entryCount ?? 0]
        const findings = first > told ? [] : differs(userId, 'events.first_entry_seq', told + 1, first)
        told = first + count - 1
        // What the fan had among archived entries is compared with the archive.
        if (told <= archived) return findings
        const lifetime = lifetimes.get(`${userId} ${told}`) ?? null
        return [
          ...findings,
          ...differs(userId, `events.lifetime_after of entry ${told}`, lifetime, lifetimeAfter),
        ]
      })
    })

  return { add, conclude, hasFolds: folds.size > 0 }
}

function readFolds(reader: Reader, range: Range): Promise<Fold[]> {
  const { events } = reader.tables
  const { userId, sequence, entryCount, firstEntrySeq, lifetimeAfter } = events
  return reader
    .select({ userId, entryCount, firstEntrySeq, lifetimeAfter })
    .from(events)
    .where(and(isNotNull(entryCount), inRange(userId, range)))
    .orderBy(asc(userId), asc(sequence))
}
