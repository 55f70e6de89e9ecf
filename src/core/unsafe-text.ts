/**
 * Finds faults in a JSON value that no schema describes: text that cannot be stored, and names that every
 * object inherits.
 */

import { MAX_ERRORS, MAX_PLACE, shorten } from './faults.ts'
import { DomainError, type FieldError } from './problems.ts'
import { transportProblems } from './transport-problems.ts'

/**
 * The search ends after `MAX_ERRORS` errors, so that its work grows with the body and not with the number of
 * faults. NUL and lone surrogates are valid in JSON, but the databases cannot store them. Members with the
 * names that every object inherits are removed, since a body with a member `toString` would break code that
 * formats it.
 * @throws DomainError `malformed_request` (nested too deeply)
 */
export function findUnsafe(value: unknown, maxLevels: number): FieldError[] {
  const errors: FieldError[] = []
  /** Names and indexes of the members that lead to the current one. */
  const path: (string | number)[] = []
  const note = (message: string) => errors.push({ pointer: pointerTo(path), message })

  function visit(current: unknown): void {
    if (typeof current === 'string' && !isSafe(current)) note(UNSAFE)
    if (typeof current !== 'object' || current === null) return
    if (path.length === maxLevels) {
      throw new DomainError(transportProblems.malformed_request, {
        detail: `The body is nested deeper than ${maxLevels} levels.`,
      })
    }
    if (Array.isArray(current)) visitItems(current)
    else visitMembers(current)
  }

  function visitItems(items: unknown[]): void {
    for (let n = 0; n < items.length && errors.length < MAX_ERRORS; n++) {
      path.push(n)
      visit(items[n])
      path.pop()
    }
  }

  function visitMembers(members: object): void {
    for (const [name, member] of Object.entries(members)) {
      const isInherited = name in Object.prototype
      const isUnsafe = !isSafe(name)
      if (isUnsafe) note(UNSAFE)
      path.push(name)
      if (isInherited) note('is not a member of this request')
      if (isInherited || isUnsafe) Reflect.deleteProperty(members, name)
      visit(member)
      path.pop()
      if (errors.length >= MAX_ERRORS) return
    }
  }

  visit(value)
  return errors.slice(0, MAX_ERRORS)
}

const UNSAFE = 'must not contain NUL or lone surrogates'

const isSafe = (text: string) => !text.includes('\0') && text.isWellFormed()

/** A JSON Pointer (RFC 6901) of bounded length. */
function pointerTo(path: (string | number)[]): string {
  let pointer = ''
  for (const name of path) {
    pointer += `/${shorten(String(name)).replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (pointer.length > MAX_PLACE) break
  }
  return shorten(pointer)
}
