/**
 * Merges a statement of the provider into the mirror: each field keeps the last value that was stated for it. The result
 * does not depend on the order in which statements arrive, nor on how often.
 */
import type { Tables } from '../../db/index.ts'
import type { IdentityClaims, MirroredClaims } from '../identity-provider/claims.ts'

export type MirroredField = keyof MirroredClaims
export const FIELDS: MirroredField[] = ['email', 'emailVerified', 'name', 'picture']

type Row = Tables['identities']['$inferSelect']
type Merged = Pick<Row, MirroredField | 'updatedAt' | 'statedAt' | 'fieldTimes'>

/** Milliseconds. `updated_at` counts whole seconds at most providers: `statedAt` orders the changes within one. */
type Time = readonly [updatedAt: number, statedAt: number]
type FieldTimes = Partial<Record<MirroredField, Time>>

/** Null when the statement is older than the mirror in every field that it states. */
export function mergeClaims(row: Row, claims: IdentityClaims): Merged | null {
  const stated = timeOf(claims)
  const held = timeOf(row)
  const isLatest = compareTimes(stated, held) >= 0
  // Only this function writes the column.
  const times = JSON.parse(row.fieldTimes ?? '{}') as FieldTimes

  function latest<T extends string | boolean>(
    field: MirroredField,
    said: T | null | undefined,
    value: T | null,
  ) {
    const time = times[field] ?? held
    // Of one time the greater value wins: a choice that every order of arrival makes alike.
    const replaces = (compareTimes(stated, time) || compare(String(said ?? ''), String(value ?? ''))) >= 0
    return said !== undefined && replaces ? { value: said, time: stated } : { value, time }
  }
  const fields = {
    email: latest('email', claims.email, row.email),
    emailVerified: latest('emailVerified', claims.emailVerified, row.emailVerified),
    name: latest('name', claims.name, row.name),
    picture: latest('picture', claims.picture, row.picture),
  }
  if (!isLatest && FIELDS.every(field => fields[field].time !== stated)) return null

  const newest = isLatest ? stated : held
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

/** Of a mirror that was never filled: before every statement. */
const timeOf = ({ updatedAt, statedAt }: Pick<Row, 'updatedAt' | 'statedAt'>): Time => [
  updatedAt?.getTime() ?? 0,
  statedAt?.getTime() ?? 0,
]

const compareTimes = (one: Time, other: Time) => compare(one[0], other[0]) || compare(one[1], other[1])

const compare = <T extends number | string>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0)
