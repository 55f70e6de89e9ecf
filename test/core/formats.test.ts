/** Formats that schemas hold themselves. */
import { expect, test } from 'bun:test'
import { errorsOf, Formatted, isValid, registerFormats } from '../../src/core/formats.ts'
import { Closed, Instant, InstantInput } from '../../src/core/schemas.ts'
import { Type } from '../../src/core/typebox.ts'

const isEven = (value: string) => Number(value) % 2 === 0
const Even = Formatted('test-even', isEven, {})

test('A schema is validated with the formats of its members, at any depth', () => {
  const schema = Closed({ list: Type.Array(Type.Optional(Type.Union([Even, Type.Null()]))) })
  expect(isValid(schema, { list: ['2', null] })).toBe(true)
  expect(isValid(schema, { list: ['3'] })).toBe(false)
  expect([...errorsOf(schema, { list: ['2', '3'] })].map(({ path }) => path)).toEqual(['/list/1'])
})

test('Instants have the format of our schemas, not that of a library', () => {
  const schema = Closed({ at: Instant('When.'), given: InstantInput('When.') })
  const given = '2026-11-01T02:00:00+02:00'
  expect(isValid(schema, { at: '2026-11-01T00:00:00.000Z', given })).toBe(true)
  expect(isValid(schema, { at: given, given })).toBe(false)
  expect(isValid(schema, { at: '2026-02-30T00:00:00.000Z', given })).toBe(false)
})

test('Two formats with one name are refused', () => {
  registerFormats(Even)
  expect(() => registerFormats(Formatted('test-even', () => true, {}))).toThrow('test-even')
})
