/**
 * Recomputes the quests of every fan from their events while the API runs: it takes no lock and writes nothing. A fan with
 * findings is read again before anything is reported, since concurrent writes may explain them.
 */
import { and, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { type QuestSet, readQuestSet } from '../../quests/definition.ts'
import { auditQuests, type QuestFinding } from './audit-quests.ts'
import { readQuestFacts } from './quest-facts.ts'

interface QuestsReport {
  fans: number
  periods: number
  /** Number of calls of `onFinding`. */
  findings: number
}

interface Options {
  onFinding?: (finding: QuestFinding) => void
  /** Fans checked so far. May throw to stop. */
  onProgress?: (done: number) => void
}

/** Erased fans are not checked: what counted for them is deleted. */
export async function verifyQuests(reader: Reader, { onFinding, onProgress }: Options = {}) {
  const report: QuestsReport = { fans: 0, periods: 0, findings: 0 }
  const set = await readQuestSet(reader)
  for await (const userId of eachFan(reader)) {
    const { findings, periods } = await checkFan(reader, set, userId)
    for (const finding of findings) onFinding?.(finding)
    report.fans++
    report.periods += periods
    report.findings += findings.length
    onProgress?.(report.fans)
  }
  return report
}

/** Maximum of reads of a fan during concurrent writes. */
const MAX_READS = 5

/** Findings that two reads in a row agree on. */
async function checkFan(reader: Reader, known: QuestSet, userId: string) {
  let set = known
  let before = ''
  for (let reads = 1; ; reads++) {
    const facts = await readQuestFacts(reader, userId)
    const findings = auditQuests(facts, set)
    const now = JSON.stringify(findings)
    if (findings.length === 0 || now === before || reads === MAX_READS)
      return { findings, periods: facts.progress.length }
    before = now
    set = await readQuestSet(reader)
  }
}

async function* eachFan(reader: Reader): AsyncGenerator<string> {
  const { users } = reader.tables
  const rows = eachRow({ id: users.id }, after =>
    reader
      .select({ id: users.id })
      .from(users)
      .where(and(isNull(users.erasedAt), after)),
  )
  for await (const { id } of rows) yield id
}
