import { expect, test } from 'bun:test'
import { isValid } from '../../../src/core/formats.ts'
import {
  isComplete,
  PROFILE_FIELDS,
  type ProfileFieldName,
  pickProfile,
  profileField,
  profileFields,
} from '../../../src/identity/users/profile-fields.ts'

const whole = pickProfile(Object.fromEntries(PROFILE_FIELDS.map(name => [name, profileFields[name].example])))

test.each(PROFILE_FIELDS)('a profile without %s is complete only if the field is not asked for', name => {
  const without = { ...whole, [name]: null }
  expect(isComplete(whole)).toBe(true)
  expect(isComplete(without, { ...profileFields, [name]: { completes: true } })).toBe(false)
  expect(isComplete(without, { ...profileFields, [name]: { completes: false } })).toBe(true)
})

function normalForm<Name extends ProfileFieldName>(name: Name) {
  const { normalize, example } = profileField(name)
  return normalize(example)
}

test.each(PROFILE_FIELDS)('the example of %s is in its normal form, and its schemas accept it', name => {
  const { example, input, plain } = profileField(name)
  expect<unknown>(normalForm(name)).toBe(example)
  for (const schema of [input(name), plain]) expect(isValid(schema, example)).toBe(true)
})
