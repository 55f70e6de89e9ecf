/**
 * The hashes of an item's provenance. They need neither database nor HTTP, so that everyone can recompute them. Each is the
 * SHA-256, in lower-case hex, of a JSON array without white space. First link: `[1, collectibleId, serialNumber, 1, source,
 * timestamp]`. Each further link: `[1, collectibleId, serialNumber, sequence, ref, ownerHash, timestamp, previousHash]`.
 * Owner: `[salt, userId]`.
 */
import type { Tables } from '../../../db/index.ts'
import { isValid } from '../../core/formats.ts'
import { sha256 } from './draw.ts'
import { Provenance } from './provenance-schema.ts'

const VERSION = 1

type Item = Tables['userItems']['$inferSelect']

interface Link {
  collectibleId: string
  serialNumber: number
  sequence: number
  ref: string
  ownerHash: string
  /** ISO 8601. */
  timestamp: string
  previousHash: string
}

interface Origin extends Pick<Link, 'collectibleId' | 'serialNumber' | 'timestamp'> {
  source: string
}

/**
 * `pack:ID:POSITION` for a drawn item (the proof has the pack's id), otherwise the cause of the gift, such as
 * `quest:ID:PERIOD`.
 */
export const sourceOf = ({ userPackId, position, givenFor }: Item): string =>
  userPackId === null ? (givenFor ?? '') : `pack:${userPackId}:${position}`

export const originHashOf = (item: Item): string =>
  hashOfOrigin({ ...item, source: sourceOf(item), timestamp: item.createdAt.toISOString() })

export function hashOfOrigin({ collectibleId, serialNumber, source, timestamp }: Origin): string {
  return sha256(JSON.stringify([VERSION, collectibleId, serialNumber, 1, source, timestamp]))
}

export const hashOfOwner = (salt: string, userId: string): string => sha256(JSON.stringify([salt, userId]))

export function hashOfLink(link: Link): string {
  const { collectibleId, serialNumber, sequence, ref, ownerHash, timestamp, previousHash } = link
  return sha256(
    JSON.stringify([VERSION, collectibleId, serialNumber, sequence, ref, ownerHash, timestamp, previousHash]),
  )
}

/** Recomputes the chain, offline. Null if it is valid, otherwise a description of its first error. */
export function findProvenanceFlaw(value: unknown): string | null {
  if (!isValid(Provenance, value)) return 'it is no provenance of this format'
  const { collectibleId, serialNumber, origin, transfers } = value
  const item = { collectibleId, serialNumber }
  if (hashOfOrigin({ ...item, source: origin.source, timestamp: origin.at }) !== origin.hash)
    return 'link 1 was changed'
  let previousHash = origin.hash
  for (const [index, { hash, at, ...link }] of transfers.entries()) {
    const sequence = index + 2
    if (link.sequence !== sequence) return `link ${sequence} is missing`
    if (link.previousHash !== previousHash) return `link ${sequence} does not follow the previous one`
    if (hashOfLink({ ...item, ...link, timestamp: at }) !== hash) return `link ${sequence} was changed`
    previousHash = hash
  }
  return null
}
