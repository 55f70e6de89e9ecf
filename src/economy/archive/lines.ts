/**
 * The lines of a fan in a file of the archive: first the seam before them, then entries and events, as JSON. A file is NDJSON, compressed by
 * gzip, with a line for each fan: the compressed lines, encrypted with a key of the fan, so that an erasure makes them unreadable.
 */
import { createCipheriv, createDecipheriv, hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { EventRow } from '../events/event.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'
import type { Seam } from '../points/seams.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
export const KEY_BYTES = 32

/** The seam before the lines, without the key. */
type PreviousSeam = Omit<Seam, 'key' | 'sealed'>

export interface FanLines {
  previous: PreviousSeam | null
  /** All entries since the previous seam, and earlier ones that are archived only now. */
  entries: ChainedEntry[]
  /** The ids of the entries that stay in the database. */
  kept: Set<string>
  events: EventRow[]
}

export function writeLines({ previous, entries, kept, events }: FanLines): string {
  const lines: object[] = [
    { seam: previous },
    ...entries.map(entry => (kept.has(entry.id) ? { entry, kept: true } : { entry })),
    ...events.map(event => ({ event })),
  ]
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}

type Line = { seam: PreviousSeam | null } | { entry: ChainedEntry; kept?: true } | { event: EventRow }

/** Guarantee of the casts: the lines have the digest of what `writeLines` wrote. JSON has times as texts. */
export function readLines(text: string): FanLines {
  const lines = text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Line]))
  const [first] = lines
  const previous = first && 'seam' in first ? first.seam : null
  const entries = lines.flatMap(line => ('entry' in line ? [line] : []))
  return {
    previous: previous && { ...previous, until: new Date(previous.until) },
    entries: entries.map(({ entry }) => ({ ...entry, createdAt: new Date(entry.createdAt) })),
    kept: new Set(entries.flatMap(({ entry, kept }) => (kept ? [entry.id] : []))),
    events: lines.flatMap(line => ('event' in line ? [eventOf(line.event)] : [])),
  }
}

const instantOf = (text: Date | null) => (text === null ? null : new Date(text))

const eventOf = (event: EventRow): EventRow => ({
  ...event,
  occurredAt: instantOf(event.occurredAt),
  recordedAt: new Date(event.recordedAt),
  voidedAt: instantOf(event.voidedAt),
})

export const digestOfLines = (text: string): string => hash('sha256', text, 'hex')

/** Binds the lines to their fan and file. */
const ownerOf = (file: string, userId: string) => Buffer.from(`${file} ${userId}`)

interface Place {
  file: string
  userId: string
  /** 32 bytes, in base64url. */
  key: string
}

/** The nonce of 12 bytes, the tag of 16, and the encrypted lines, in base64url. AES-256-GCM. */
export function encryptLines(text: string, { file, userId, key }: Place, nonce: Uint8Array): string {
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64url'), nonce)
  cipher.setAAD(ownerOf(file, userId))
  const encrypted = Buffer.concat([cipher.update(gzipSync(text)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Null if they were encrypted with another key, or changed. */
export function decryptLines(data: string, { file, userId, key }: Place): string | null {
  const bytes = Buffer.from(data, 'base64url')
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      Buffer.from(key, 'base64url'),
      bytes.subarray(0, NONCE_BYTES),
    )
    decipher.setAAD(ownerOf(file, userId)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
    return gunzipSync(Buffer.concat([text, decipher.final()])).toString('utf8')
  } catch {
    return null
  }
}
