import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import data from 'unhomoglyph/data.json'
import {
  isDeceptive,
  isStacked,
  isVisible,
  lookOfName,
  plainName,
  withoutStacks,
} from '../../src/core/name-text.ts'

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
  ['a Braille pattern without dots', 'Calebe\u2800'],
  ['a Greek letter in a Cyrillic word', 'Αдмін'],
  ['a Cherokee letter in a Latin word', 'Ꮯalebe'],
  ['a Canadian syllable in a Latin word', 'ᑕalebe'],
])('%s may pass for another name', (_, name) => expect(isDeceptive(name)).toBe(true))

test.each([
  ['Cal\u200bebe\u00ad', 'Calebe'],
  ['𝓒𝓪𝓵𝓮𝓫𝓮', 'Calebe'],
  ['Ｃａｌｅｂｅ', 'Calebe'],
])('%j is repaired', (name, plain) => expect(plainName(name)).toBe(plain))

test.each([
  '\u2800',
  '\u{1d159}',
  '\u3164',
  '\uffa0',
  '\u115f',
  '\u034f',
  '\u0301',
  '\u17b4',
  '\ufe0f',
  '\u200b',
  '\u00ad',
  '\u3000',
])('%j shows nothing', text => expect([text, `${text} ${text}`].map(isVisible)).toEqual([false, false]))

test.each(['.', '⠁', '🏟️', 'é', 'e\u0301', 'ก็', '1️⃣'])('%j shows something', text =>
  expect(isVisible(text)).toBe(true),
)

describe('Marks', () => {
  test.each([
    ['Vietnamese, decomposed', 'Nguyễn Thị Diễm Quỳnh'.normalize('NFD')],
    ['Polytonic Greek, decomposed', 'ᾌδης Ὄλυμπος'.normalize('NFD')],
    ['Yoruba', 'Ọ\u0300lá Adébáyọ\u0300'],
    ['Navajo', 'Naabeehó Bináhásdzo, Dǫ́ǫ́ʼ'],
    ['Lithuanian accents', 'Jõ̃nas, lãbas rýtas, mė̃nuo'],
    ['Thai', 'น้ำผึ้ง ที่รัก ปิ่น'],
    ['Thai, with a mark typed twice', 'กิ\u0e34ตติกร'],
    ['Lao', 'ແມ່ນ້ຳ ຫຼື້ອ'],
    ['Hebrew with points', 'שָׁלוֹם בְּרָכָה יְרוּשָׁלַ͏ִם'],
    ['Hebrew with cantillation', 'בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים וַיִּֽׁ֗קְר'],
    ['Arabic with vowels', 'مُحَمَّدٌ ٱللَّٰهُمَّ'],
    ['Persian', 'عَلیرِضا'],
    ['Hindi', 'श्रीमती लड़ोंं'.slice(0, -1)],
    ['Vedic accents', 'अ॒ग्निमी॑ळे पु॒रोहि॑तं'],
    ['Bengali', 'শ্রীঁকৃষ্ণ'],
    ['Tamil, decomposed', 'கௌதமி'.normalize('NFD')],
    ['Kannada, decomposed', 'ಸೋಂಕು'.normalize('NFD')],
    ['Malayalam', 'ശ്രീജിത്ത്'],
    ['Sinhala', 'ප්‍රේමදාස'],
    ['Burmese', 'လျှော့ မျှော်လင့် ကျွန်ုပ်'],
    ['Khmer', 'ខ្ញុំ ព្រះសីហនុ'],
    ['Tibetan', 'བསྒྲུབས་ ཧཱུྃ་ རྒྱལ་མཚན་'],
    ['Javanese', 'ꦥꦿꦱꦗꦸ'],
    ['emoji', '1️⃣ ❤️‍🔥 👩🏽‍🚀'],
    ['Japanese sounds', 'か゚ら'],
  ])('of %s are as many as the language has', (_, name) => {
    expect(isStacked(name)).toBe(false)
    expect(withoutStacks(name)).toBe(name)
  })

  test.each([
    ['over Latin letters', 'Z͑ͫ̓ͪ̂ͫ̽a̴̵̜̰͔ͫ͗͢l̶̡̢g̷̛o'],
    ['the same mark again and again', 'ก็็็็'],
    ['of Thai in turns', 'ก็้็้็้็้'],
    ['of Arabic', 'م\u064b\u064c\u064d\u064e\u064f'],
    ['of Hebrew', 'א\u0591\u0592\u0593\u0594\u0595\u0596'],
    ['of Tibetan', 'ཀ\u0f90\u0f91\u0f92\u0f93\u0f94\u0f95\u0f96'],
    ['that enclose', 'a\u20dd\u20de\u20df'],
    ['of several scripts', 'a\u0300\u0301\u0317\u0e47\u0e48\u0e49\u064b\u064c'],
  ])('%s are stacked', (_, name) => {
    expect(isStacked(name)).toBe(true)
    const plain = withoutStacks(name)
    expect([isStacked(plain), isVisible(plain)]).toEqual([false, true])
    expect(plainName(name)).toBe(plain)
  })

  test('are never stacked after a repair', () => {
    const marks = fc.constantFrom(
      ...'\u0300\u0301\u0327\u0338\u20dd\u0e47\u0e49\u064b\u0651\u05b0\u0591\u0f90\u0f74\u093c\u0951\u103b\ufe0f',
    )
    const letters = fc.constantFrom(...'aeкกمאཀकက ')
    const text = fc.string({ unit: fc.oneof({ weight: 5, arbitrary: marks }, letters), maxLength: 40 })
    fc.assert(
      fc.property(text, name => !isStacked(withoutStacks(name))),
      { numRuns: 2_000 },
    )
  })
})

describe('The look of a name', () => {
  test.each([
    [
      'admin',
      [
        'Admin',
        'ADMİN',
        'ádmín',
        'a.d_m i-n',
        'adm1n',
        '4dmin',
        'ａｄｍｉｎ',
        '𝓪𝓭𝓶𝓲𝓷',
        'ᴀᴅᴍɪɴ',
        '🅰🅳🅼🅸🅽',
        'аԁⅿіո',
        'ꓮꓓꓟꓲꓠ',
        'ad\u200bmin',
      ],
    ],
    ['support', ['Supp0rt', '5upport', 'ꓢꓴꓑꓑꓳꓣꓔ', 'ѕսрроꭇт']],
    ['moderator', ['rnoderator', 'Мо\u0501егаτοг']],
    ['Ελλάδα', ['ελλαδα']],
  ])('%s is that of each of %j', (name, others) => {
    expect(others.map(lookOfName)).toEqual(others.map(() => lookOfName(name)))
  })

  test.each(['Ada', 'Иван', 'Αθηνά', 'admiral', 'supporter', 'सहायता', '🏟️'])('%s looks different', name => {
    expect(['admin', 'support', 'moderator'].map(lookOfName)).not.toContain(lookOfName(name))
  })

  test('follows the confusables of Unicode', () => {
    // Letters that look like a letter or digit of ASCII; without marks, which no look has.
    const confusables = Object.entries(data).filter(
      ([from, to]) => /^(?!\p{ASCII})[\p{L}\p{N}]$/u.test(from) && /^[a-z0-9]\p{M}*$/iu.test(to),
    )
    expect(confusables.length).toBeGreaterThan(1_000)
    const others = confusables.filter(([from, to]) => lookOfName(from) !== lookOfName(to))
    expect(others).toEqual([])
  })
})
