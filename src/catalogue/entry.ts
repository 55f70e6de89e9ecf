/** Imported catalogue entries: the rules that their schemas cannot express, and how they differ from what is stored. */

import { isPlainHttps } from '../core/https-url.ts'
import { parseInstant } from '../core/instant.ts'
import { DomainError } from '../core/problems.ts'
import { RESERVED_SLUGS } from './entry-schema.ts'

/** `pointer` points into the entry (RFC 6901). */
export interface EntryFault {
  pointer: string
  message: string
}

/** What an import changed of an entry, or would change. */
export interface EntryChange {
  outcome: 'created' | 'changed' | 'unchanged'
  /** The old and the new value by member; null where there is no value. */
  members: Record<string, [from: unknown, to: unknown]>
}

/** The entry is valid, but contradicts what fans were promised or have received. */
export function refuseEntry(...errors: EntryFault[]): never {
  throw new DomainError('catalogue_conflict', { errors })
}

/** Compares the members of `after`, by the names of the entry; `before` is undefined for a new entry. */
export function compareEntries(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown>,
): EntryChange {
  if (!before) return { outcome: 'created', members: {} }
  const members: EntryChange['members'] = {}
  for (const [name, to] of Object.entries(after)) {
    const from = before[name] ?? null
    if (!Bun.deepEquals(from, to)) members[name] = [from, to]
  }
  return { outcome: Object.keys(members).length > 0 ? 'changed' : 'unchanged', members }
}

export function slugFaults(id: string): EntryFault[] {
  const message = `must not be ${RESERVED_SLUGS.join(', ')}: which are paths of the API`
  return RESERVED_SLUGS.includes(id) ? [{ pointer: '/id', message }] : []
}

export function urlFaults(pointer: string, url: string | null | undefined): EntryFault[] {
  return url == null || isPlainHttps(url) ? [] : [{ pointer, message: 'must be an https URL' }]
}

interface AvailabilityInput {
  startsAt?: string | null
  endsAt?: string | null
}

export function availabilityFaults({ startsAt, endsAt }: AvailabilityInput): EntryFault[] {
  const [start, end] = [instantOf(startsAt), instantOf(endsAt)]
  if (start === null || end === null || start < end) return []
  return [{ pointer: '/endsAt', message: 'must be after startsAt' }]
}

export const instantOf = (text: string | null | undefined): Date | null =>
  text == null ? null : parseInstant(text)
