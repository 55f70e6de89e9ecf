/** The rules for public texts of fans, made from the settings once for each change. */
import type { Reader } from '../../../db/index.ts'
import { lookOfName } from '../../core/name-text.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { createTextFilter, type TextFilter } from './text-filter.ts'

export interface PublicTextPolicy {
  /** Null: texts are not filtered. */
  filter: TextFilter | null
  /** Null: writers need not accept terms. */
  termsVersion: string | null
  /** Where the terms are. */
  termsUrl: string | null
  /** Names that fans do not give to themselves. */
  isReserved: IsReservedName
}

const made = new WeakMap<Settings, PublicTextPolicy>()

const noPolicy: PublicTextPolicy = {
  filter: null,
  termsVersion: null,
  termsUrl: null,
  isReserved: () => false,
}

export async function policyOf(reader: Reader): Promise<PublicTextPolicy> {
  if (!reader.spine.publicText.isApplied) return noPolicy
  const settings = await settingsOf(reader)
  return made.getOrInsertComputed(settings, () => {
    const { termsVersion, termsUrl, reservedHandles } = settings
    const filter = createTextFilter(settings)
    return { filter, termsVersion, termsUrl, isReserved: createReservedNames(reservedHandles) }
  })
}

/** Names that look official, which fans cannot choose. */
const RESERVED =
  'admin administrator club contact help helpdesk matchday moderation moderator official operator root security service staff support sysadmin system team webmaster'.split(
    ' ',
  )

/** Whether a name looks like a reserved one, like several in a row, or like one in the plural or with a number behind it. */
type IsReservedName = (name: string) => boolean

/** `own`: the names of this club, in addition to the names that are reserved for every club. */
function createReservedNames(own: readonly string[]): IsReservedName {
  const looks = [...RESERVED, ...own].map(lookOfName)
  const plurals = looks.map(look => `${look}s`)
  const withoutNumber = (name: string) => /^.*\p{L}/su.exec(name)?.[0] ?? ''
  return name => [name, withoutNumber(name)].some(text => isMadeOf(lookOfName(text), [...looks, ...plurals]))
}

/** Whether the text is a sequence of these parts, each any number of times. */
function isMadeOf(text: string, parts: string[]): boolean {
  const ends = new Set([0])
  // The loop also visits ends that it adds.
  for (const end of ends)
    for (const part of parts) if (text.startsWith(part, end)) ends.add(end + part.length)
  return text !== '' && ends.has(text.length)
}
