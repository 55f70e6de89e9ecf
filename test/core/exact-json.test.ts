/** Numbers that `JSON.parse` would round are found in the text, with their places. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findInexactNumbers } from '../../src/core/exact-json.ts'

const pointersIn = (text: string) => findInexactNumbers(text, 20).map(({ pointer }) => pointer)

describe('Numbers that are not exact', () => {
  test.each([
    ['an integer past 2^53-1', '{"a":9007199254740993}', ['/a']],
    ['an even one, which others are rounded to', '{"a":9007199254740992}', ['/a']],
    ['a negative one', '[-9007199254740993]', ['/0']],
    [
      'one of many digits within names that need escapes',
      '[1,{"x/y~":[0,123456789012345678]}]',
      ['/1/x~1y~0/1'],
    ],
    ['more digits than a double has', '{"a":0.1234567890123456789}', ['/a']],
    ['a number that becomes infinite', '{"a":1e400}', ['/a']],
    ['a number that becomes zero', '{"a":1e-400}', ['/a']],
    ['behind a quote that is escaped', '{"k":"a\\"b,","z":{"q":12345678901234567}}', ['/z/q']],
    ['behind a backslash that is escaped', '{"k":"\\\\","q":12345678901234567}', ['/q']],
    ['in the second of two members', '{"a":{"b":"c"},"d":12345678901234567}', ['/d']],
    ['several', '[12345678901234567,1,{"a":12345678901234567}]', ['/0', '/2/a']],
  ])('%s', (_, text, pointers) => {
    expect(pointersIn(text)).toEqual(pointers)
  })

  test.each([
    ['the largest integer', '{"a":9007199254740991,"b":-9007199254740991}'],
    ['digits in a string and in a name', '{"12345678901234567":"12345678901234567"}'],
    [
      'what a double is written as',
      '{"a":0.30000000000000004,"b":1.7976931348623157e308,"c":5e-324,"d":1e22}',
    ],
    ['zeros that change nothing', '{"a":1.50000000000000000000,"b":0.0000000000000000,"c":1000e-3}'],
  ])('but not %s', (_, text) => {
    expect(pointersIn(text)).toEqual([])
  })

  test('are refused with the advice to write a long id as a string', () => {
    expect(findInexactNumbers('{"id":123456789012345678}', 1)[0]?.message).toContain('as a string')
  })

  test('do not occur in documents that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value)
        const isSafe = !/\d{16}/.test(text) || JSON.stringify(JSON.parse(text)) === text
        const integers = findInexactNumbers(text, 20).every(({ message }) => message.includes('integer'))
        expect(isSafe && integers).toBe(true)
      }),
    )
  })
})
