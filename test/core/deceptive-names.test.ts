import { expect, test } from 'bun:test'
import { isDeceptive, plainName } from '../../src/core/name-text.ts'

test.each([
  'Calebe',
  'José Conceição',
  'Zoë O’Brien-Łukasz',
  'Иван Петров',
  'Иван Liverpool',
  'Αθηνά',
  '田中 Taro',
  '김민수 FC',
  'محمد',
  'می‌خواهم',
  'क्‍ष',
  'Ana 👩‍👩‍👧 ❤️ 👍🏽',
  'Rose 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '1º lugar ™ …',
])('the name %j deceives nobody', name => {
  expect(isDeceptive(name)).toBe(false)
  expect(plainName(name)).toBe(name)
})

test.each([
  ['a Cyrillic letter in a Latin word', 'Cаlebe'],
  ['a Greek letter in a Latin word', 'Calebε'],
  ['a zero-width space', 'Cal\u200bebe'],
  ['a word joiner', 'Calebe\u2060'],
  ['a soft hyphen', 'Cale\u00adbe'],
  ['a joiner in a Latin word', 'Cal\u200debe'],
  ['a Hangul filler', 'Calebe\u3164'],
  ['mathematical letters', '𝓒𝓪𝓵𝓮𝓫𝓮'],
  ['full-width letters', 'Ｃａｌｅｂｅ'],
  ['tags that are of no flag', 'Calebe\u{e0041}'],
])('%s may pass for another name', (_, name) => expect(isDeceptive(name)).toBe(true))

test.each([
  ['Cal\u200bebe\u00ad', 'Calebe'],
  ['𝓒𝓪𝓵𝓮𝓫𝓮', 'Calebe'],
  ['Ｃａｌｅｂｅ', 'Calebe'],
])('%j is repaired', (name, plain) => expect(plainName(name)).toBe(plain))
