/** A digest of the content of an event: the same content gives the same digest, in whatever order its members come. */
import { hash } from 'node:crypto'
import { canonicalJson } from '../core/canonical-json.ts'
import type { NewEvent } from './event.ts'

/** SHA-256 in lower-case hex. The fan is compared by id instead, since a fan can be named in two ways. */
export const digestOf = ({ type, occurredAt, data }: Pick<NewEvent, 'type' | 'occurredAt' | 'data'>) =>
  hash('sha256', canonicalJson([type, occurredAt.getTime(), data]), 'hex')
