/** What a unit of a product delivers, for the kinds that are not shipped. */

import type { EntryFault } from '../../club/catalogue/entry.ts'
import { Closed, Integer, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

/** Name of a file in the folder DOWNLOADS, without a path. */
const FileName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  description: 'Kind `digital`: a file of the folder DOWNLOADS.',
  errorNoun: 'the name of a file, without a path',
})

/** As in a catalogue file. */
export const Delivers = Closed(
  {
    packId: Type.Optional(Slug('Kind `pack`: a sealed pack.')),
    collectibleId: Type.Optional(Slug('Kind `digital`: a copy of a collectible.')),
    file: Type.Optional(FileName),
    credit: Type.Optional(
      Integer({
        minimum: 1,
        description: 'Kind `voucher`: what its code takes off a later order in the currency of the price.',
      }),
    ),
  },
  { description: 'What a unit gives, by the kind of the product.' },
)
export type Delivers = Static<typeof Delivers>

/** As fans see it, without the name of a file. */
export const ShownDelivers = Closed({
  packId: Type.Optional(Type.String({ description: 'A sealed pack.' })),
  collectibleId: Type.Optional(Type.String({ description: 'A copy of a collectible.' })),
  download: Type.Optional(Type.Boolean({ description: 'A file, which the fan downloads.' })),
  credit: Type.Optional(
    Integer({ minimum: 1, description: 'A voucher that reduces the price of a later order by this amount.' }),
  ),
})

/** Null if it gives nothing. */
export function presentDelivers(text: string | null): Static<typeof ShownDelivers> | null {
  if (text === null) return null
  const { file, ...shown } = parseDelivers(text)
  return file === undefined ? shown : { ...shown, download: true }
}

/** Members by kind: one of each list is required, and no other is allowed. */
const MEMBERS = {
  physical: { one: [], maybe: [] },
  digital: { one: ['collectibleId', 'file'], maybe: [] },
  voucher: { one: [], maybe: ['credit'] },
  pack: { one: ['packId'], maybe: [] },
} as const satisfies Record<string, Record<'one' | 'maybe', (keyof Delivers)[]>>

/** The rules that the schema cannot express. */
export function deliversFaults(
  kind: keyof typeof MEMBERS,
  delivers: Delivers | null | undefined,
): EntryFault[] {
  const { one, maybe }: Record<'one' | 'maybe', readonly string[]> = MEMBERS[kind]
  const given = Object.entries(delivers ?? {}).flatMap(([name, value]) => (value === undefined ? [] : name))
  const wrong = given.filter(name => !one.includes(name) && !maybe.includes(name))
  const faults = wrong.map(name => ({ pointer: `/delivers/${name}`, message: `is not for the kind ${kind}` }))
  if (one.length === 0 || given.filter(name => one.includes(name)).length === 1) return faults
  return [...faults, { pointer: '/delivers', message: `must have ${one.join(' or ')}, for the kind ${kind}` }]
}

/** Guarantee of the cast: the import writes it. */
export const parseDelivers = (text: string | null): Delivers =>
  text === null ? {} : (JSON.parse(text) as Delivers)
