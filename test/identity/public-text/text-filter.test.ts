import { describe, expect, test } from 'bun:test'
import { createTextFilter } from '../../../src/identity/public-text/text-filter.ts'

const filterOf = (...textFilterList: string[]) => {
  const filter = createTextFilter({ textFilter: 'block', textFilterList })
  if (!filter) throw new Error('a filter that is on')
  return filter
}

test('a filter that is off does not exist', () => {
  expect(createTextFilter({ textFilter: 'off', textFilterList: ['rival'] })).toBeNull()
})

describe('The filter', () => {
  test.each([
    'fuck',
    'F.u.c.k'.replaceAll('.', ''),
    'fuuuuck',
    'sh1t',
    'you_shit_99',
    'f\u200buck',
    'ｆｕｃｋ',
    'fúck',
  ])('finds %j', text => expect(filterOf().matches(text)).toBe(true))

  test.each([
    'Scunthorpe United',
    'Arsenal',
    'Penistone',
    'Essex, Sussex and Middlesex',
    'class of 92',
    'Dickinson',
    'a great assist',
  ])('passes %j', text => expect(filterOf().matches(text)).toBe(false))

  test("finds the club's own words as whole words, in any script, case and accent", () => {
    const filter = filterOf('Summit', 'сволочь', 'a+b', 'rival fan')
    for (const text of [
      'summit',
      'SÚMMIT!',
      'old_summit',
      'ты сволочь',
      'a+b',
      'my Rival  fan'.replace('  ', ' '),
    ])
      expect([text, filter.matches(text)]).toEqual([text, true])
    for (const text of ['summits', 'aab', 'сволочью', 'rival'])
      expect([text, filter.matches(text)]).toEqual([text, false])
  })

  test('passes words that the club allows, each time', () => {
    const filter = filterOf('! cock')
    expect(filterOf().matches('cock')).toBe(true)
    for (const text of ['cock', 'cock and cock', 'cock']) expect(filter.matches(text)).toBe(false)
    expect(filter.matches('cock fuck')).toBe(true)
  })
})
