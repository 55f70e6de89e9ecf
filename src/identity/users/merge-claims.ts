/**
 * Merges a statement of the provider into the mirror. Each field gets the value that was stated last. The
 * result does not depend on the order in which statements arrive, nor on repetitions.
 */
import type { Tables } from '../../../db/index.ts'
import type { IdentityClaims, MirroredClaims } from '../../platform/identity-provider/claims.ts'

export type MirroredField = keyof MirroredClaims
export const FIELDS: MirroredField[] = ['email', 'emailVerified', 'name', 'picture']

type IdentityRow = Tables['identities']['$inferSelect']
type Merged = Pick<IdentityRow, MirroredField | 'updatedAt' | 'statedAt' | 'fieldTimes'>

/** Milliseconds. Most providers send `updated_at` in whole seconds: `statedAt` orders the changes within a second. */
type Time = readonly [updatedAt: number, statedAt: number]
type FieldTimes = Partial<Record<MirroredField, Time>>

/** Null if the statement is older than the mirror in every field that it contains. */
export function mergeClaims(row: Merged, claims: IdentityClaims): Merged | null {
  const stated = timeOf(claims)
  const current = timeOf(row)
  const isLatest = compareTimes(stated, current) >= 0
  // Guarantee of the cast: only this function writes the column.
  const times = JSON.parse(row.fieldTimes ?? '{}') as FieldTimes

  function latest<T extends string | boolean>(
    field: MirroredField,
    statedValue: T | null | undefined,
    value: T | null,
  ) {
    const time = times[field] ?? current
    // At equal times the greater value wins, so that the order of arrival does not matter.
    const replaces =
      (compareTimes(stated, time) || compare(String(statedValue ?? ''), String(value ?? ''))) >= 0
    return statedValue !== undefined && replaces ? { value: statedValue, time: stated } : { value, time }
  }
  const fields = {
    email: latest('email', claims.email, row.email),
    emailVerified: latest('emailVerified', claims.emailVerified, row.emailVerified),
    name: latest('name', claims.name, row.name),
    picture: latest('picture', claims.picture, row.picture),
  }
  if (!isLatest && FIELDS.every(field => fields[field].time !== stated)) return null

  const newest = isLatest ? stated : current
  const older = FIELDS.filter(field => compareTimes(fields[field].time, newest) !== 0)
  const { updatedAt, statedAt } = isLatest ? claims : row
  return {
    email: fields.email.value,
    emailVerified: fields.emailVerified.value,
    name: fields.name.value,
    picture: fields.picture.value,
    updatedAt,
    statedAt,
    fieldTimes:
      older.length > 0
        ? JSON.stringify(Object.fromEntries(older.map(field => [field, fields[field].time])))
        : null,
  }
}

/** The time of a mirror that was never filled is before every statement. */
const timeOf = ({ updatedAt, statedAt }: Pick<IdentityRow, 'updatedAt' | 'statedAt'>): Time => [
  updatedAt?.getTime() ?? 0,
  statedAt?.getTime() ?? 0,
]

const compareTimes = (one: Time, other: Time) => compare(one[0], other[0]) || compare(one[1], other[1])

const compare = <T extends number | string>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0)
