/** The names of objects that rows of the timeline refer to, for a whole page at once. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Tables } from '../../../../../db/index.ts'
import type { TextColumn } from '../../../../../db/schema/columns.ts'
import { defaultOf, type Text } from '../../../../club/catalogue/texts.ts'
import { withoutBidiControls } from '../../../../core/name-text.ts'
import { parseJson } from '../../../../economy/events/event.ts'

export interface Names {
  /** The name in quotation marks, with isolated text direction; the id if there is no name. */
  quote(kind: Named, id: unknown): string
  /** Without quotation marks. */
  name(kind: Named, id: unknown): string
  /** A word of the application, such as the kind of a sanction, as it is stored. */
  word(kind: Named, id: unknown): string
}

const FIRST_STRONG = '\u2068'
const POP = '\u2069'

/** Isolates a name in a sentence, so that its characters cannot reorder the text around it. */
export const isolate = (name: string): string => `${FIRST_STRONG}${withoutBidiControls(name)}${POP}`

/** Collects ids, and reads their names by one query for each kind. */
export function createNames() {
  const wanted = new Map<Named, Set<string>>()
  return {
    want(kind: Named, ...ids: unknown[]): void {
      const set = wanted.getOrInsertComputed(kind, () => new Set())
      for (const id of ids) if (typeof id === 'string') set.add(id)
    },
    async read(reader: Reader): Promise<Names> {
      const found = new Map<string, string>()
      for (const [kind, ids] of wanted) {
        if (ids.size === 0) continue
        for (const { id, name } of await readers[kind](reader, [...ids]))
          if (name !== null) found.set(`${kind} ${id}`, name)
      }
      const nameOf = (kind: Named, id: unknown) =>
        typeof id === 'string' ? (found.get(`${kind} ${id}`) ?? id) : 'unknown'
      return {
        quote: (kind, id) => `“${isolate(nameOf(kind, id))}”`,
        name: (kind, id) => isolate(nameOf(kind, id)),
        word: nameOf,
      }
    },
  }
}
export type WantedNames = ReturnType<typeof createNames>

type ReadNames = (reader: Reader, ids: string[]) => PromiseLike<{ id: string; name: string | null }[]>

/** The names of a table with a column of names. */
const byColumn =
  (columnsOf: (tables: Tables) => { id: TextColumn; name: TextColumn }): ReadNames =>
  (reader, ids) => {
    const { id, name } = columnsOf(reader.tables)
    return reader.select({ id, name }).from(id.table).where(inArray(id, ids))
  }

/** The id of a tier or a level for `Names`, which is unique in its entry alone. */
export const partId = (entryId: unknown, id: unknown): string => `${entryId} ${id}`

/** The names of parts that an entry has as JSON; the id of one that it no longer has. */
const byPart =
  (columnsOf: (tables: Tables) => { id: TextColumn; parts: TextColumn }): ReadNames =>
  async (reader, ids) => {
    const { id, parts } = columnsOf(reader.tables)
    const asked = ids.map(part => part.split(' '))
    const rows = await reader
      .select({ id, parts })
      .from(id.table)
      .where(inArray(id, [...new Set(asked.flatMap(([entry = '']) => entry))]))
    const known = new Map(
      rows.flatMap(row =>
        (parseJson<{ id: string; name: Text }[]>(row.parts) ?? []).map(part => [
          partId(row.id, part.id),
          defaultOf(part.name),
        ]),
      ),
    )
    return ids.map((id, nth) => ({ id, name: known.get(id) ?? asked[nth]?.[1] ?? id }))
  }

const readers = {
  reward: byColumn(({ rewards: { id, title } }) => ({ id, name: title })),
  pack: byColumn(({ packs }) => packs),
  collectible: byColumn(({ collectibles }) => collectibles),
  product: byColumn(({ products }) => products),
  set: byColumn(({ sets }) => sets),
  campaign: byColumn(({ campaigns }) => campaigns),
  team: byColumn(({ teams }) => teams),
  rule: byColumn(({ rules }) => rules),
  account: byColumn(({ accounts }) => accounts),
  segment: byColumn(({ segments }) => segments),
  membership: byColumn(({ memberships }) => memberships),
  league: byColumn(({ leagues }) => leagues),
  division: byColumn(({ divisions }) => divisions),
  question: byColumn(({ questions: { id, title } }) => ({ id, name: title })),
  /** The kind of a sanction. */
  sanction: byColumn(({ moderationDecisions: { id, kind } }) => ({ id, name: kind })),
  /** By `partId`. */
  tier: byPart(({ accounts: { id, tiers } }) => ({ id, parts: tiers })),
  /** By `partId`. */
  level: byPart(({ divisions: { id, levels } }) => ({ id, parts: levels })),
  /** A purchase of a pack, by the name of the pack. */
  async purchase(reader, ids) {
    const { packPurchases, packs } = reader.tables
    return reader
      .select({ id: packPurchases.id, name: packs.name })
      .from(packPurchases)
      .innerJoin(packs, eq(packs.id, packPurchases.packId))
      .where(inArray(packPurchases.id, ids))
  },
  /** An order, by the names of what was bought. */
  async order(reader, ids) {
    const { orderLines: lines, products } = reader.tables
    const rows = await reader
      .select({ id: lines.orderId, quantity: lines.quantity, name: products.name })
      .from(lines)
      .innerJoin(products, eq(products.id, lines.productId))
      .where(inArray(lines.orderId, ids))
      .orderBy(lines.orderId, lines.number)
    return [...Map.groupBy(rows, row => row.id)].map(([id, own]) => ({
      id,
      name: own.map(({ quantity, name }) => `${quantity} × ${name}`).join(', '),
    }))
  },
  /** The redemption of a code, by the name of the campaign. */
  async redemption(reader, ids) {
    const { codeRedemptions, campaigns } = reader.tables
    return reader
      .select({ id: codeRedemptions.id, name: campaigns.name })
      .from(codeRedemptions)
      .innerJoin(campaigns, eq(campaigns.id, codeRedemptions.campaignId))
      .where(inArray(codeRedemptions.id, ids))
  },
  endpoint: byColumn(({ webhookEndpoints: { id, url } }) => ({ id, name: url })),
  async quest(reader, ids) {
    const { quests, questVersions: versions } = reader.tables
    const rows = await reader
      .select({ id: quests.id, entry: versions.entry })
      .from(quests)
      .innerJoin(versions, and(eq(versions.questId, quests.id), eq(versions.version, quests.version)))
      .where(inArray(quests.id, ids))
    return rows.map(({ id, entry }) => {
      const title = parseJson<{ title?: Text }>(entry)?.title
      return { id, name: title === undefined ? null : defaultOf(title) }
    })
  },
  async match(reader, ids) {
    const { matches, teams } = reader.tables
    const { id, homeTeamId, awayTeamId } = matches
    const rows = await reader.select({ id, homeTeamId, awayTeamId }).from(matches).where(inArray(id, ids))
    const teamIds = [...new Set(rows.flatMap(row => [row.homeTeamId, row.awayTeamId]))]
    const named = await reader.select().from(teams).where(inArray(teams.id, teamIds))
    const nameOf = new Map(named.map(team => [team.id, defaultOf(team.name)]))
    return rows.map(row => ({
      id: row.id,
      name: [row.homeTeamId, row.awayTeamId].map(team => nameOf.get(team) ?? team).join(' – '),
    }))
  },
  async fan(reader, ids) {
    const { users } = reader.tables
    const { id, handle, displayName, erasedAt } = users
    const rows = await reader
      .select({ id, handle, displayName, erasedAt })
      .from(users)
      .where(inArray(id, ids))
    return rows.map(({ id, handle, displayName, erasedAt }) => ({
      id,
      name: erasedAt ? 'an erased fan' : (displayName ?? (handle === null ? null : `@${handle}`)),
    }))
  },
} satisfies Record<string, ReadNames>

/** Kinds of objects with a name. */
export type Named = keyof typeof readers
