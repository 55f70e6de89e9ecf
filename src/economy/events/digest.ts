/** A digest of the content of an event: the same content gives the same digest, in whatever order its members come. */
import { hash } from 'node:crypto'
import { canonicalJson } from '../../core/canonical-json.ts'

interface Content {
  type: string
  occurredAt: Date
  data: object
}

/** Of the short form: 132 bits. */
const SHORT_CHARACTERS = 22

/** SHA-256: its first characters in base64url, or all of it in lower-case hex. The fan is compared by id instead, since a fan can be named in two ways. */
export function digestOf({ type, occurredAt, data }: Content, form: 'short' | 'long'): string {
  const content = canonicalJson([type, occurredAt.getTime(), data])
  return form === 'short'
    ? hash('sha256', content, 'base64url').slice(0, SHORT_CHARACTERS)
    : hash('sha256', content, 'hex')
}

/** The digest of a content in the form of a stored one. */
export const digestLike = (stored: string | null, content: Content): string =>
  digestOf(content, stored?.length === SHORT_CHARACTERS ? 'short' : 'long')
