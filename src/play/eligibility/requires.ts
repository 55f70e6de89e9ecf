/** `requires` of the catalogue: who may claim, buy or take part. One closed object, the same for each kind of entry that has it. */
import { Closed, OneOf } from '../../core/schemas.ts'
import { type Static, type TOptional, Type } from '../../core/typebox.ts'
import { minAge } from './age.ts'
import { collectible } from './collectible.ts'
import { countries, notCountries } from './countries.ts'
import { holds } from './holds.ts'
import { membership } from './membership.ts'
import { points } from './points.ts'
import type { Requirement } from './requirement.ts'
import { segment } from './segment.ts'
import { tier } from './tier.ts'

/** In the order in which verbs check them. */
const REQUIREMENTS = [
  countries,
  notCountries,
  minAge,
  membership,
  tier,
  segment,
  collectible,
  holds,
  points,
] as const

type Each = (typeof REQUIREMENTS)[number]

/** The same list, for code that treats all requirements in the same way. */
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

/** Of an entry in a public list that a fan reads. */
export const BlockedBy = (description: string) =>
  Type.Optional(
    Type.Array(Type.Unsafe<RequiresCode>(OneOf(REQUIRES_CODES)), {
      description: `${description} Only in responses to a caller with a token.`,
    }),
  )

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

/** Columns of members, which some tables have, and which versions before `requires` read. */
interface MemberColumns {
  requiredPoints: number | null
  requiredCollectibleId: string | null
  requiredHolding: string | null
}

type RequiresColumns = { requires: string | null } & Partial<MemberColumns>

/** Guarantee of the casts: `columnsOfRequires` wrote them, from valid entries. */
const parse = (text: string | null | undefined) => (text == null ? undefined : JSON.parse(text))

/** What a stored entry requires. */
export function requiresOf({
  requires,
  requiredPoints,
  requiredCollectibleId,
  requiredHolding,
}: RequiresColumns): Requires {
  // Most entries: each claim and each list asks this for each of them.
  if (requires === null && !requiredPoints && !requiredCollectibleId && !requiredHolding) return {}
  // Guarantee of the casts: as of `parse`.
  return normalizeRequires({
    points: requiredPoints ?? undefined,
    collectibleId: requiredCollectibleId ?? undefined,
    holds: parse(requiredHolding) as Requires['holds'],
    ...(parse(requires) as Requires | undefined),
  })
}

/** As JSON; null for nothing. */
export const storedRequires = (stated: Requires | null | undefined): string | null => {
  const requires = normalizeRequires(stated)
  return isEmpty(requires) ? null : JSON.stringify(requires)
}

/** `own`: the members that have a column of their own. The others are in the column `requires`. */
export function columnsOfRequires<const Own extends keyof MemberColumns = never>(
  stated: Requires | null | undefined,
  own: readonly Own[] = [],
): Pick<MemberColumns, Own> & { requires: string | null } {
  const { points, collectibleId, holds, ...others } = normalizeRequires(stated)
  const columns: MemberColumns = {
    requiredPoints: points ?? null,
    requiredCollectibleId: collectibleId ?? null,
    requiredHolding: holds ? JSON.stringify(holds) : null,
  }
  const has = (column: keyof MemberColumns) => own.some(name => name === column)
  const requires = storedRequires({
    ...others,
    points: has('requiredPoints') ? undefined : points,
    collectibleId: has('requiredCollectibleId') ? undefined : collectibleId,
    holds: has('requiredHolding') ? undefined : holds,
  })
  // Guarantee of the cast: the columns of `own`.
  const chosen = Object.fromEntries(own.map(name => [name, columns[name]])) as Pick<MemberColumns, Own>
  return { ...chosen, requires }
}

/** As an export states it: nothing is null. */
export const statedRequires = (row: RequiresColumns): Requires | null => {
  const requires = requiresOf(row)
  return isEmpty(requires) ? null : requires
}

export const isEmpty = (requires: Requires): boolean => Object.keys(requires).length === 0
