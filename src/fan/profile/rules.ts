/** Applies the rules that `profile-fields.ts` declares. */
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import {
  PROFILE_FIELDS,
  type ProfileChange,
  type ProfileFieldName,
  profileField,
} from '../../identity/users/profile-fields.ts'

/** `pointer`: JSON Pointer of the profile in the request. @throws DomainError `validation_failed` with every invalid member */
export function normalizeProfile(change: ProfileChange, pointer: string): ProfileChange {
  const normal: ProfileChange = {}
  const errors: FieldError[] = []
  for (const name of PROFILE_FIELDS)
    if (!normalizeField(name, change, normal))
      errors.push({ pointer: `${pointer}/${name}`, message: `must be ${profileField(name).expected}` })
  if (errors.length > 0) throw new DomainError(transportProblems.validation_failed, { errors })
  return normal
}

/** False if the member is invalid. */
function normalizeField<Name extends ProfileFieldName>(
  name: Name,
  from: ProfileChange,
  into: ProfileChange,
): boolean {
  const value = from[name]
  if (value === undefined) return true
  const normal = value === null ? null : profileField(name).normalize(value)
  into[name] = normal
  return value === null || normal !== null
}

/** Checks a stored value against the current rule. `kept`: its normal or repaired form, null if there is none. */
export function checkStoredField<Name extends ProfileFieldName>(
  name: Name,
  value: NonNullable<ProfileChange[Name]>,
) {
  const { normalize, repair, expected } = profileField(name)
  return {
    kept: normalize(value) ?? (repair ? normalize(repair(value)) : null),
    expected: `must be ${expected}`,
  }
}
