/**
 * Recomputes the quests of every fan from their events while the API runs. Takes no lock and writes nothing. A fan with
 * findings is read again in a snapshot before anything is reported, since concurrent writes may have caused them.
 */
import type { Database, Reader } from '../../../../db/index.ts'
import { eachUser } from '../../../identity/users/users.ts'
import { type QuestSet, readQuestSet } from '../../../play/quests/definition.ts'
import { auditQuests, type QuestFinding } from './audit-quests.ts'
import { readQuestFacts } from './quest-facts.ts'
import { type QuestHistory, readQuestHistory } from './quest-history.ts'
import { findWrongQuests } from './verify-quest-entries.ts'

interface Options {
  onFinding?: (finding: QuestFinding) => void
  /** Fans checked so far. May throw to stop, and is awaited. */
  onProgress?: (done: number) => void | Promise<void>
}

/** Does not check erased fans, whose counted events are deleted. Returns the number of checked items and of findings. */
export async function verifyQuests(
  { read, snapshot }: Pick<Database, 'read' | 'snapshot'>,
  { onFinding, onProgress }: Options = {},
) {
  const report = { fans: 0, periods: 0, findings: 0 }
  const basis = await readBasis(read)
  const say = (findings: QuestFinding[]) => {
    for (const finding of findings) onFinding?.(finding)
    report.findings += findings.length
  }
  // An import between two statements may have caused them.
  if ((await findWrongQuests(read)).length > 0) say(await snapshot(findWrongQuests))
  for await (const { id: userId } of eachUser(read)) {
    const first = await checkFan(read, basis, userId)
    const { findings, periods } =
      first.findings.length === 0
        ? first
        : await snapshot(async reader => checkFan(reader, await readBasis(reader), userId))
    say(findings)
    report.fans++
    report.periods += periods
    await onProgress?.(report.fans)
  }
  return report
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
