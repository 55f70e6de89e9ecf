/** Cells of spreadsheets: read when they have one meaning, and refused when they have none or two. */
import { expect, test } from 'bun:test'
import {
  type Dialect,
  readBoolean,
  readCell,
  readInteger,
  readNumber,
} from '../../../src/platform/files/cells.ts'

const COMMA: Dialect = { delimiter: ',' }
const SEMICOLON: Dialect = { delimiter: ';' }
const valueIn = (cell: object) => ('value' in cell ? cell.value : 'refused')

test.each([
  ['500', 500, 500],
  ['500.00', 500, 500],
  ['500 ', 500, 500],
  ['\u00a0500', 500, 500],
  ['0500', 500, 500],
  ['+500', 500, 500],
  ['-0', 0, 0],
  ['-12.5', -12.5, -12.5],
  ['1 234.5', 1234.5, 1234.5],
  ['12,50', 'refused', 12.5],
  ['1,234', 'refused', 'refused'],
  ['1.234', 1.234, 'refused'],
  ['-123.456', -123.456, 'refused'],
  ['0.125', 0.125, 0.125],
  ['0,125', 'refused', 0.125],
  ['1234.567', 1234.567, 1234.567],
  ['1234,567', 'refused', 1234.567],
  ['1.234,50', 'refused', 'refused'],
  ['1,234.50', 'refused', 'refused'],
  ["1'234", 'refused', 'refused'],
  ['5e2', 'refused', 'refused'],
  ['1.23457E+15', 'refused', 'refused'],
  ['0x10', 'refused', 'refused'],
  ['', 'refused', 'refused'],
  ['.5', 'refused', 'refused'],
  ['12€', 'refused', 'refused'],
  ['999999999999999', 999999999999999, 999999999999999],
  ['9999999999999999', 'refused', 'refused'],
])('the number %p is %p between commas and %p between semicolons', (cell, comma, semicolon) => {
  expect([readNumber(cell, COMMA), readNumber(cell, SEMICOLON)].map(valueIn)).toEqual([comma, semicolon])
})

test.each([
  ['500.00', 500],
  ['12.5', 'refused'],
])('the whole number %p is %p', (cell, value) => {
  expect(valueIn(readInteger(cell, COMMA))).toBe(value)
})

test.each([
  ['TRUE', true],
  [' false ', false],
  ['1', 'refused'],
  ['yes', 'refused'],
])('the boolean %p is %p', (cell, value) => {
  expect(valueIn(readBoolean(cell))).toBe(value)
})

test.each(['4,71E+11', '1.23457E+15', '5E+12', '-1E+20'])(
  'text that a spreadsheet has shortened to %p is refused',
  cell => {
    for (const types of [['text'], []] as const) expect(valueIn(readCell(cell, types, COMMA))).toBe('refused')
  },
)

test('text is not changed, even if it looks like a number', () => {
  for (const cell of ['007', '+351912345678', ' x ', '1e3'])
    expect(readCell(cell, ['text'], COMMA)).toEqual({ value: cell })
})

test.each([
  ['1.234', 1.234, 'refused'],
  ['1,234', 'refused', 1.234],
  ['12,5', 'refused', 12.5],
  ['12.5', 12.5, 'refused'],
  ['1.234,50', 'refused', 'refused'],
])('a stated decimal sign decides the value of %p', (cell, point, comma) => {
  for (const dialect of [COMMA, SEMICOLON])
    expect(
      (['point', 'comma'] as const).map(decimal => valueIn(readNumber(cell, { ...dialect, decimal }))),
    ).toEqual([point, comma])
})

test('a cell that is read in two types is refused', () => {
  for (const cell of ['7', 'north'])
    expect(readCell(cell, ['number', 'text'], COMMA)).toEqual({
      message: 'is read as number and as text by rules or quests: state its type (--column)',
    })
})
