import { expect, test } from 'bun:test'
import { isComplete, OWN_FIELDS, ownFields } from '../../../src/identity/users/users.ts'

const text = {
  ...{
    displayName: 'Ana',
    handle: 'ana',
    avatarUrl: 'https://images.example.com/ana.png',
    bio: 'North stand.',
  },
  ...{ country: 'PT', locale: 'pt-PT', favoriteTeamId: 'harbour-city' },
}

test.each(OWN_FIELDS)('a profile without %s is complete only if the field is not asked for', name => {
  const without = { ...text, [name]: null }
  expect(isComplete(text)).toBe(true)
  expect(isComplete(without, { ...ownFields, [name]: { completes: true } })).toBe(false)
  expect(isComplete(without, { ...ownFields, [name]: { completes: false } })).toBe(true)
})
