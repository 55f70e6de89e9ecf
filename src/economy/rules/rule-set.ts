/**
 * The rules of a revision, in memory by event type. A revision is immutable and its version is unique, so a set in memory is
 * never stale: an event names the version that it is evaluated by.
 */
import { and, eq, lte, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Reader } from '../../../db/index.ts'
import { isHeard } from '../../club/catalogue/conditions.ts'
import type { CatalogueVersion } from '../../club/catalogue/versions.ts'
import { parseContent, type Rule, ruleOf } from './rule.ts'

/** The active rules of an event type, by id. */
export type RuleSet = ReadonlyMap<string, Rule[]>

/** During an import, units of work of several versions run at the same time. */
const sets = new LRUCache<string, RuleSet>({ max: 8 })

/** The rules of a version, read once per process. */
export async function getRuleSet(reader: Reader, { version, revision }: CatalogueVersion): Promise<RuleSet> {
  const known = sets.get(version)
  if (known) return known
  const active = (await readRules(reader, revision)).filter(rule => rule.active && isHeard(rule.eventType))
  const set = Map.groupBy(active, ({ eventType }) => eventType)
  sets.set(version, set)
  return set
}

/** Every rule as it was at a revision, by id; also inactive ones. */
export async function readRules(reader: Reader, revision: number): Promise<Rule[]> {
  const { ruleVersions } = reader.tables
  const newest = reader
    .select({
      ruleId: ruleVersions.ruleId,
      version: sql<number>`max(${ruleVersions.version})`.mapWith(Number).as('newest_version'),
    })
    .from(ruleVersions)
    .where(lte(ruleVersions.version, revision))
    .groupBy(ruleVersions.ruleId)
    .as('newest')
  const rows = await reader
    .select({ version: ruleVersions.version, entry: ruleVersions.entry })
    .from(ruleVersions)
    .innerJoin(newest, and(eq(newest.ruleId, ruleVersions.ruleId), eq(newest.version, ruleVersions.version)))
    .orderBy(ruleVersions.ruleId)
  return rows.map(({ version, entry }) => ruleOf(parseContent(entry), version))
}
