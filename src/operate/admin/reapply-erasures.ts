/** Synchronizes a database with the list of erasures: adds missing erasures to the list, and erases listed fans again. */
import type { Database, Reader } from '../../../db/index.ts'
import { eachFan } from '../../core/pagination.ts'
import { eraseUser } from '../../fan/account/erase-user.ts'
import { appendErasures, keyOf, readErasures } from '../../fan/account/erasure-list.ts'
import { listSessionOwners } from '../../identity/auth/native-sessions.ts'
import { insertTombstone, listTombstones, type Tombstone } from '../../identity/users/tombstone.ts'
import { erasedSubject } from '../../identity/users/users.ts'
import { deleteKeysOf, listKeyOwners } from '../../platform/http/idempotency/key-store.ts'

/** Appends the erasures of a database that the file does not have yet. Returns how many. */
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
  /** Fans with stored data, which was erased. */
  erased: number
  /** Tombstones that were made for fans without stored data. */
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
      // The fan may only have responses stored under idempotency keys.
      await deleteKeysOf(tx, fan)
      const tombstone = listed.get(key)
      if (tombstone) await insertTombstone(tx, tombstone)
    })
  }
  const absent = [...listed].filter(([key]) => !there.has(key) && !back.has(key))
  for (const [, tombstone] of absent) await db.write(tx => insertTombstone(tx, tombstone))
  return { erased: back.size, tombstones: absent.length }
}
