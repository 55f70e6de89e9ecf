/** A person who uses the console. */
import { isDeceptive, isStacked, isVisible, withoutBidiControls } from '../../core/name-text.ts'
import { isRole, type Role } from './roles.ts'

/** Characters: an issuer and a subject. */
export const MAX_STAFF_ID = 1_000

export interface Staff {
  /** An id of `core/staff-ids.ts`. */
  id: string
  name: string
  role: Role
}

/** The operator of the server, in the audit log. */
export const OPERATOR: Staff = { id: 'operator', name: 'Operator', role: 'owner' }

/** The provider of the staff, in the audit log, when it ends sessions. */
export const PROVIDER: Staff = { id: 'provider', name: 'Provider', role: 'owner' }

/** The erasure of a fan, in the audit log, when it ends approval requests about the fan. */
export const ERASURE: Staff = { id: 'erasure', name: 'Erasure', role: 'owner' }

/** The role of a stored row. @throws Error for a role of a newer version, since nobody may act in an unknown role */
export function roleOf(text: string): Role {
  if (isRole(text)) return text
  throw new Error('the role of a stored session is not known')
}

const MAX_NAME = 100
/** One line, with single spaces. */
const SPACING = /[\p{Cc}\p{Zl}\p{Zp}]|\p{Z}{2}/u

/** The error in a person's name; null if it is valid. */
export function nameFault(name: string): string | null {
  if (name.length > MAX_NAME) return `must be at most ${MAX_NAME} characters`
  const isHonest = isVisible(name) && !isDeceptive(name) && !isStacked(name)
  const isPlain = isHonest && withoutBidiControls(name) === name
  const isSpaced = name.trim() === name && !SPACING.test(name)
  return isPlain && isSpaced
    ? null
    : 'must be visible text of one line, with single spaces and none at its ends'
}
