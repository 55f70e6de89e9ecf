/** Streams a file of fans, NDJSON or CSV: each line with its fan or with all its faults. */

import { parseInstant } from '../../../core/instant.ts'
import { DomainError } from '../../../core/problems.ts'
import { Closed, Integer, Nullable } from '../../../core/schemas.ts'
import { type TSchema, Type } from '../../../core/typebox.ts'
import { MAX_GRANT } from '../../../economy/points/grants.ts'
import { normalizeProfile } from '../../../fan/profile/rules.ts'
import { optionalFields } from '../../../fan/profile/schema.ts'
import { pickProfile } from '../../../identity/users/profile-fields.ts'
import { type Cell, readBoolean, readInteger, readText } from '../../../platform/files/cells.ts'
import type { CsvColumns } from '../../../platform/files/csv.ts'
import type { FaultyLine, RowFile } from '../../../platform/files/row-file.ts'
import {
  findColumnFaults,
  findPadded,
  findSchemaFaults,
  objectOf,
  readRows,
} from '../../../platform/files/rows.ts'
import type { FanFault, ImportedFan } from './fans.ts'

/** A fan of another system: one line of NDJSON or one row of CSV. The profile's own rules apply to its members. */
const FanRecord = Closed({
  subject: Type.String({ minLength: 1, maxLength: 255 }),
  ...optionalFields,
  openingBalance: Type.Optional(Nullable(Integer({ minimum: 0, maximum: MAX_GRANT }))),
  onboardingCompletedAt: Type.Optional(Nullable(Type.String({ maxLength: 40 }))),
  joinLeaderboard: Type.Optional(Nullable(Type.Boolean())),
})

type FanRecord = typeof FanRecord.static

export interface FanLine extends FaultyLine {
  /** Undefined if there are faults. */
  fan?: ImportedFan
}

interface ReadOptions {
  provider: string
  now: Date
}

const schemas: Record<string, TSchema> = FanRecord.properties
const COLUMNS = Object.keys(schemas)
const typeOf = (name: string) => schemas[name]?.anyOf?.[0].type

const CSV: CsvColumns = {
  headerFaults: columns => findColumnFaults(columns, COLUMNS, ['subject']),
  toValue(cells, dialect) {
    const read = (name: string, cell: string): Cell =>
      typeOf(name) === 'integer'
        ? readInteger(cell, dialect)
        : typeOf(name) === 'boolean'
          ? readBoolean(cell)
          : readText(cell)
    return objectOf([...cells].map(([name, cell]) => ({ name, field: name, ...read(name, cell) })))
  },
}

/** Yields the lines in order, without empty ones. A subject or handle of an earlier line is a fault. */
export async function* readFans(file: RowFile, { provider, now }: ReadOptions): AsyncGenerator<FanLine> {
  const subjects = new Map<string, number>()
  const handles = new Map<string, number>()
  for await (const row of readRows(file, CSV)) {
    if (!('value' in row)) {
      yield row
      continue
    }
    const { line, value } = row
    const { fan, faults } = validateFan(value, provider, now)
    // Guarantee of the cast: nothing is known of the members.
    const stated = value as Record<string, unknown> | null
    for (const [seen, field, name] of [
      [subjects, 'subject', stated?.subject],
      [handles, 'handle', fan?.profile.handle ?? stated?.handle],
    ] as const) {
      if (typeof name !== 'string') continue
      const first = seen.get(name)
      if (first === undefined) seen.set(name, line)
      else faults.push({ field, message: `is a duplicate of line ${first}` })
    }
    yield fan && faults.length === 0 ? { line, fan, faults } : { line, faults }
  }
}

/** Validates a value against the schema, then against the rules of its members. */
function validateFan(value: unknown, provider: string, now: Date): { fan?: ImportedFan; faults: FanFault[] } {
  const broken = findSchemaFaults(FanRecord, value)
  if (broken.length > 0) return { faults: broken }
  // Guarantee of the casts: validated against the schema, in which every member that may be null may be absent.
  const members = Object.entries(value as FanRecord).filter(([, member]) => member !== null)
  const record = Object.fromEntries(members) as FanRecord
  const faults: FanFault[] = []
  let profile: ImportedFan['profile'] = {}
  try {
    profile = normalizeProfile(pickProfile(record), '')
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    for (const { message, ...at } of error.explanation.errors ?? [])
      faults.push({ field: 'pointer' in at ? at.pointer.slice(1) : '', message })
  }
  const completed = record.onboardingCompletedAt ?? null
  const onboardingCompletedAt = completed === null ? null : parseInstant(completed)
  const isPast = onboardingCompletedAt && onboardingCompletedAt.getTime() >= 0 && onboardingCompletedAt <= now
  if (completed !== null && !isPast) {
    const message = 'must be an instant such as 2025-08-15T18:30:00Z, and not in the future'
    faults.push({ field: 'onboardingCompletedAt', message })
  }
  const { subject, openingBalance, joinLeaderboard } = record
  faults.push(...findPadded({ subject }))
  const fan: ImportedFan = {
    provider,
    subject,
    profile,
    openingBalance: openingBalance ?? 0,
    onboardingCompletedAt,
    joinLeaderboard: joinLeaderboard ?? false,
  }
  return { fan, faults }
}
