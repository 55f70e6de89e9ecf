/** Recomputes accounts, enrolments and scores of fans from their ledger entries, which are never changed. */
import type { Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import type { ChainedEntry } from '../../economy/ledgers/chain.ts'
import { createAudit, type Verdict } from '../../economy/points/audit-fan.ts'
import { readEntriesOf } from '../../economy/points/entry-spans.ts'
import { auditByFan } from '../coverage/by-fan.ts'
import { readStored, readStoredFan, unknownFan } from './stored-fans.ts'

/** Every fan of a range, and every other user id in its rows. */
export async function* auditRange(
  read: Reader,
  range: Range,
  userIds: string[],
  boards: string[],
  onEntry: (entry: ChainedEntry) => void,
) {
  const stored = await readStored(read, range, userIds, boards)
  const create = (userId: string) => {
    const { add, conclude } = createAudit(userId, stored.get(userId)?.seam)
    const addBoth = (entry: ChainedEntry) => {
      add(entry)
      onEntry(entry)
    }
    return { add: addBoth, conclude }
  }
  for await (const { userId, audit, rows } of auditByFan(readEntriesOf(read, range), create)) {
    const verdict = audit.conclude(stored.get(userId) ?? unknownFan())
    stored.delete(userId)
    yield { userId, verdict, entries: rows }
  }
  for (const [userId, fan] of stored)
    yield { userId, verdict: createAudit(userId, fan.seam).conclude(fan), entries: 0 }
}

/** Checks one fan at one moment, in a snapshot: entries up to the last one never change, but the archive takes them away. */
export async function checkFan(reader: Reader, userId: string): Promise<Verdict> {
  const { fan, lastSeq } = await readStoredFan(reader, userId)
  const audit = createAudit(userId, fan.seam)
  for await (const page of readEntriesOf(reader, { only: userId }))
    for (const entry of page) if (entry.seq <= lastSeq) audit.add(entry)
  return audit.conclude(fan)
}
