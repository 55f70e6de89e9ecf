/** Language preferences as tags that can be looked up: RFC 9110 §12.5.4, RFC 4647 §3.4. */
import { LRUCache } from 'lru-cache'
import { fallbacksOf } from '../../../core/language-tags.ts'

/** Further ranges, and a longer header, are ignored: browsers send a few languages. */
const MAX_RANGES = 20
const MAX_LENGTH = 1_000

/** A range with its weight, which is 1 by default; `*` names no language. */
const RANGE = /^([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

const known = new LRUCache<string, readonly string[]>({ max: 1_000 })

/**
 * The tags to look up, the most preferred first: those of `asked`, then of the header. Equal preferences are
 * one array, which is the key of cached renderings.
 */
export function preferredLanguages(
  asked: (string | null | undefined)[],
  header: string | null,
): readonly string[] {
  const accepted = header === null || header.length > MAX_LENGTH ? '' : header
  const name = `${asked.join(' ')}\n${accepted}`
  const kept = known.get(name)
  if (kept) return kept
  const tags = [...new Set([...asked.flatMap(tag => fallbacksOf(tag ?? '')), ...acceptedLanguages(accepted)])]
  known.set(name, tags)
  return tags
}

/** What is not a language range is ignored. */
function acceptedLanguages(header: string): string[] {
  const ranges = header
    .split(',', MAX_RANGES)
    .flatMap(item => {
      const [, tag, weight = '1'] = RANGE.exec(item.trim()) ?? []
      return tag !== undefined && Number(weight) > 0 ? [{ tag, weight: Number(weight) }] : []
    })
    .toSorted((a, b) => b.weight - a.weight)
  return ranges.flatMap(({ tag }) => fallbacksOf(tag))
}
