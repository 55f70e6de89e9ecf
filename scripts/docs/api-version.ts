/** The version of the OpenAPI document, which increases with each change of requests or responses. */
import { hash } from 'node:crypto'

/** Relative to the root of the repository. */
export const API_VERSION = 'src/platform/docs/api-version.json'

export interface ApiVersion {
  version: string
  /** Hash of `surfaceOf`. */
  surface: string
}

/** The version for this document: the previous one, or the next one after a change. */
export function versionFor(document: object, before: ApiVersion): ApiVersion {
  const surface = hash('sha256', JSON.stringify(surfaceOf(document)), 'hex')
  if (surface === before.surface) return before
  const [major = '', minor = ''] = before.version.split('.')
  return { version: `${major}.${Number(minor) + 1}.0`, surface }
}

/** Operations, members, types, limits and statuses, without descriptions, examples and order. */
function surfaceOf(document: object): unknown {
  const { info: _, servers: __, tags: ___, ...described } = document as Record<string, unknown>
  return withoutWords(described, '')
}

const WORDS = new Set(['description', 'summary', 'title', 'tags', 'example', 'examples', 'externalDocs'])

function withoutWords(node: unknown, parent: string): unknown {
  if (Array.isArray(node)) return node.map(item => withoutWords(item, ''))
  if (typeof node !== 'object' || node === null) return node
  // Below these, keys are names: a member may be called `title`.
  const isNames = parent === 'properties' || parent === 'schemas'
  const kept = Object.entries(node).filter(([key]) => isNames || !WORDS.has(key))
  return Object.fromEntries(
    kept
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, withoutWords(value, isNames ? '' : key)]),
  )
}
