/** Every version of every rule, to evaluate past events again by the rules of their time. */
import { asc } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { parseContent, type Rule, ruleOf } from './rule.ts'

export type RuleHistory = Awaited<ReturnType<typeof readRuleHistory>>

export async function readRuleHistory(reader: Reader) {
  const { ruleVersions } = reader.tables
  const rows = await reader
    .select()
    .from(ruleVersions)
    .orderBy(asc(ruleVersions.ruleId), asc(ruleVersions.version))
  const versions = rows.map(({ version, entry }) => ruleOf(parseContent(entry), version))
  const byRule = [...Map.groupBy(versions, ({ id }) => id).values()]
  const known = new Map<string, Rule[]>()
  return {
    /** The rules that were active for a type of event at a revision, by id. */
    rulesAt(revision: number, eventType: string): Rule[] {
      return known.getOrInsertComputed(`${revision} ${eventType}`, () =>
        byRule.flatMap(rule => {
          const newest = rule.findLast(({ version }) => version <= revision)
          return newest?.active && newest.eventType === eventType ? [newest] : []
        }),
      )
    },
  }
}
