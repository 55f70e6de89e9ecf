/** Imported catalogue entries: the rules that their schemas cannot express, and how they differ from what is stored. */

import { and, type Column, eq } from 'drizzle-orm'
import type { Tables, Transaction } from '../../../db/index.ts'
import { isPlainHttps, isPlainPath } from '../../core/https-url.ts'
import { parseInstant } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import type { Static, TObject, TSchema } from '../../core/typebox.ts'
import { isHttpsUrl, isPictureUrl, RESERVED_SLUGS, withoutNull } from './entry-schema.ts'
import { catalogueProblems } from './problems.ts'
import { changesOf, isText, textFaults } from './texts.ts'

/** `pointer` points into the entry (RFC 6901). */
export interface EntryFault {
  pointer: string
  message: string
}

/** The changes of an entry that an import has made or would make. */
export interface EntryChange {
  outcome: 'created' | 'changed' | 'unchanged'
  /** The old and the new value by member; null where there is no value. */
  members: Record<string, [from: unknown, to: unknown]>
  /** Members that stay although the entry states another value, and that `force` would change. */
  kept?: EntryChange['members']
  /** Other entries of the kind that changed with it. */
  others?: string[]
}

/**
 * Refuses a valid entry that contradicts what fans were promised or have received. Does nothing without
 * errors.
 */
export function refuseEntry(...errors: EntryFault[]): void {
  if (errors.length > 0) throw new DomainError(catalogueProblems.catalogue_conflict, { errors })
}

/** A table of entries that can be switched off. */
export type SwitchedTable = Extract<Tables[keyof Tables], Record<'id' | 'active' | 'updatedAt', Column>>

/** A table of entries. The only entry of a kind is never off. */
export type EntryTable = Extract<Tables[keyof Tables], Record<'id' | 'createdAt' | 'updatedAt', Column>>

export const isSwitched = (table: EntryTable): table is SwitchedTable => 'active' in table

/** Switches off an entry of a table, and invalidates the responses with a tag. False: it was not active. */
export async function deactivateEntry(
  tx: Transaction,
  table: EntryTable,
  tag: string,
  id: string,
): Promise<boolean> {
  if (!isSwitched(table)) return false
  tx.invalidate(tag)
  const changed = await tx
    .update(table)
    .set({ active: false, updatedAt: tx.now() })
    .where(and(eq(table.id, id), eq(table.active, true)))
    .returning({ id: table.id })
  return changed.length > 0
}

/** Compares the members of `after`, by the names of the entry; `before` is undefined for a new entry. */
export function compareEntries(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown>,
): EntryChange {
  if (!before) return { outcome: 'created', members: {} }
  const members: EntryChange['members'] = {}
  for (const [name, to] of Object.entries(after))
    Object.assign(members, changesOf(name, before[name] ?? null, to))
  return { outcome: Object.keys(members).length > 0 ? 'changed' : 'unchanged', members }
}

export function slugFaults(id: string): EntryFault[] {
  const message = `must not be ${RESERVED_SLUGS.join(', ')}: which are paths of the API`
  return RESERVED_SLUGS.includes(id) ? [{ pointer: '/id', message }] : []
}

export function pictureFaults(pointer: string, url: string | null | undefined): EntryFault[] {
  const message = 'must be an https URL, or a path like /pictures/scarf.svg'
  return url == null || isPlainHttps(url) || isPlainPath(url) ? [] : [{ pointer, message }]
}

type Availability = Partial<Record<'startsAt' | 'endsAt', string | null>>

function availabilityFaults({ startsAt, endsAt }: Availability): EntryFault[] {
  const [start, end] = [instantOf(startsAt), instantOf(endsAt)]
  if (start === null || end === null || start < end) return []
  return [{ pointer: '/endsAt', message: 'must be after startsAt' }]
}

/** What all kinds have in common: the id, start and end, and at any depth the texts and addresses that the schema names. */
export const commonFaults = (schema: TSchema, entry: Availability & { id: string }): EntryFault[] => [
  ...slugFaults(entry.id),
  ...memberFaults(schema, entry, ''),
  ...availabilityFaults(entry),
]

/** `value` is valid for the schema. */
function memberFaults(schema: TSchema, value: unknown, pointer: string): EntryFault[] {
  if (value === null || value === undefined) return []
  if (isText(schema)) return textFaults(pointer, value)
  if (isPictureUrl(schema)) return pictureFaults(pointer, String(value))
  if (isHttpsUrl(schema))
    return isPlainHttps(String(value)) ? [] : [{ pointer, message: 'must be an https URL' }]
  const inner = withoutNull(schema)
  if (inner !== schema) return memberFaults(inner, value, pointer)
  // No form of a union has texts.
  if (schema.anyOf) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => memberFaults(schema.items, item, `${pointer}/${index}`))
  return Object.entries<TSchema>(schema.properties ?? {}).flatMap(([name, member]) =>
    memberFaults(member, Object(value)[name], `${pointer}/${name}`),
  )
}

/** An entry with all members of its schema, each of which has a default or can be null if it is optional. */
export function completeEntry<Schema extends TObject>({ properties }: Schema, entry: Static<Schema>) {
  // Guarantee of the casts: the members of an entry are those of its schema.
  const given = entry as Record<string, unknown>
  const members = Object.entries(properties).map(([name, { default: standard = null }]) => [
    name,
    given[name] ?? standard,
  ])
  return Object.fromEntries(members) as Required<Static<Schema>>
}

export const instantOf = (text: string | null | undefined): Date | null =>
  text == null ? null : parseInstant(text)
