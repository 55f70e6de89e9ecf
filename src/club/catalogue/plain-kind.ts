/**
 * Kinds whose entries are the rows of one table: each member has a column of its name, and nothing else changes with it. Lists and
 * objects are JSON in their columns.
 */
import { asc, type Column, eq, inArray } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { instantIn } from '../../core/instant.ts'
import type { TSchema } from '../../core/typebox.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import type { MaybePromise } from '../../platform/cache/response-cache.ts'
import {
  compareEntries,
  completeEntry,
  deactivateEntry,
  type EntryFault,
  refuseEntry,
  type SwitchedTable,
} from './entry.ts'
import { isInstantInput, withoutNull } from './entry-schema.ts'
import { type Declaration, declareKind, type EntryKind, type EntryList, type ImportOptions } from './kind.ts'
import { columnsOfTexts, isText, presentTexts, statedTexts } from './texts.ts'

type PlainTable = Extract<SwitchedTable, Record<'translations', Column>>

interface PlainDeclaration<Entry, Name extends string, List extends EntryList, Table>
  extends Omit<Declaration<Entry, Name, List>, 'table' | 'plan' | 'upsert' | 'read' | 'deactivate'> {
  /** A member of the schema without its column does not compile. */
  table(tables: Tables): Table
  /** The order of the public list. Default: by id. */
  orderBy?(table: Table): Column
  /** How the entry contradicts others. */
  conflicts?(reader: Reader, entry: Entry, options?: ImportOptions): Promise<EntryFault[]>
  /** Lets one unit of work at a time look for conflicts, and write. */
  lock?(tx: Transaction): Promise<unknown>
}

type Internal = 'active' | 'translations' | 'createdAt' | 'updatedAt'

/** A row as fans see it. Instants are text. */
type Listed<Row> = {
  [Name in Exclude<keyof Row, Internal>]: Row[Name] extends Date ? string : Row[Name]
}

interface PlainKind<Entry, Name extends string, List extends EntryList, Row>
  extends EntryKind<Entry, Name, List> {
  /** The active entries, from the response cache. For kinds without lists and objects. */
  getActive(source: ReadSource): MaybePromise<Record<List, Listed<Row>[]>>
}

export function declarePlainKind<
  Entry extends { id: string },
  const Name extends string,
  const List extends EntryList,
  Table extends PlainTable & Record<keyof Entry, Column>,
>(declared: PlainDeclaration<Entry, Name, List, Table>): PlainKind<Entry, Name, List, Table['$inferSelect']> {
  const { list, schema, orderBy, conflicts, lock } = declared
  // A table of a type parameter has no type of its rows.
  const table: (tables: Tables) => PlainTable = declared.table

  /** The instants of an entry or a row in their other form. */
  const withInstants = (members: object, convert: (value: never) => unknown) =>
    converted(members, isInstantInput, convert)

  /** The lists and objects of an entry or a row in their other form. */
  const withJson = (members: object, convert: (value: never) => unknown) =>
    converted(members, isStructured, convert)

  const converted = (
    members: object,
    isOne: (schema: TSchema) => boolean,
    convert: (value: never) => unknown,
  ) =>
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => {
        const member = schema.properties[name]
        // Guarantee of the cast: the callers name the form of these members.
        return [name, member && isOne(member) && value !== null ? convert(value as never) : value]
      }),
    )

  function membersOf(entry: Entry) {
    const { id: _, ...members } = completeEntry(schema, entry)
    return withInstants(members, instantIn)
  }

  function entryOf(row: PlainTable['$inferSelect']): Entry {
    const stated = withJson(
      withInstants(statedTexts(row), (at: Date) => at.toISOString()),
      (json: string) => JSON.parse(json),
    )
    // Guarantee of the cast: only valid entries are written.
    return completeEntry(schema, stated as Entry)
  }

  function readRows(reader: Reader, ids: string[]) {
    const entries = table(reader.tables)
    return reader.select().from(entries).where(inArray(entries.id, ids))
  }

  async function plan(reader: Reader, entry: Entry, options?: ImportOptions) {
    refuseEntry(...((await conflicts?.(reader, entry, options)) ?? []))
    const [row] = await readRows(reader, [entry.id])
    const stored = row && withJson(statedTexts(row), (json: string) => JSON.parse(json))
    return compareEntries(stored, membersOf(entry))
  }

  async function upsert(tx: Transaction, entry: Entry, options?: ImportOptions) {
    const planned = await plan(tx, entry, options)
    if (planned.outcome === 'unchanged') return planned
    await lock?.(tx)
    const change = lock ? await plan(tx, entry, options) : planned
    const entries = table(tx.tables)
    const now = tx.now()
    const set = { ...columnsOfTexts(withJson(membersOf(entry), JSON.stringify)), updatedAt: now }
    await tx
      .insert(entries)
      // Guarantee of the cast: a column for each member.
      .values({ ...set, id: entry.id, createdAt: now } as PlainTable['$inferInsert'])
      .onConflictDoUpdate({ target: entries.id, set })
    return change
  }

  const kind = declareKind<Entry, Name, List>({
    ...declared,
    plan,
    upsert,
    read: async (reader, ids) => (await readRows(reader, ids)).map(entryOf),
    async deactivate(tx, id) {
      await lock?.(tx)
      const [row] = conflicts ? await readRows(tx, [id]) : []
      if (row?.active) refuseEntry(...((await conflicts?.(tx, { ...entryOf(row), active: false })) ?? []))
      return deactivateEntry(tx, table(tx.tables), list, id)
    },
  })

  return {
    ...kind,
    getActive: ({ read, cache }) =>
      cache.get(list, async () => {
        const entries = table(read.tables)
        const rows = await read
          .select()
          .from(entries)
          .where(eq(entries.active, true))
          .orderBy(asc(orderBy?.(declared.table(read.tables)) ?? entries.id), asc(entries.id))
        // Guarantee of the cast: the rows of the table.
        const value = { [list]: rows.map(present) } as Record<List, Listed<Table['$inferSelect']>[]>
        return { value, tags: [list] }
      }),
  }
}

/** Whether a member is a list or an object, and no text in several languages. */
function isStructured(schema: TSchema): boolean {
  if (isText(schema)) return false
  const { type } = withoutNull(schema)
  return type === 'array' || type === 'object'
}

function present({ active: _, createdAt: _c, updatedAt: _u, ...row }: PlainTable['$inferSelect']) {
  const members = Object.entries<unknown>(presentTexts(row))
  return Object.fromEntries(
    members.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  )
}
