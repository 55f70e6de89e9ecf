/** Names that fans may take for the club's own: no fan gives them to themselves. */
import { lookOfName } from '../../core/name-text.ts'

const RESERVED =
  'admin administrator contact help helpdesk matchday moderation moderator official operator root security staff support sysadmin system webmaster'.split(
    ' ',
  )

/** Whether a name looks like a reserved one, also with a number behind it. */
export type IsReservedName = (name: string) => boolean

/** `own`: the names of the club, beside those of every club. */
export function createReservedNames(own: readonly string[]): IsReservedName {
  const looks = new Set([...RESERVED, ...own].map(lookOfName))
  const withoutNumber = (name: string) => name.replace(/[\p{N}\p{P}\p{Z}]+$/u, '')
  return name => looks.has(lookOfName(name)) || looks.has(lookOfName(withoutNumber(name)))
}
