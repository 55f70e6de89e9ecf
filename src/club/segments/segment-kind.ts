/** Segments: fans who have something in common. One definition is judged for one fan and for all. */
import { eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { Closed, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { compareEntries, type EntryChange } from '../catalogue/entry.ts'
import { Active, EntrySlug } from '../catalogue/entry-schema.ts'
import { declareKind } from '../catalogue/kind.ts'
import { OPERATORS } from '../catalogue/operators.ts'
import { columnsOfTexts, statedTexts, Text } from '../catalogue/texts.ts'
import { conditionFault, factNames } from './facts.ts'

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
    when: Type.Array(
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
      { minItems: 1, maxItems: 20, description: 'All of them must be met.' },
    ),
    active: Active,
  },
  { title: 'Segment' },
)
type SegmentEntry = Static<typeof SegmentEntry>
export type SegmentCondition = SegmentEntry['when'][number]

/** Guarantee of the cast: the import writes it. */
export const parseWhen = (text: string) => JSON.parse(text) as SegmentCondition[]

const contentOf = ({ name, when, active = true }: SegmentEntry) => ({ name, when, active })

async function readSegments(reader: Reader, ids: string[]): Promise<SegmentEntry[]> {
  const { segments } = reader.tables
  const rows = await reader.select().from(segments).where(inArray(segments.id, ids))
  return rows.map(row => {
    const { id, name, active } = statedTexts(row)
    return { id, name, when: parseWhen(row.definition), active }
  })
}

async function plan(reader: Reader, entry: SegmentEntry): Promise<EntryChange> {
  const [stored] = await readSegments(reader, [entry.id])
  return compareEntries(stored && contentOf(stored), contentOf(entry))
}

async function upsert(tx: Transaction, entry: SegmentEntry): Promise<EntryChange> {
  const change = await plan(tx, entry)
  if (change.outcome === 'unchanged') return change
  const { segments } = tx.tables
  const { name, when, active } = contentOf(entry)
  const set = { ...columnsOfTexts({ name, active }), definition: JSON.stringify(when), updatedAt: tx.now() }
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
  faults: ({ when }) =>
    when.flatMap((condition, index) => {
      const fault = conditionFault(condition)
      return fault ? [{ pointer: `/when/${index}/${fault.member}`, message: fault.message }] : []
    }),
  plan,
  upsert,
  read: readSegments,
})

/** Active or not: a segment that is switched off has no members. */
export const findSegment = preparedRow((reader: Reader, id: string) => {
  const { segments } = reader.tables
  return reader.select().from(segments).where(eq(segments.id, id))
})
