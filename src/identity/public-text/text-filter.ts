/** Finds words that do not belong into public text: those of a library for English, and those of the club. */
import { foldText } from '../../core/name-text.ts'
import type { PublicTextConfig } from '../../platform/config/public-text.ts'

export interface TextFilter {
  /** What happens to a write of such a text: it is refused, or moderators get a report. */
  action: 'block' | 'flag'
  matches(text: string): boolean
}

/** Names in which the library finds a forbidden word. */
const SURNAMES_AND_PLACES = [
  'Dickens',
  'Dickenson',
  'Dickerson',
  'Dickie',
  'Dickinson',
  'Dickson',
  'Penistone',
]

/** The library is loaded only here: without a filter it is not read. */
export async function createTextFilter(
  config: Pick<PublicTextConfig, 'filter' | 'blockedWords' | 'allowedWords'>,
): Promise<TextFilter | null> {
  const { filter, blockedWords, allowedWords } = config
  if (filter === 'off') return null
  const { englishDataset, englishRecommendedTransformers, RegExpMatcher } = await import('obscenity')
  const english = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers })
  const [blocked, allowed] = [
    wordsIn(blockedWords, 'u'),
    wordsIn([...SURNAMES_AND_PLACES, ...allowedWords], 'gu'),
  ]
  return {
    action: filter,
    matches(text) {
      const folded = fold(text)
      const rest = allowed ? folded.replace(allowed, ' ') : folded
      return english.hasMatch(rest) || (blocked?.test(rest) ?? false)
    },
  }
}

/** Underscores separate words. */
const fold = (text: string) => foldText(text).replaceAll('_', ' ')

/** Matches whole words. Null without words. */
function wordsIn(words: string[], flags: 'u' | 'gu'): RegExp | null {
  if (words.length === 0) return null
  const any = words.map(word => fold(word).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, flags)
}
