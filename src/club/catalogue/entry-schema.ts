/** Members that all imported catalogue entries share. An omitted member is null or has its default. */

import { InstantInput, Nullable } from '../../core/schemas.ts'
import { type TSchema, Type } from '../../core/typebox.ts'

/** Segments of other paths: an entry with such an id could not be addressed. */
export const RESERVED_SLUGS = ['claim', 'open', 'proofs', 'purchase', 'purchases', 'redeem']

/** An id that the author of the catalogue chooses and that never changes. */
export const EntrySlug = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[a-z0-9][a-z0-9._-]*$',
    not: { enum: RESERVED_SLUGS },
    description,
    errorNoun: 'a slug: at most 100 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit',
  })

export const Line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

export const Maybe = <S extends TSchema>(schema: S) => Type.Optional(Nullable(schema))

/** Of a picture. A path is for pictures that the app's own server has: clients resolve it against the API's origin. */
export const PictureUrl = (description: string) =>
  Type.String({
    maxLength: 2048,
    pattern: '^(https://|/[^/\\\\])',
    description: `${description} An https URL, or a path of the API’s origin.`,
    errorNoun: 'an https URL, or a path like /pictures/scarf.svg',
  })

export const Active = Type.Optional(
  Type.Boolean({ default: true, description: 'False: stored, but not offered.' }),
)

export const availabilityMembers = {
  active: Active,
  startsAt: Maybe(InstantInput('From when it is available.')),
  endsAt: Maybe(InstantInput('Until when it is available, exclusive.')),
}
