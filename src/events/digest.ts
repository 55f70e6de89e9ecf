/** A digest of the content of an event: the same content gives the same digest, in whatever order its members come. */
import { hash } from 'node:crypto'
import type { NewEvent } from './event.ts'

/** SHA-256 in lower-case hex. The fan is compared by id instead, since a fan can be named in two ways. */
export const digestOf = ({ type, occurredAt, data }: Pick<NewEvent, 'type' | 'occurredAt' | 'data'>) =>
  hash('sha256', JSON.stringify([type, occurredAt.getTime(), data], sortMembers), 'hex')

const sortMembers = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value
