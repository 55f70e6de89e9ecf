/** Entries of the catalogue on their way in: what their schemas cannot say, and how they differ from what is there. */

import { isPlainHttps } from '../core/https-url.ts'
import { DomainError } from '../core/problems.ts'
import { RESERVED_SLUGS } from './entry-schema.ts'

/** `pointer` points into the entry (RFC 6901). */
export interface EntryFault {
  pointer: string
  message: string
}

/** What became of an entry, or would. */
export interface EntryChange {
  outcome: 'created' | 'changed' | 'unchanged'
  /** What it was and what it becomes, by member; null where there was or will be nothing. */
  members: Record<string, [from: unknown, to: unknown]>
}

/** The entry is sound, but not for what is there: something of it has been promised or given away. */
export function refuseEntry(...errors: EntryFault[]): never {
  throw new DomainError('catalogue_conflict', { errors })
}

/** Compares the members of `after`, which has the names that the entry has; `before` is undefined when there is none. */
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
  const message = `must not be ${RESERVED_SLUGS.join(', ')}: those are paths of their own`
  return RESERVED_SLUGS.includes(id) ? [{ pointer: '/id', message }] : []
}

export function urlFaults(pointer: string, url: string | null | undefined): EntryFault[] {
  return url == null || isPlainHttps(url) ? [] : [{ pointer, message: 'must be an https URL' }]
}

interface Window {
  startsAt?: string | null
  endsAt?: string | null
}

export function windowFaults({ startsAt, endsAt }: Window): EntryFault[] {
  if (startsAt == null || endsAt == null || startsAt < endsAt) return []
  return [{ pointer: '/endsAt', message: 'must be after startsAt' }]
}

export const instantOf = (text: string | null | undefined): Date | null =>
  text == null ? null : new Date(text)
