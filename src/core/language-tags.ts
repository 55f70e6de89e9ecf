/** Language tags (BCP 47), and the choice by them. */
import { attempt } from './attempt.ts'

/** The lookup of RFC 4647: the canonical tag, then ever shorter ones, such as pt-BR, pt. Empty for what is not a tag. */
export function fallbacksOf(range: string): string[] {
  const [canonical] = attempt(() => Intl.getCanonicalLocales(range)) ?? []
  if (canonical === undefined) return []
  const tags: string[] = []
  for (let subtags = canonical.split('-'); subtags.length > 0; subtags = subtags.slice(0, -1))
    // A single letter introduces the subtag after it.
    if (subtags.length === 1 || (subtags.at(-1)?.length ?? 0) > 1) tags.push(subtags.join('-'))
  return tags
}

/** Chooses the words of the first preference that has some, otherwise the first ones. */
export function chooserOf<Words extends { lang: string }>(first: Words, ...others: Words[]) {
  const all = new Map([first, ...others].map(words => [words.lang, words]))
  return (preferences: readonly string[]): Words => preferences.flatMap(tag => all.get(tag) ?? [])[0] ?? first
}
