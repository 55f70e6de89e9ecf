/** Rules for names of people, which clients show next to other text. */

/** Bidirectional control characters (UAX #9 §2) reorder the surrounding text. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** At least one visible character. */
const VISIBLE = /[^\p{C}\p{Z}]/u

export const isVisible = (text: string): boolean => VISIBLE.test(text)

/**
 * Invisible characters that no script and no emoji needs where they stand. Joiners stay between emoji and after letters of other
 * scripts than Latin, variation selectors after emoji, and tags in flags of regions, such as that of England.
 */
const INVISIBLE =
  /\u{1f3f4}[\u{e0020}-\u{e007f}]+|\p{Emoji}\ufe0f|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{L}\p{M}])(?<!\p{Script=Latin})[\u200c\u200d]|(\p{Default_Ignorable_Code_Point})/gu

const withoutInvisible = (text: string): string =>
  text.replace(INVISIBLE, (kept, invisible?: string) => (invisible === undefined ? kept : ''))

/** Letters of these scripts look like Latin ones. Words that mix them with Latin are no words of any language (UTS #39 §5.2). */
const LOOKALIKE =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u
const LATIN = /\p{Script=Latin}/u
const WORDS = /[\p{L}\p{M}\p{N}]+/gu
/** Forms of letters and digits that are written otherwise: `𝓒`, `Ｃ`, `ⓒ`. Ordinal and superior ones are text: `1º`. */
const STYLED = /[^\p{ASCII}ªº¹²³™℠№]/gu

/**
 * Whether a name may pass for another one: by characters that cannot be seen, by a word that mixes Latin letters with those
 * that look like them, or by styled forms of ASCII letters and digits, which Unicode's NFKC replaces.
 */
export function isDeceptive(text: string): boolean {
  if (withoutInvisible(text) !== text) return true
  if ((text.match(WORDS) ?? []).some(word => LATIN.test(word) && LOOKALIKE.test(word))) return true
  return (text.match(STYLED) ?? []).some(character => /^[a-z0-9]+$/i.test(character.normalize('NFKC')))
}

/** The text without what cannot be seen, and in plain letters and digits. */
export const plainName = (text: string): string =>
  withoutInvisible(text).replace(STYLED, character => {
    const plain = character.normalize('NFKC')
    return /^[a-z0-9]+$/i.test(plain) ? plain : character
  })

export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '')

/**
 * Whether two names may be those of one person: whoever writes a name again changes its case, accents, spaces and punctuation. Where a
 * rule needs two people, two of one name count as one.
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
