import { expect, test } from 'bun:test'
import { generateFans } from '../../mock-idp/users/generate-fans.ts'

test('the same seed gives the same fans byte for byte', () => {
  expect(JSON.stringify(generateFans({ seed: 7, count: 120 }))).toBe(
    JSON.stringify(generateFans({ seed: 7, count: 120 })),
  )
})

test('a fan does not depend on the count', () => {
  const few = generateFans({ seed: 1, count: 50 })
  expect(JSON.stringify(generateFans({ seed: 1, count: 500 }).slice(0, 50))).toBe(JSON.stringify(few))
})

test('another seed gives other fans with the same ids', () => {
  const [one, two] = [generateFans({ seed: 1, count: 20 }), generateFans({ seed: 2, count: 20 })]
  expect(one.map(({ sub }) => sub)).toEqual(two.map(({ sub }) => sub))
  expect(one.map(({ name }) => name)).not.toEqual(two.map(({ name }) => name))
})

test('the usernames and emails of three thousand fans are unique', () => {
  const fans = generateFans({ seed: 3, count: 3000 })
  expect(new Set(fans.map(({ preferred_username }) => preferred_username)).size).toBe(fans.length)
  expect(new Set(fans.map(({ email }) => email)).size).toBe(fans.length)
})

test('every claim has the form that its standard requires', () => {
  for (const fan of generateFans({ seed: 1, count: 1000 })) {
    expect(fan.sub).toMatch(/^fan-\d{4}$/)
    expect(fan.preferred_username).toMatch(/^[a-z0-9_]{3,20}$/)
    expect(fan.email).toMatch(/^[a-z0-9]+(\.[a-z0-9]+)*@example\.(com|net|org)$/)
    expect(fan.name).toContain(fan.given_name)
    expect(fan.name).toContain(fan.family_name)
    expect(Intl.getCanonicalLocales(fan.locale)).toEqual([fan.locale])
    expect(() => new Intl.DateTimeFormat('en', { timeZone: fan.zoneinfo })).not.toThrow()
    expect(Number.isInteger(fan.updated_at)).toBe(true)
  }
})

test('the fans write in more than five scripts', () => {
  const names = generateFans({ seed: 1, count: 300 }).map(({ name }) => name)
  const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Han', 'Hangul', 'Georgian']
  for (const script of scripts)
    expect(names.some(name => new RegExp(`\\p{Script=${script}}`, 'u').test(name))).toBe(true)
})
