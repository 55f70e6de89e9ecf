/** Kinds whose entries have `requires`: its rules, what it names, and the sponsor, are checked in the same way for all of them. */

import type { Reader } from '../../../db/index.ts'
import type { EntryFault } from '../../club/catalogue/entry.ts'
import {
  type Declaration,
  declareKind,
  type EntryKind,
  type EntryList,
  type IsStated,
} from '../../club/catalogue/kind.ts'
import { findUnknownSponsor } from '../../club/sponsors/sponsorship.ts'
import { type Requires, requirements } from './requires.ts'

interface RestrictedDeclaration<Entry, Name extends string, List extends EntryList>
  extends Declaration<Entry, Name, List> {
  requiresOf(entry: Entry): Requires | null | undefined
}

export function declareRestrictedKind<
  Entry extends { id: string; sponsorId?: string | null },
  const Name extends string,
  const List extends EntryList,
>({ requiresOf, ...declared }: RestrictedDeclaration<Entry, Name, List>): EntryKind<Entry, Name, List> {
  const { faults, references, collectiblesOf } = declared
  return declareKind<Entry, Name, List>({
    ...declared,
    faults: entry => [...(faults?.(entry) ?? []), ...requiresFaults(requiresOf(entry))],
    async references(reader, entry, options) {
      // A pack can be for owners of a collectible that it describes itself.
      const own = new Set(collectiblesOf?.(entry))
      const isStated: IsStated = (list, id) =>
        (list === 'collectibles' && own.has(id)) || options.isStated(list, id)
      const unknown = await findUnknown(reader, requiresOf(entry), isStated)
      const sponsor = await findUnknownSponsor(reader, entry, isStated)
      return [...((await references?.(reader, entry, options)) ?? []), ...unknown, ...sponsor]
    },
  })
}

type Stated = Requires | null | undefined

/** Guarantee of the cast: the members of `Requires` are those of the list. */
const membersOf = (stated: Stated) => (stated ?? {}) as Record<string, unknown>

const within = (member: string, faults: EntryFault[]) =>
  faults.map(({ pointer, message }) => ({ pointer: `/requires/${member}${pointer}`, message }))

/** The rules that the schema cannot express. */
const requiresFaults = (stated: Stated): EntryFault[] =>
  Object.entries(membersOf(stated)).flatMap(([name, value]) =>
    within(name, requirements.find(({ member }) => member === name)?.findFaults?.(value) ?? []),
  )

/** Nothing refers to what `requires` names by a key, so it may also be stated later in the same import. */
async function findUnknown(reader: Reader, stated: Stated, isStated: IsStated): Promise<EntryFault[]> {
  const faults: EntryFault[] = []
  for (const { member, findUnknown } of requirements) {
    const value = membersOf(stated)[member]
    if (value !== undefined && findUnknown)
      faults.push(...within(member, await findUnknown(reader, value, isStated)))
  }
  return faults
}
