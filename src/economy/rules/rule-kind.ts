/** Imports rules. Each change is a new version, and a new revision of the rule set. A change does not affect past grants. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { conditionFaults, eventTypeFaults } from '../../club/catalogue/conditions.ts'
import { compareEntries, type EntryChange, type EntryFault, instantOf } from '../../club/catalogue/entry.ts'
import { declareKind } from '../../club/catalogue/kind.ts'
import { defaultOf } from '../../club/catalogue/texts.ts'
import { bumpVersion } from '../../club/catalogue/versions.ts'
import { fanFaults } from '../../club/segments/segment-kind.ts'
import { isTimeZone } from '../../core/windows.ts'
import { isAccount } from '../accounts/account-kind.ts'
import { contentOf, parseContent, type RuleContent, RuleEntry } from './rule.ts'

/** The rules that the schema cannot express. */
function ruleFaults(entry: RuleEntry): EntryFault[] {
  const { when, timeZone } = contentOf(entry)
  const zone = { pointer: '/timeZone', message: 'must be an IANA time zone like Europe/London' }
  return [
    ...eventTypeFaults(entry.eventType, '/eventType'),
    ...conditionFaults(when, '/when'),
    ...(isTimeZone(timeZone) ? [] : [zone]),
  ]
}

async function writeRule(tx: Transaction, entry: RuleEntry): Promise<EntryChange> {
  const content = contentOf(entry)
  const change = changeOf(await findContent(tx, entry.id), content)
  if (change.outcome !== 'unchanged') await writeVersion(tx, content)
  return change
}

async function writeVersion(tx: Transaction, content: RuleContent): Promise<void> {
  const { rules, ruleVersions } = tx.tables
  const { id, name, eventType, active, when, points, limit, budget, timeZone } = content
  // First: its lock serializes imports.
  const version = await bumpVersion(tx)
  const now = tx.now()
  const columns = {
    name: defaultOf(name),
    eventType,
    definition: JSON.stringify({ when, points, limit, budget, timeZone }),
    active,
    startsAt: instantOf(content.startsAt),
    endsAt: instantOf(content.endsAt),
    version,
    updatedAt: now,
  }
  await tx
    .insert(rules)
    .values({ ...columns, id, createdAt: now })
    .onConflictDoUpdate({ target: rules.id, set: columns })
  await tx
    .insert(ruleVersions)
    .values({ ruleId: id, version, entry: JSON.stringify(content), createdAt: now })
}

async function findContent(reader: Reader, id: string): Promise<RuleContent | undefined> {
  const [content] = await readContents(reader, [id])
  return content
}

/** As they are stored now. */
async function readContents(reader: Reader, ids: string[]): Promise<RuleContent[]> {
  const { rules, ruleVersions: versions } = reader.tables
  const rows = await reader
    .select({ entry: versions.entry })
    .from(rules)
    .innerJoin(versions, and(eq(versions.ruleId, rules.id), eq(versions.version, rules.version)))
    .where(inArray(rules.id, ids))
  return rows.map(({ entry }) => parseContent(entry))
}

function changeOf(before: RuleContent | undefined, after: RuleContent): EntryChange {
  const { id: _, ...members } = after
  return compareEntries(before && { ...before }, members)
}

export const ruleKind = declareKind({
  kind: 'rule',
  list: 'rules',
  about: 'Points for each event of a type.',
  schema: RuleEntry,
  givesValue: true,
  table: ({ rules }) => rules,
  faults: ruleFaults,
  plan: async (reader, entry) => changeOf(await findContent(reader, entry.id), contentOf(entry)),
  upsert: writeRule,
  async references(reader, { account, fan }, { isStated }) {
    const faults = await fanFaults(reader, fan, isStated)
    if (account == null || isStated('accounts', account) || (await isAccount(reader, account))) return faults
    return [{ pointer: '/account', message: 'must be an account of the catalogue' }, ...faults]
  },
  read: async (reader, ids) => (await readContents(reader, ids)).map(contentOf),
  /** Fans keep what the rule has granted. */
  async deactivate(tx, id) {
    const content = await findContent(tx, id)
    if (!content?.active) return false
    await writeVersion(tx, { ...content, active: false })
    return true
  },
})

export const upsertRule = (tx: Transaction, entry: RuleEntry) => ruleKind.upsert(tx, entry)
