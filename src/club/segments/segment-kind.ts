/** Segments: fans who have something in common. One definition is judged for one fan and for all. */
import { eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { Closed, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { compareEntries, type EntryChange, type EntryFault, refuseEntry } from '../catalogue/entry.ts'
import { Active, EntrySlug, Maybe } from '../catalogue/entry-schema.ts'
import { declareKind, type IsStated } from '../catalogue/kind.ts'
import { OPERATORS } from '../catalogue/operators.ts'
import { columnsIn, statedTexts, Text } from '../catalogue/texts.ts'
import { contradictions } from './contradictions.ts'
import { conditionFault, factNamed, factNames } from './facts.ts'

const Scalar = Type.Union(
  [Type.String({ maxLength: 200 }), Type.Number({ errorNoun: 'a number' }), Type.Boolean()],
  { errorNoun: 'a string, a number, true or false' },
)

const SegmentEntry = Closed(
  {
    id: EntrySlug(
      'Slug of the segment. Apps may see it in `requires`: choose one that says nothing of fans.',
    ),
    name: Text(100, 'For the staff.'),
    when: Type.Optional(
      Type.Array(
        Closed(
          {
            fact: Type.String({
              minLength: 1,
              maxLength: 120,
              description: `What is compared: ${factNames.join(', ')}.`,
              examples: ['checkIns'],
            }),
            op: OneOf(OPERATORS, {
              description: 'Comparison. What is unknown meets only `ne` and `exists` with false.',
            }),
            value: Type.Union(
              [Scalar, Type.Array(Scalar, { minItems: 1, maxItems: 100, errorNoun: 'a list of these' })],
              { description: 'A list for `in`; true or false for `exists`.' },
            ),
          },
          { title: 'SegmentCondition' },
        ),
        { maxItems: 20, default: [], description: 'All of them must be met. None: all fans.' },
      ),
    ),
    tracked: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether `segment.entered` and `segment.left` are recorded, some minutes after a change.',
      }),
    ),
    active: Active,
  },
  { title: 'Segment' },
)
type SegmentEntry = Static<typeof SegmentEntry>
export type SegmentCondition = NonNullable<SegmentEntry['when']>[number]

/** Guarantee of the cast: the import writes it. */
export const parseWhen = (text: string) => JSON.parse(text) as SegmentCondition[]

const contentOf = ({ name, when = [], tracked = false, active = true }: SegmentEntry) => ({
  name,
  when,
  tracked,
  active,
})

async function readSegments(reader: Reader, ids: string[]): Promise<SegmentEntry[]> {
  const { segments } = reader.tables
  const rows = await reader.select().from(segments).where(inArray(segments.id, ids))
  return rows.map(row => {
    const { id, name, tracked, active } = statedTexts(row)
    return { id, name, when: parseWhen(row.definition), tracked, active }
  })
}

async function plan(reader: Reader, entry: SegmentEntry): Promise<EntryChange> {
  const [stored] = await readSegments(reader, [entry.id])
  if (stored?.active && entry.active === false) await refuseIfCounted(reader, entry.id)
  return compareEntries(stored && contentOf(stored), contentOf(entry))
}

/** Accounts and tiers of which the conditions ask. */
async function findUnknown(
  reader: Reader,
  { when = [] }: SegmentEntry,
  { isStated }: { isStated: IsStated },
): Promise<EntryFault[]> {
  const faults: EntryFault[] = []
  for (const [index, { fact, value }] of when.entries()) {
    const asked = factNamed(fact)
    if (asked?.name !== 'tier' || isStated('accounts', asked.of)) continue
    const tiers = await reader.spine.segments.readAccountTiers(reader, asked.of)
    const isKnown = [value].flat().every(one => typeof one !== 'string' || tiers?.includes(one))
    if (!tiers)
      faults.push({ pointer: `/when/${index}/fact`, message: 'must name an account of the catalogue' })
    else if (!isKnown)
      faults.push({ pointer: `/when/${index}/value`, message: 'must be a tier of the account' })
  }
  return faults
}

/** @throws DomainError `catalogue_conflict` if a rule or a quest counts by the segment: it would count nothing */
async function refuseIfCounted(reader: Reader, id: string): Promise<void> {
  const uses = (await reader.spine.segments.listUses(reader, id)).filter(({ pointer }) => pointer === '/fan')
  const names = uses.map(use => `${use.kind} ${use.id}`).join(', ')
  if (uses.length > 0)
    refuseEntry({ pointer: '/active', message: `must stay true: ${names} counts by the segment` })
}

async function upsert(tx: Transaction, entry: SegmentEntry): Promise<EntryChange> {
  const change = await plan(tx, entry)
  if (change.outcome === 'unchanged') return change
  const { segments } = tx.tables
  const { name, when, tracked, active } = contentOf(entry)
  const set = {
    ...columnsIn(segments, { name, tracked, active }),
    definition: JSON.stringify(when),
    updatedAt: tx.now(),
  }
  await tx
    .insert(segments)
    .values({ ...set, id: entry.id, createdAt: tx.now() })
    .onConflictDoUpdate({ target: segments.id, set })
  return change
}

export const segmentKind = declareKind({
  kind: 'segment',
  list: 'segments',
  about: 'Fans who have something in common, for requirements and lists.',
  schema: SegmentEntry,
  givesValue: true,
  table: ({ segments }) => segments,
  faults({ when = [] }) {
    const faults = when.flatMap((condition, index) => {
      const fault = conditionFault(condition)
      return fault ? [{ pointer: `/when/${index}/${fault.member}`, message: fault.message }] : []
    })
    return faults.length > 0 ? faults : contradictions(when)
  },
  references: findUnknown,
  plan,
  upsert,
  read: readSegments,
  async deactivate(tx, id) {
    const [stored] = await readSegments(tx, [id])
    return stored ? (await upsert(tx, { ...stored, active: false })).outcome !== 'unchanged' : false
  },
})

/** For the member `fan` of an entry: the segment must be stored and active, or stated by the same import. */
export async function fanFaults(
  reader: Reader,
  fan: string | null | undefined,
  isStated: IsStated,
): Promise<EntryFault[]> {
  if (fan == null || isStated('segments', fan) || (await findSegment(reader, fan))?.active) return []
  return [{ pointer: '/fan', message: 'must be an active segment of the catalogue' }]
}

/** Of entries that count by segments. */
export const FanMember = Maybe(
  EntrySlug('A segment. Events count for fans who are in it when the event is recorded. Null: all fans.'),
)

/** Active or not: a segment that is switched off has no members. */
export const findSegment = preparedRow((reader: Reader, id: string) => {
  const { segments } = reader.tables
  return reader.select().from(segments).where(eq(segments.id, id))
})
