/**
 * Compares the entries of the catalogue with their history, which nobody can change: the newest revision must equal the
 * stored entry. Entries that are older than the history have none and are not checked.
 */
import { and, asc, eq, inArray, isNotNull, max, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { tablesInOrder } from '../../../db/schema/shape.ts'
import { instantOf } from '../../club/catalogue/entry.ts'
import { nameOfRevision, readHeads } from '../../club/catalogue/history.ts'
import { defaultOf, type Text } from '../../club/catalogue/texts.ts'
import { readVersion } from '../../club/catalogue/versions.ts'
import { differs, type Finding, readJson } from '../../core/finding.ts'
import type { RuleContent } from '../../economy/rules/rule.ts'
import { kindNamed, kinds, type RecordKind } from '../../play/catalogue-file/kinds.ts'

type Revision = Tables['catalogueRevisions']['$inferSelect']

/** Entries per statement. */
const PAGE = 200

/** Needs a snapshot: an import writes an entry and its revision in several statements. */
export async function findWrongCatalogue(reader: Reader): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { kind } of kinds) findings.push(...(await findWrongEntries(reader, kind)))
  return [
    ...findings,
    ...(await findWrongTexts(reader)),
    ...(await findWrongPositions(reader)),
    ...(await findWrongRules(reader)),
    ...(await findWrongVersion(reader)),
    ...(await findLostRevisions(reader)),
  ]
}

async function findWrongEntries(reader: Reader, kind: RecordKind): Promise<Finding[]> {
  const { catalogueRevisions: revisions } = reader.tables
  const rows = await reader
    .selectDistinct({ id: revisions.entryId })
    .from(revisions)
    .where(eq(revisions.kind, kind))
    .orderBy(asc(revisions.entryId))
  const findings: Finding[] = []
  for (let start = 0; start < rows.length; start += PAGE) {
    const ids = rows.slice(start, start + PAGE).map(({ id }) => id)
    const { table, read } = kindNamed(kind)
    const { id, createdAt, updatedAt } = table(reader.tables)
    const stored = await reader
      .select({ id, createdAt, updatedAt })
      .from(table(reader.tables))
      .where(inArray(id, ids))
    const times = new Map(stored.map(row => [row.id, row]))
    const entries = new Map((await read(reader, ids)).map(entry => [entry.id, entry]))
    const history = await reader
      .select()
      .from(revisions)
      .where(and(eq(revisions.kind, kind), inArray(revisions.entryId, ids)))
      .orderBy(asc(revisions.entryId), asc(revisions.revision))
    for (const [id, own] of Map.groupBy(history, ({ entryId }) => entryId))
      findings.push(...auditEntry(kind, id, own, entries.get(id), times.get(id)))
  }
  return findings
}

function auditEntry(
  kind: RecordKind,
  id: string,
  history: Revision[],
  entry: object | undefined,
  times: { createdAt: Date; updatedAt: Date } | undefined,
): Finding[] {
  const what = (column: string) => `catalogue_revisions.${column} of ${kind} ${id}`
  const [first, last] = [history[0], history.at(-1)]
  if (!entry || !times || !first || !last) return differs(null, what('row'), null, history.length)
  const gaps = history.flatMap(({ revision }, index) =>
    differs(null, what('revision'), first.revision + index, revision),
  )
  const written = history.map(({ createdAt }) => createdAt.getTime())
  return [
    ...(first.revision > 1 ? differs(null, what('revision'), 1, first.revision) : gaps),
    ...memberFindings(what('entry'), readJson(last.entry), entry),
    // The history of an older entry begins with its first change.
    ...(first.revision === 1 ? differs(null, what('created_at'), times.createdAt, first.createdAt) : []),
    // A collectible can change with one pack and also be in other packs.
    ...(kind === 'pack' && written.includes(times.updatedAt.getTime())
      ? []
      : differs(null, `${kind}.updated_at of ${id}`, last.createdAt, times.updatedAt)),
  ]
}

/** Older revisions lack members that a later version added. */
function memberFindings(what: string, recorded: unknown, stored: unknown, isNested = false): Finding[] {
  const isList = Array.isArray(recorded) && Array.isArray(stored)
  if (isList && recorded.length !== stored.length)
    return differs(null, `${what}: number`, stored.length, recorded.length)
  if (!isObject(recorded) || !isObject(stored))
    return differs(null, what, JSON.stringify(stored ?? null), JSON.stringify(recorded ?? null))
  const added = isNested
    ? Object.keys(stored).filter(name => !(name in recorded) && !isDefault(stored[name]))
    : []
  return [...Object.keys(recorded), ...added].flatMap(name =>
    memberFindings(`${what}/${name}`, recorded[name], stored[name], true),
  )
}

/** Whether a value is the default that a newer version fills in for a missing member. */
const isDefault = (value: unknown) => /^(null|false|0|""|\[\]|\{\})$/.test(JSON.stringify(value ?? null))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** The column of a text must contain its default language. */
async function findWrongTexts(reader: Reader): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { table, shape } of tablesInOrder(reader.tables)) {
    if (!('translations' in table)) continue
    const rows: Record<string, unknown>[] = await reader
      .select()
      .from(table)
      .where(isNotNull(table.translations))
    // Guarantee of the cast: an import writes the texts of members that have a column.
    for (const row of rows)
      for (const [name, text] of Object.entries(Object(readJson(String(row.translations)))) as [
        string,
        Text,
      ][])
        findings.push(
          ...differs(null, `${shape.name}.${name} of ${row.id}`, defaultOf(text), String(row[name] ?? null)),
        )
  }
  return findings
}

/** Positions of listed variants and of the items of a set must be 0, 1, 2 … */
async function findWrongPositions(reader: Reader): Promise<Finding[]> {
  const { productVariants: variants, setItems: items } = reader.tables
  const rows = [
    ...(await reader
      .select({ table: sql<string>`'product_variants'`, of: variants.productId, position: variants.position })
      .from(variants)
      .where(eq(variants.listed, true))),
    ...(await reader
      .select({ table: sql<string>`'set_items'`, of: items.setId, position: items.position })
      .from(items)),
  ]
  return [...Map.groupBy(rows, ({ table, of }) => `${table}.position of ${of}`)].flatMap(([what, own]) => {
    const positions = own.map(({ position }) => position).toSorted((a, b) => a - b)
    return differs(null, what, positions.map((_, index) => index).join(' '), positions.join(' '))
  })
}

/** No row may name a newer version of the kind `events` than the current one. */
async function findWrongVersion(reader: Reader): Promise<Finding[]> {
  const { rules, questVersions, events } = reader.tables
  const found = [
    ...(await reader.select({ last: max(rules.version) }).from(rules)),
    ...(await reader.select({ last: max(events.revision) }).from(events)),
  ]
  const quests = await reader.select({ version: questVersions.version }).from(questVersions).limit(1)
  const last = Math.max(quests.length, ...found.map(({ last }) => last ?? 0))
  const { revision = 0 } = (await readVersion(reader)) ?? {}
  return revision < last ? differs(null, 'catalogue_versions.revision of events', last, revision) : []
}

/** The columns of a rule must equal its current version, and its versions must equal the revisions of the entry. */
async function findWrongRules(reader: Reader): Promise<Finding[]> {
  const { rules, ruleVersions: versions } = reader.tables
  const rows = await reader
    .select({ rule: rules, entry: versions.entry })
    .from(rules)
    .leftJoin(versions, and(eq(versions.ruleId, rules.id), eq(versions.version, rules.version)))
    .orderBy(asc(rules.id))
  return [
    ...rows.flatMap(({ rule, entry }) => {
      const found = (column: string, expected: string | boolean | Date | null, actual: typeof expected) =>
        differs(null, `rules.${column} of ${rule.id}`, expected, actual)
      if (entry === null) return differs(null, `rule_versions.row of ${rule.id}`, rule.version, null)
      const parsed = readJson(entry)
      // Guarantee of the cast: an import writes the versions.
      if (!isObject(parsed)) return differs(null, `rule_versions.entry of ${rule.id}`, 'JSON', entry)
      const { name, eventType, active, startsAt, endsAt, ...content } = parsed as unknown as RuleContent
      const { when, points, limit, budget, timeZone } = content
      return [
        ...found('name', defaultOf(name), rule.name),
        ...found('event_type', eventType, rule.eventType),
        ...found('definition', JSON.stringify({ when, points, limit, budget, timeZone }), rule.definition),
        ...found('active', active, rule.active),
        ...found('starts_at', instantOf(startsAt), rule.startsAt),
        ...found('ends_at', instantOf(endsAt), rule.endsAt),
      ]
    }),
    ...(await findWrongVersions(reader, 'rule')),
    ...(await findWrongVersions(reader, 'quest')),
  ]
}

/** Each version must have a revision. Versions that are older than the history have none. */
async function findWrongVersions(reader: Reader, kind: 'rule' | 'quest'): Promise<Finding[]> {
  const { catalogueRevisions: revisions, ruleVersions, questVersions } = reader.tables
  const stored =
    kind === 'rule'
      ? await reader
          .select({
            id: ruleVersions.ruleId,
            version: ruleVersions.version,
            entry: ruleVersions.entry,
            createdAt: ruleVersions.createdAt,
          })
          .from(ruleVersions)
      : await reader
          .select({
            id: questVersions.questId,
            version: questVersions.version,
            entry: questVersions.entry,
            createdAt: questVersions.createdAt,
          })
          .from(questVersions)
  const recorded = Map.groupBy(
    await reader.select().from(revisions).where(eq(revisions.kind, kind)),
    ({ entryId }) => entryId,
  )
  return [...Map.groupBy(stored, ({ id }) => id)].flatMap(([id, versions]) => {
    const newest = versions.toSorted((a, b) => b.version - a.version)
    const all = (recorded.get(id) ?? []).toSorted((a, b) => b.revision - a.revision)
    // The history of an older entry begins with its previous state.
    const history = all.filter(({ revision }) => revision > 0)
    const isWhole = all.length > 0 && all.length === history.length
    const rows = isWhole
      ? differs(null, `${kind}_versions.rows of ${id}`, history.length, versions.length)
      : []
    const compared = newest.slice(0, history.length).flatMap(({ version, entry, createdAt }, index) => {
      const revision = history[index]
      const what = (column: string) => `${kind}_versions.${column} of ${id} ${version}`
      if (!revision) return []
      return [
        ...memberFindings(what('entry'), asStated(readJson(entry)), readJson(revision.entry)),
        ...differs(null, what('created_at'), revision.createdAt, createdAt),
      ]
    })
    return [...rows, ...compared]
  })
}

/** Versions of quests have an object of requirements in a member of its own. */
function asStated(entry: unknown): unknown {
  if (!isObject(entry) || entry.requirements === undefined) return entry
  const { requirements, ...others } = entry
  return { ...others, requires: requirements }
}

/**
 * Compares with separately stored counters: nothing else reveals a revision that was removed together with the state of its
 * entry.
 */
async function findLostRevisions(reader: Reader): Promise<Finding[]> {
  const { catalogueRevisions: revisions } = reader.tables
  const rows = await reader
    .select({ kind: revisions.kind, entryId: revisions.entryId, revision: revisions.revision })
    .from(revisions)
  const byKind = Map.groupBy(rows, ({ kind }) => kind)
  return (await readHeads(reader)).flatMap(({ kind, rows, last }) => {
    const stored = byKind.get(kind) ?? []
    const isThere = stored.some(({ entryId, revision }) => nameOfRevision(entryId, revision) === last)
    const what = `catalogue_revisions.rows of ${kind}`
    return [
      // A previous version that still runs during a release adds rows without counting them.
      ...(stored.length < rows ? differs(null, what, rows, stored.length) : []),
      ...(isThere ? [] : differs(null, what, last, null)),
    ]
  })
}
