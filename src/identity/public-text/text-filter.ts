/** Finds words that do not belong into public text: those of a library for English, and those of the club. */
import { foldText } from '../../core/name-text.ts'
import type { Settings } from '../../platform/config/settings.ts'

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

export function createTextFilter({
  textFilter,
  textFilterList,
}: Pick<Settings, 'textFilter' | 'textFilterList'>): TextFilter | null {
  if (textFilter === 'off') return null
  const isAllowed = (word: string) => word.startsWith('!')
  const allowedWords = textFilterList.filter(isAllowed).map(word => word.slice(1).trim())
  const blockedWords = textFilterList.filter(word => !isAllowed(word))
  // Read only with a filter, and at once: a unit of work cannot wait for an import.
  const library: typeof import('obscenity') = require('obscenity')
  const { englishDataset, englishRecommendedTransformers, RegExpMatcher } = library
  const english = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers })
  const [blocked, allowed] = [
    wordsIn(blockedWords, 'u'),
    wordsIn([...SURNAMES_AND_PLACES, ...allowedWords], 'gu'),
  ]
  return {
    action: textFilter,
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
