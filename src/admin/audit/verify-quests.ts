/**
 * Recomputes the quests of every fan from their events while the API runs: it takes no lock and writes nothing. A fan with
 * findings is read again in a snapshot before anything is reported, since concurrent writes may explain them.
 */
import type { Database, Reader } from '../../../db/index.ts'
import { type QuestSet, readQuestSet } from '../../quests/definition.ts'
import { eachUser } from '../../users/users.ts'
import { auditQuests, type QuestFinding } from './audit-quests.ts'
import { readQuestFacts } from './quest-facts.ts'

interface Options {
  onFinding?: (finding: QuestFinding) => void
  /** Fans checked so far. May throw to stop. */
  onProgress?: (done: number) => void
}

/** Erased fans are not checked: what counted for them is deleted. Counts what was checked, and the findings. */
export async function verifyQuests(
  { read, snapshot }: Pick<Database, 'read' | 'snapshot'>,
  { onFinding, onProgress }: Options = {},
) {
  const report = { fans: 0, periods: 0, findings: 0 }
  const set = await readQuestSet(read)
  for await (const { id: userId } of eachUser(read)) {
    const first = await checkFan(read, set, userId)
    const { findings, periods } =
      first.findings.length === 0
        ? first
        : await snapshot(async reader => checkFan(reader, await readQuestSet(reader), userId))
    for (const finding of findings) onFinding?.(finding)
    report.fans++
    report.periods += periods
    report.findings += findings.length
    onProgress?.(report.fans)
  }
  return report
}

async function checkFan(reader: Reader, set: QuestSet, userId: string) {
  const facts = await readQuestFacts(reader, userId)
  return { findings: auditQuests(facts, set), periods: facts.progress.length }
}
