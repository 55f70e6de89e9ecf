import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'

/** How often rules with a limit have granted a fan points, by window. */
export function exportRuleUses(reader: Reader, userId: string) {
  const { ruleUses } = reader.tables
  const { ruleId, window, uses } = ruleUses
  return reader
    .select({ ruleId, window, uses })
    .from(ruleUses)
    .where(eq(ruleUses.userId, userId))
    .orderBy(asc(ruleId), asc(window))
}
