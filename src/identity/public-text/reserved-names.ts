/** Names that look official, which fans cannot choose. */
import { lookOfName } from '../../core/name-text.ts'

const RESERVED =
  'admin administrator club contact help helpdesk matchday moderation moderator official operator root security service staff support sysadmin system team webmaster'.split(
    ' ',
  )

/** Whether a name looks like a reserved one, like several in a row, or like one in the plural or with a number behind it. */
export type IsReservedName = (name: string) => boolean

/** `own`: the names of this club, in addition to the names that are reserved for every club. */
export function createReservedNames(own: readonly string[]): IsReservedName {
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
