/** CSV in spreadsheets: with any locale and separator, no part of a text runs as a formula. */
import { expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvLine } from '../../src/core/csv.ts'

const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠']

test.each([
  ['=1+1', "'=1+1"],
  ['+351 220', "'+351 220"],
  ['-1', "'-1"],
  ['@cmd', "'@cmd"],
  ['＝1+1', "'＝1+1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠cmd', "'＠cmd"],
  [' =1', "' =1"],
  ['"=1', `"'""=1"`],
  ['\t1', `"'\t1"`],
  ['\r1', `"'\r1"`],
  ['\n1', `"'\n1"`],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  ['a;=1', `"a;'=1"`],
  ['a;"=1', `"a;'""=1"`],
  ['a\n-1', `"a\n'-1"`],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['plain = text', 'plain = text'],
  ['{"points":-5}', '"{""points"":-5}"'],
  ["it's", "it's"],
  [-5, '-5'],
  [null, ''],
  [undefined, ''],
])('a cell of %j is written as %j', (value, cell) => {
  expect(csvLine(['a', value, 'b'])).toBe(`a,${cell},b\r\n`)
})

const dangerous = fc.array(fc.constantFrom(...SIGNS, ';', '\t', '\r', '\n', ',', '"', ' ', "'", 'a', '1'), {
  maxLength: 12,
})
const texts = fc.array(
  dangerous.map(parts => parts.join('')),
  { minLength: 1, maxLength: 4 },
)
/** As a spreadsheet shows a cell: without what it trims. */
const startsFormula = (cell: string) => SIGNS.some(sign => cell.trimStart().startsWith(sign))

test('is read back with commas, with an apostrophe before a possible formula', () => {
  fc.assert(
    fc.property(texts, cells => {
      const [read, ...others] = parse(csvLine(cells), { record_delimiter: '\r\n' }) as string[][]
      expect(others).toEqual([])
      expect(read?.filter(startsFormula)).toEqual([])
      const plain = (all: string[]) => all.map(cell => cell.replaceAll("'", ''))
      expect(plain(read ?? [])).toEqual(plain(cells))
    }),
    { numRuns: 2_000 },
  )
})

test.each([';', '\t'])(
  'has no formula in a spreadsheet that splits at %j, whether or not it honours quotes',
  separator => {
    fc.assert(
      fc.property(texts, cells => {
        const split = csvLine(cells)
          .split(/[\r\n]/)
          .flatMap(row => row.split(separator))
        expect(split.map(cell => cell.replaceAll('"', '')).filter(startsFormula)).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  },
)
