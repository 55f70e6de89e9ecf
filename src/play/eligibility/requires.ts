/** `requires` of the catalogue: who may claim, buy or take part. One closed object, the same for each kind of entry that has it. */
import type { EntryFault } from '../../club/catalogue/entry.ts'
import { Closed } from '../../core/schemas.ts'
import { type Static, type TOptional, Type } from '../../core/typebox.ts'
import { collectible } from './collectible.ts'
import { countries, notCountries } from './countries.ts'
import { holds } from './holds.ts'
import { points } from './points.ts'
import type { Requirement } from './requirement.ts'

/** In the order in which verbs check them. */
const REQUIREMENTS = [countries, notCountries, collectible, holds, points] as const

type Each = (typeof REQUIREMENTS)[number]

/** The same, as code sees them that treats all alike. */
export const requirements: readonly Requirement[] = REQUIREMENTS

/** All of it must be met. */
export type Requires = { [One in Each as One['member']]?: Static<One['describe']['entry']> }

/** Guarantee of the casts: the members are those of the list. */
const membersOf = (of: keyof Requirement['describe']) =>
  Object.fromEntries(requirements.map(({ member, describe }) => [member, Type.Optional(describe[of])]))

/** As a catalogue states it. */
export const RequiresEntry = (description: string) =>
  Closed(membersOf('entry') as { [One in Each as One['member']]: TOptional<One['describe']['entry']> }, {
    description,
  })

/** As responses show it. */
export const ShownRequires = (description: string) =>
  Closed(membersOf('shown') as { [One in Each as One['member']]: TOptional<One['describe']['shown']> }, {
    description,
  })

/** What a fan may lack, in the order in which verbs check it. */
const requiresProblems = [
  ...new Set(REQUIREMENTS.flatMap(({ problems }): Each['problems'][number][] => [...problems])),
]

export type RequiresCode = Each['problems'][number]['code']
export const REQUIRES_CODES: RequiresCode[] = requiresProblems.map(({ code }) => code)

/** Without what is not stated, each member in its one form, in the order of the documents. */
export function normalizeRequires(stated: Requires | null | undefined): Requires {
  // Guarantee of the casts: the members of `Requires` are those of the list.
  const given = (stated ?? {}) as Record<string, unknown>
  const members = requirements.flatMap(({ member, normalize = same }) =>
    given[member] === undefined ? [] : [[member, normalize(given[member])] as const],
  )
  return Object.fromEntries(members) as Requires
}

const same = (value: unknown) => value

/** The rules that the schema cannot express, with pointers into the entry. */
export const requiresFaults = (stated: Requires | null | undefined): EntryFault[] =>
  Object.entries(stated ?? {}).flatMap(([name, value]) =>
    (requirements.find(({ member }) => member === name)?.findFaults?.(value) ?? []).map(
      ({ pointer, message }) => ({ pointer: `/requires/${name}${pointer}`, message }),
    ),
  )

/** The columns of an entry. Versions before `requires` read the three others, which some tables have. */
interface RequiresColumns {
  requires: string | null
  requiredPoints?: number | null
  requiredCollectibleId?: string | null
  requiredHolding?: string | null
}

/** Guarantee of the casts: `storedRequires` wrote them, from valid entries. */
const parse = (text: string | null | undefined) => (text == null ? undefined : JSON.parse(text))

/** What a stored entry requires. */
export const requiresOf = (row: RequiresColumns): Requires =>
  normalizeRequires({
    points: row.requiredPoints ?? undefined,
    collectibleId: row.requiredCollectibleId ?? undefined,
    holds: parse(row.requiredHolding) as Requires['holds'],
    ...(parse(row.requires) as Requires | undefined),
  })

/** As JSON; null for nothing. */
export const storedRequires = (stated: Requires | null | undefined): string | null => {
  const requires = normalizeRequires(stated)
  return isEmpty(requires) ? null : JSON.stringify(requires)
}

/** As JSON of the column of its own. */
export const storedHolds = (stated: Requires['holds']): string | null =>
  stated === undefined ? null : JSON.stringify(normalizeRequires({ holds: stated }).holds)

/** As an export states it: nothing is null. */
export const statedRequires = (row: RequiresColumns): Requires | null => {
  const requires = requiresOf(row)
  return isEmpty(requires) ? null : requires
}

const isEmpty = (requires: Requires) => Object.keys(requires).length === 0
