/** Rules for names of people, which clients show next to other text. */

import { lookOf } from './lookalikes.ts'

/** Bidirectional control characters (UAX #9 §2) reorder the surrounding text. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/**
 * At least one visible character. A combining mark needs a letter to be visible. The Braille pattern without dots and an empty notehead show
 * nothing, although Unicode counts them as symbols.
 */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u

export const isVisible = (text: string): boolean => VISIBLE.test(text)

/**
 * Invisible characters that no script and no emoji needs where they stand. Joiners stay between emoji and after letters of other
 * scripts than Latin, variation selectors after emoji, and tags in flags of regions, such as that of England.
 */
const INVISIBLE =
  /\u{1f3f4}[\u{e0020}-\u{e007f}]+|\p{Emoji}\ufe0f|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{L}\p{M}])(?<!\p{Script=Latin})[\u200c\u200d]|([\p{Default_Ignorable_Code_Point}\u2800\u{1d159}])/gu

const withoutInvisible = (text: string): string =>
  text.replace(INVISIBLE, (kept, invisible?: string) => (invisible === undefined ? kept : ''))

/** Letters of these scripts look like each other's. Words that mix them are no words of any language (UTS #39 §5.2). */
const LOOKALIKES = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Lisu',
  'Canadian_Aboriginal',
].map(script => new RegExp(`\\p{Script=${script}}`, 'u'))
const WORDS = /[\p{L}\p{M}\p{N}]+/gu
/** Styled forms of letters and digits: `𝓒`, `Ｃ`, `ⓒ`. Ordinal and superscript forms are normal text: `1º`. */
const STYLED = /[^\p{ASCII}ªº¹²³™℠№]/gu

/**
 * Whether a name may pass for another one: by characters that cannot be seen, by a word that mixes letters of scripts that look alike, or by styled forms of ASCII letters and digits, which Unicode's NFKC replaces.
 */
export function isDeceptive(text: string): boolean {
  if (withoutInvisible(text) !== text) return true
  const words = text.match(WORDS) ?? []
  if (words.some(word => LOOKALIKES.filter(script => script.test(word)).length > 1)) return true
  return (text.match(STYLED) ?? []).some(character => /^[a-z0-9]+$/i.test(character.normalize('NFKC')))
}

/** The text without invisible characters and stacked marks, and with plain letters and digits. */
export const plainName = (text: string): string =>
  withoutStacks(
    withoutInvisible(text).replace(STYLED, character => {
      const plain = character.normalize('NFKC')
      return /^[a-z0-9]+$/i.test(plain) ? plain : character
    }),
  )

/**
 * How many marks a letter has at most, by the script of the marks, where none is composed with its letter. Burmese and Tibetan have
 * the most, Hebrew with points and accents up to five. Marks of no script are those of Latin, Greek and Cyrillic letters.
 */
const STACKS = [
  ['\\p{M}', 6],
  ['(?=\\p{M})\\p{Script_Extensions=Hebrew}', 5],
  ['(?=\\p{M})\\p{Script_Extensions=Arabic}', 4],
  ['(?=\\p{M})[\\p{Script=Thai}\\p{Script=Lao}]', 3],
  ['(?=\\p{M})(?![\\p{Script_Extensions=Arabic}\\p{Script_Extensions=Devanagari}])\\p{Script=Inherited}', 2],
].map(([mark, most]) => new RegExp(`((?:${mark}){${most}})(?:${mark})+`, 'gu'))
/** No language repeats a mark on a letter. A mark that occurs twice is tolerated as a typing error. */
const REPEATED_MARK = /(\p{M})\1{2,}/gu

/** Whether marks are stacked up, so that they cover the lines around them. */
export const isStacked = (text: string): boolean => withoutStacks(text) !== text

/** The text with no more marks than letters have in any language. */
export function withoutStacks(text: string): string {
  const composed = text.normalize('NFC')
  const plain = STACKS.reduce(
    (left, stack) => left.replace(stack, '$1'),
    composed.replace(REPEATED_MARK, '$1$1'),
  )
  // Other marks may compose now, or be next to each other.
  return plain === composed ? text : withoutStacks(plain)
}

/**
 * The same for texts that look alike: look-alikes of other scripts, capitals, accents, spaces, punctuation, and digits in place of letters
 * make no difference. Only for comparisons with reserved names, not for display.
 */
export const lookOfName = (name: string): string =>
  looksOf(looksOf(name.normalize('NFC')).normalize('NFKD'))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/[0134578l]/g, digit => LEET[digit] ?? digit)
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** The plain letter of a composed one is looked up as well: this is done before and after a decomposition. */
const looksOf = (text: string): string => [...text].map(lookOf).join('')

const LEET: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', l: 'i' }

export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '')

/**
 * Whether two names can belong to the same person: people write the same name with different case, accents,
 * spaces and punctuation. For a rule that needs two people, two equal names count as one person.
 */
export const isSameName = (one: string, other: string): boolean => nameKey(one) === nameKey(other)

/** The same for all names of which `isSameName` holds. */
export const nameKey = (name: string): string => foldText(name).replace(/[^\p{L}\p{N}]+/gu, '') || name

/** For comparisons: case, accents, invisible characters and compatibility forms make no difference. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
