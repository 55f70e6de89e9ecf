/** Members that all imported catalogue entries share. An omitted member is null or has its default. */

import { MAX_URL_LENGTH } from '../../core/https-url.ts'
import { InstantInput, Nullable, Slug } from '../../core/schemas.ts'
import { type TSchema, Type } from '../../core/typebox.ts'

/** Segments of other paths. An entry with such an id could not be reached. */
export const RESERVED_SLUGS = ['claim', 'open', 'proofs', 'purchase', 'purchases', 'redeem']

/** An id that the author of the catalogue chooses and that never changes. */
export const EntrySlug = (description: string) =>
  // For editors of the file: TypeBox does not know `not`, so the rules of an entry check it.
  Slug(description, { not: { enum: RESERVED_SLUGS } })

export const Line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description })

export const Maybe = <S extends TSchema>(schema: S) => Type.Optional(Nullable(schema))

const PICTURE = '^(https://|/[^/\\\\])'

/**
 * The address of a picture. A path is for pictures on the app's own server: clients resolve it against the API's origin.
 */
export const PictureUrl = (description: string) =>
  Type.String({
    maxLength: MAX_URL_LENGTH,
    pattern: PICTURE,
    description: `${description} An https URL, or a path of the API’s origin.`,
    errorNoun: 'an https URL, or a path like /pictures/scarf.svg',
  })

const HTTPS = '^https://'

/** The address of a page. */
export const HttpsUrl = (description: string) =>
  Type.String({ maxLength: MAX_URL_LENGTH, pattern: HTTPS, description, errorNoun: 'an https URL' })

export const isHttpsUrl = ({ pattern }: TSchema): boolean => pattern === HTTPS

/** Whether a member is stated as an instant, or null. */
export const isInstantInput = (schema: TSchema): boolean => withoutNull(schema).format === 'instant'

/** The other variant of a schema that allows null, and any other schema as it is. */
export function withoutNull(schema: TSchema): TSchema {
  const [inner, ...others] = (schema.anyOf ?? []).filter(({ type }: TSchema) => type !== 'null')
  return others.length === 0 ? (inner ?? schema) : schema
}

export const isPictureUrl = ({ pattern }: TSchema): boolean => pattern === PICTURE

export const Active = Type.Optional(
  Type.Boolean({ default: true, description: 'False: stored, but not offered.' }),
)

export const availabilityMembers = {
  active: Active,
  startsAt: Maybe(InstantInput('From when it is available.')),
  endsAt: Maybe(InstantInput('Until when it is available, exclusive.')),
}
