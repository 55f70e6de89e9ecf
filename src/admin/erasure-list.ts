/**
 * The list of erasures: an append-only file outside of the database and its backups. A restored backup that is older than
 * an erasure contains the fan; the list is used to erase them again. It holds no personal data: a line is the fan's
 * tombstone, with a hash of provider and subject.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Database, Reader } from '../../db/index.ts'
import { listSessionOwners } from '../auth/native-sessions.ts'
import { eachFan } from '../core/pagination.ts'
import { deleteKeysOf, listKeyOwners } from '../http/idempotency/key-store.ts'
import { insertTombstone, listTombstones, type Tombstone } from '../users/tombstone.ts'
import { erasedSubject } from '../users/users.ts'
import { eraseUser } from './erase-user.ts'

export interface ErasureList {
  /** In the order of the file, each fan once. */
  tombstones: Tombstone[]
  /** Numbers of lines that cannot be parsed. A line that a crash truncated is of an erasure that was not committed. */
  unreadable: number[]
}

const ERASED = /^erased:[0-9a-f]{64}$/
const keyOf = ({ provider, subject }: Pick<Tombstone, 'provider' | 'subject'>) =>
  JSON.stringify([provider, subject])

/** Of a file that is not there: an empty list. */
export function readErasures(path: string): ErasureList {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const tombstones = new Map<string, Tombstone>()
  const unreadable: number[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '') continue
    const tombstone = parseLine(line)
    if (tombstone) tombstones.set(keyOf(tombstone), tombstone)
    else unreadable.push(at + 1)
  }
  return { tombstones: [...tombstones.values()], unreadable }
}

function parseLine(line: string): Tombstone | undefined {
  try {
    const { provider, subject, erasedAt } = JSON.parse(line)
    const at = new Date(erasedAt)
    const valid = typeof provider === 'string' && ERASED.test(subject) && !Number.isNaN(at.getTime())
    return valid ? { provider, subject, erasedAt: at } : undefined
  } catch {
    return undefined
  }
}

/** On return they are on the disk. Synchronous, for a unit of work awaits nothing but its queries. */
export function appendErasures(path: string, tombstones: Tombstone[]): void {
  if (tombstones.length === 0) return
  const file = openSync(path, 'a', 0o600)
  try {
    // Starts a new line, since a crash may have truncated the one before.
    const lines = tombstones.map(({ provider, subject, erasedAt }) => {
      return `\n${JSON.stringify({ provider, subject, erasedAt: erasedAt.toISOString() })}`
    })
    writeSync(file, `${lines.join('')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Appends the erasures of a database that the file does not have yet. Answers how many. */
export async function exportErasures(reader: Reader, path: string): Promise<number> {
  const known = new Set(readErasures(path).tombstones.map(keyOf))
  const missing: Tombstone[] = []
  for await (const { provider, subject, erasedAt } of listTombstones(reader)) {
    if (erasedAt && !known.has(keyOf({ provider, subject }))) missing.push({ provider, subject, erasedAt })
  }
  appendErasures(path, missing)
  return missing.length
}

export interface Reapplied {
  /** Fans of whom something was there, and was erased. */
  erased: number
  /** Tombstones that were made for fans of whom nothing was there. */
  tombstones: number
}

/** Erases every listed fan who is in the database, and inserts the tombstone of every other, so that they cannot sign in. */
export async function reapplyErasures(db: Database, tombstones: Tombstone[]): Promise<Reapplied> {
  const listed = new Map(tombstones.map(tombstone => [keyOf(tombstone), tombstone]))
  const there = new Set<string>()
  const back = new Map<string, { provider: string; subject: string }>()
  const { read } = db
  for (const names of [eachFan(read, read.tables.users), listSessionOwners(read), listKeyOwners(read)]) {
    for await (const name of names) {
      const { provider, subject } = name
      if (listed.has(keyOf(name))) there.add(keyOf(name))
      const tombstone = keyOf({ provider, subject: erasedSubject(name) })
      if (listed.has(tombstone)) back.set(tombstone, { provider, subject })
    }
  }
  for (const [key, fan] of back) {
    await db.write(async tx => {
      if (await eraseUser(tx, fan)) return
      // Nothing but responses stored under their keys.
      await deleteKeysOf(tx, fan)
      const tombstone = listed.get(key)
      if (tombstone) await insertTombstone(tx, tombstone)
    })
  }
  const absent = [...listed].filter(([key]) => !there.has(key) && !back.has(key))
  for (const [, tombstone] of absent) await db.write(tx => insertTombstone(tx, tombstone))
  return { erased: back.size, tombstones: absent.length }
}
