/** A digest of the content of an event: the same content gives the same digest, in whatever order its members come. */
import { hash } from 'node:crypto'
import { canonicalJson } from '../../core/canonical-json.ts'

interface Content {
  type: string
  occurredAt: Date
  data: object
}

/** SHA-256 in lower-case hex. The fan is compared by id instead, since a fan can be named in two ways. */
export const digestOf = ({ type, occurredAt, data }: Content) =>
  hash('sha256', canonicalJson([type, occurredAt.getTime(), data]), 'hex')
