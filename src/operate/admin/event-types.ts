/** The types of events that rules and quests can react to, with the members of their data in words. */
import { desc, isNotNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { TSchema } from '../../core/typebox.ts'
import { parseJson } from '../../economy/events/event.ts'
import { APPLICATION, applicationEvents } from '../../economy/events/types.ts'
import { typeInWords } from './fans/timeline/kinds.ts'

/** The newest events that are read for types of other systems, and for the members of their data. */
const NEWEST = 1_000
const TYPES_MAX = 100
const MEMBERS_MAX = 50
/** Of members within members. */
const DEPTH_MAX = 3

interface EventMember {
  /** A JSON pointer into the data. */
  path: string
  title: string
  kind: 'text' | 'number' | 'flag' | 'other'
  /** The only values that it can have. */
  values: string[]
}

interface EventType {
  type: string
  title: string
  /** Whether Matchday records it. */
  isOwn: boolean
  members: EventMember[]
}

export async function listEventTypes(reader: Reader): Promise<EventType[]> {
  const own = Object.entries(applicationEvents).map(([type, schema]) => ({
    type,
    title: typeInWords(type),
    isOwn: true,
    members: membersOfSchema(schema, '', []),
  }))
  return [...own, ...(await listSeen(reader))]
}

const wordsOf = (names: string[]) =>
  typeInWords(
    names
      .map(name => name.replace(/Id$/, ''))
      .join(' ')
      .replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`),
  )

const pointerOf = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

function membersOfSchema(schema: TSchema, path: string, names: string[]): EventMember[] {
  if (names.length >= DEPTH_MAX) return []
  // Guarantee of the cast: TypeBox declares the properties of an object so.
  const properties = (schema.properties ?? {}) as Record<string, TSchema>
  return Object.entries(properties).flatMap(([name, given]) => {
    const member = withoutNull(given)
    const [pointer, within] = [path + pointerOf(name), [...names, name]]
    if (member.type === 'object') return membersOfSchema(member, pointer, within)
    return [{ path: pointer, title: wordsOf(within), kind: kindOf(member), values: valuesOf(member) }]
  })
}

function withoutNull(schema: TSchema): TSchema {
  const variants: TSchema[] = schema.anyOf ?? []
  const others = variants.filter(({ type }) => type !== 'null')
  const [only] = others
  return only && others.length === 1 ? only : schema
}

const valuesOf = ({ anyOf = [] }: TSchema): string[] =>
  anyOf.flatMap(({ const: value }: TSchema) => (typeof value === 'string' ? [value] : []))

function kindOf(schema: TSchema): EventMember['kind'] {
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'boolean') return 'flag'
  return schema.type === 'string' || valuesOf(schema).length > 0 ? 'text' : 'other'
}

/** Types that other systems report, with the names of members that were seen. Their values stay where they are: they are of fans. */
async function listSeen(reader: Reader): Promise<EventType[]> {
  const { type, source, data, recordedAt } = reader.tables.events
  const rows = await reader
    .select({ type, source, data })
    .from(reader.tables.events)
    .where(isNotNull(data))
    .orderBy(desc(recordedAt))
    .limit(NEWEST)
  const seen = new Map<string, Map<string, EventMember>>()
  for (const row of rows) {
    if (row.source === APPLICATION || row.type === null) continue
    const members = seen.getOrInsertComputed(row.type, () => new Map())
    for (const member of membersOfData(parseJson(row.data), '', []))
      if (members.size < MEMBERS_MAX && !members.has(member.path)) members.set(member.path, member)
  }
  return [...seen]
    .slice(0, TYPES_MAX)
    .map(([name, members]) => ({
      type: name,
      title: typeInWords(name),
      isOwn: false,
      members: [...members.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
}

function membersOfData(value: unknown, path: string, names: string[]): EventMember[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || names.length >= DEPTH_MAX)
    return []
  return Object.entries(value).flatMap(([name, member]) => {
    const [pointer, within] = [path + pointerOf(name), [...names, name]]
    if (typeof member === 'object' && member !== null && !Array.isArray(member))
      return membersOfData(member, pointer, within)
    return [{ path: pointer, title: wordsOf(within), kind: kindOfValue(member), values: [] }]
  })
}

function kindOfValue(value: unknown): EventMember['kind'] {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'flag'
  return typeof value === 'string' ? 'text' : 'other'
}
