/** Language tags (BCP 47). */
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
