/** A row of the catalogue's table: what a merchandiser sees of an entry, by its schema and its kind. */
import { isWithin } from '../../../club/catalogue/availability.ts'
import { instantOf } from '../../../club/catalogue/entry.ts'
import { isPictureUrl, withoutNull } from '../../../club/catalogue/entry-schema.ts'
import type { Description, Inventory } from '../../../club/catalogue/kind.ts'
import type { Static, TSchema } from '../../../core/typebox.ts'
import { type CatalogueRecord, kindNamed, type RecordKind } from '../../../play/catalogue-file/kinds.ts'
import { missingIn } from './languages.ts'
import type { EntriesQuery, EntryState, ListedEntry as Schema } from './schema.ts'

type Entry = CatalogueRecord['entry']
export type ListedEntry = Static<typeof Schema>

interface Surroundings {
  now: Date
  languages: string[]
  inventory: Map<string, Inventory>
  descriptions: Map<string, Description>
}

export function presentRow(
  kind: RecordKind,
  entry: Entry,
  { now, languages, inventory, descriptions }: Surroundings,
): ListedEntry {
  const { schema, takenBy, titleOf } = kindNamed(kind)
  const { startsAt = null, endsAt = null }: Scheduled = entry
  const { total = null, taken = null } = inventory.get(entry.id) ?? {}
  const described = descriptions.get(entry.id)
  return {
    id: entry.id,
    title: described?.title ?? titleOf(entry),
    state: stateOf(entry, now),
    startsAt,
    endsAt,
    pictures: described?.pictures ?? picturesIn(schema, entry),
    price: priceIn(entry),
    points: pointsIn(entry),
    stock: total,
    claimed: takenBy === 'claim' ? taken : null,
    sold: takenBy === 'sale' ? taken : null,
    missing: missingIn(schema, entry, languages),
  }
}

interface Scheduled {
  id: string
  active?: boolean
  startsAt?: string | null
  endsAt?: string | null
}

/** `off` by its flag; otherwise by its start and end. */
function stateOf({ active = true, startsAt, endsAt }: Scheduled, now: Date): EntryState {
  if (!active) return 'off'
  const [start, end] = [instantOf(startsAt), instantOf(endsAt)]
  if (isWithin({ startsAt: start, endsAt: end }, now)) return 'live'
  return end !== null && end <= now ? 'over' : 'scheduled'
}

const COLUMNS = ['picture', 'price', 'points', 'stock', 'claimed', 'sold', 'ends'] as const

/** The columns that entries of a kind have values for. */
export function columnsOf(kind: RecordKind): (typeof COLUMNS)[number][] {
  const { schema, takenBy } = kindNamed(kind)
  const { properties } = schema
  const has: Record<(typeof COLUMNS)[number], boolean> = {
    picture: Object.values<TSchema>(properties).some(isPicture),
    price: 'price' in properties,
    points: 'pointsRequired' in properties || 'points' in properties || 'reward' in properties,
    stock: takenBy !== undefined,
    claimed: takenBy === 'claim',
    sold: takenBy === 'sale',
    ends: 'endsAt' in properties,
  }
  return COLUMNS.filter(name => has[name])
}

/** Of one picture, or a list of them. */
const isPicture = (member: TSchema): boolean => {
  const inner = withoutNull(member)
  return isPictureUrl(inner.type === 'array' ? inner.items : inner)
}

/** The first picture of an entry. */
function picturesIn(schema: TSchema, entry: Entry): string[] {
  const [name] = Object.entries<TSchema>(schema.properties).find(([, member]) => isPicture(member)) ?? []
  const value: unknown = name === undefined ? null : Object(entry)[name]
  const [first]: unknown[] = Array.isArray(value) ? value : [value]
  return typeof first === 'string' ? [first] : []
}

function priceIn(entry: Entry): ListedEntry['price'] {
  return 'price' in entry ? { amount: entry.price.amount, currency: entry.price.currency } : null
}

/** Points that a reward requires, or that a rule, a quest, a set or a question gives. */
function pointsIn(entry: Entry): number | null {
  if ('pointsRequired' in entry) return entry.pointsRequired
  const { points = null } = 'points' in entry ? entry : {}
  if (typeof points === 'number') return points
  if (points !== null && 'fixed' in points) return points.fixed
  return 'reward' in entry ? (entry.reward?.points ?? null) : null
}

/** Units that are left; null without a limit. */
const leftOf = ({ stock, claimed, sold }: ListedEntry) =>
  stock === null ? null : Math.max(0, stock - (claimed ?? sold ?? 0))

/** A tenth of the units, as shops warn. */
const LOW = 0.1

/** Whether a row has so few units left as a filter asks for. */
export function hasLeft(row: ListedEntry, wanted: EntriesQuery['left']): boolean {
  const left = leftOf(row)
  if (wanted === undefined) return true
  if (left === null) return false
  return wanted === 'none' ? left === 0 : left > 0 && left <= Math.ceil((row.stock ?? 0) * LOW)
}

type SortKey = NonNullable<EntriesQuery['sort']>
type Value = number | string | null

const VALUES: Record<SortKey, (row: ListedEntry) => Value> = {
  title: ({ title }) => title,
  // Amounts of one currency stand together.
  price: ({ price }) => price && `${price.currency} ${String(price.amount).padStart(16, '0')}`,
  points: ({ points }) => points,
  stock: ({ stock }) => stock,
  left: leftOf,
  claimed: ({ claimed }) => claimed,
  sold: ({ sold }) => sold,
  ends: ({ endsAt }) => endsAt && Date.parse(endsAt),
  state: ({ state }) => state,
}

const collator = new Intl.Collator('en', { numeric: true })

/** Rows without a value are the last in both directions. Rows with equal values are in the order of their ids. */
export function inOrder(rows: ListedEntry[], sort: SortKey, isDescending: boolean): ListedEntry[] {
  const read = VALUES[sort]
  const compare = (a: NonNullable<Value>, b: NonNullable<Value>) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
  return rows.toSorted((a, b) => {
    const [x, y] = [read(a), read(b)]
    const byId = a.id < b.id ? -1 : 1
    if (x === null || y === null) return x === y ? byId : x === null ? 1 : -1
    return compare(x, y) * (isDescending ? -1 : 1) || byId
  })
}
