/**
 * Recomputes the quests of every fan from their events while the API runs. Takes no lock and writes nothing. A fan with
 * findings is read again in a snapshot before anything is reported, since concurrent writes may have caused them.
 */
import { and, asc, isNull } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Database, Reader } from '../../../db/index.ts'
import { auditQuests } from '../../play/quests/audit/audit-quests.ts'
import type { QuestFinding } from '../../play/quests/audit/facts.ts'
import { findWrongQuests } from '../../play/quests/audit/find-wrong-quests.ts'
import { type QuestHistory, readQuestHistory } from '../../play/quests/audit/quest-history.ts'
import { type QuestSet, readQuestSet } from '../../play/quests/quest.ts'
import { type Coverage, coverAll } from '../coverage/coverage.ts'
import { readQuestFacts } from '../play/quest-facts.ts'

interface Options {
  /** What to read. Default: everything. */
  coverage?: Coverage | undefined
  onFinding?: (finding: QuestFinding) => void
  /** Fans checked so far, and the approximate total. May throw to stop, and is awaited. */
  onProgress?: (done: number, total: number) => void | Promise<void>
}

/** Does not check erased fans, whose counted events are deleted. Returns the number of checked items and of findings. */
export async function verifyQuests(
  { read, snapshot }: Pick<Database, 'read' | 'snapshot'>,
  { coverage = coverAll(read, 'verify-quests'), onFinding, onProgress }: Options = {},
) {
  const report = { fans: 0, periods: 0, findings: 0 }
  const basis = await readBasis(read)
  const say = (findings: QuestFinding[]) => {
    for (const finding of findings) onFinding?.(finding)
    report.findings += findings.length
  }
  // An import between two statements may have caused them.
  if ((await findWrongQuests(read)).length > 0) say(await snapshot(findWrongQuests))
  const fans = await coverage.countFans()
  for await (const { range } of coverage.ranges)
    for (const { id: userId } of await readFans(read, range)) {
      const first = await checkFan(read, basis, userId)
      const { findings, periods } =
        first.findings.length === 0
          ? first
          : await snapshot(async reader => checkFan(reader, await readBasis(reader), userId))
      say(findings)
      report.fans++
      report.periods += periods
      await onProgress?.(report.fans, Math.max(fans, report.fans))
    }
  return report
}

const readFans = (reader: Reader, range: Range) => {
  const { users } = reader.tables
  const isAsked = and(isNull(users.erasedAt), inRange(users.id, range))
  return reader.select({ id: users.id }).from(users).where(isAsked).orderBy(asc(users.id))
}

interface Basis {
  set: QuestSet
  history: QuestHistory
}

const readBasis = async (reader: Reader): Promise<Basis> => ({
  set: await readQuestSet(reader),
  history: await readQuestHistory(reader),
})

async function checkFan(reader: Reader, { set, history }: Basis, userId: string) {
  const facts = await readQuestFacts(reader, userId)
  return { findings: auditQuests(facts, set, history), periods: facts.progress.length }
}
