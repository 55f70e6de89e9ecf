/** The names of objects that rows of the timeline refer to, for a whole page at once. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../../../../db/index.ts'
import { defaultOf, type Text } from '../../../../club/catalogue/texts.ts'
import { withoutBidiControls } from '../../../../core/name-text.ts'
import { parseJson } from '../../../../economy/events/event.ts'

/** Kinds of objects with a name. */
const NAMED = [
  ...([
    'reward',
    'pack',
    'collectible',
    'product',
    'quest',
    'set',
    'team',
    'rule',
    'fan',
    'endpoint',
  ] as const),
] as const
export type Named = (typeof NAMED)[number]

export interface Names {
  /** The name in quotation marks, with isolated text direction; the id if there is no name. */
  quote(kind: Named, id: unknown): string
  /** Without quotation marks. */
  name(kind: Named, id: unknown): string
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
      }
    },
  }
}
export type WantedNames = ReturnType<typeof createNames>

type ReadNames = (reader: Reader, ids: string[]) => PromiseLike<{ id: string; name: string | null }[]>

const readers: Record<Named, ReadNames> = {
  reward(reader, ids) {
    const { rewards } = reader.tables
    return reader
      .select({ id: rewards.id, name: rewards.title })
      .from(rewards)
      .where(inArray(rewards.id, ids))
  },
  pack(reader, ids) {
    const { packs } = reader.tables
    return reader.select({ id: packs.id, name: packs.name }).from(packs).where(inArray(packs.id, ids))
  },
  collectible(reader, ids) {
    const { collectibles: items } = reader.tables
    return reader.select({ id: items.id, name: items.name }).from(items).where(inArray(items.id, ids))
  },
  product(reader, ids) {
    const { products } = reader.tables
    return reader
      .select({ id: products.id, name: products.name })
      .from(products)
      .where(inArray(products.id, ids))
  },
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
  set(reader, ids) {
    const { sets } = reader.tables
    return reader.select({ id: sets.id, name: sets.name }).from(sets).where(inArray(sets.id, ids))
  },
  team(reader, ids) {
    const { teams } = reader.tables
    return reader.select({ id: teams.id, name: teams.name }).from(teams).where(inArray(teams.id, ids))
  },
  rule(reader, ids) {
    const { rules } = reader.tables
    return reader.select({ id: rules.id, name: rules.name }).from(rules).where(inArray(rules.id, ids))
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
  endpoint(reader, ids) {
    const { webhookEndpoints: endpoints } = reader.tables
    return reader
      .select({ id: endpoints.id, name: endpoints.url })
      .from(endpoints)
      .where(inArray(endpoints.id, ids))
  },
}
