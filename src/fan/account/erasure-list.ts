/**
 * The list of erasures: an append-only file outside of the database and its backups. A restored backup that is older than
 * an erasure contains the fan; the list is used to erase them again. It holds no personal data: a line is the fan's
 * tombstone, with a hash of provider and subject.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { attempt } from '../../core/attempt.ts'
import type { Tombstone } from '../../identity/users/tombstone.ts'

export interface ErasureList {
  /** In the order of the file, each fan once. */
  tombstones: Tombstone[]
  /** Numbers of lines that cannot be parsed. A line that a crash truncated is of an erasure that was not committed. */
  unreadable: number[]
}

const ERASED = /^erased:[0-9a-f]{64}$/
/** Identifies the fan of a tombstone. */
export const keyOf = ({ provider, subject }: Pick<Tombstone, 'provider' | 'subject'>) =>
  JSON.stringify([provider, subject])

/** An empty list if the file does not exist. */
export function readErasures(path: string): ErasureList {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const tombstones = new Map<string, Tombstone>()
  const unreadable: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    const tombstone = parseLine(line)
    if (tombstone) tombstones.set(keyOf(tombstone), tombstone)
    else unreadable.push(index + 1)
  }
  return { tombstones: [...tombstones.values()], unreadable }
}

function parseLine(line: string): Tombstone | undefined {
  const { provider, subject, erasedAt } = attempt(() => JSON.parse(line)) ?? {}
  const at = new Date(erasedAt)
  const valid = typeof provider === 'string' && ERASED.test(subject) && !Number.isNaN(at.getTime())
  return valid ? { provider, subject, erasedAt: at } : undefined
}

/** Syncs the file to disk before it returns. Synchronous, because a unit of work awaits only its queries. */
export function appendErasures(path: string, tombstones: Tombstone[]): void {
  if (tombstones.length === 0) return
  const file = openSync(path, 'a', 0o600)
  try {
    // Starts a new line, since a crash may have truncated the previous one.
    const lines = tombstones.map(({ provider, subject, erasedAt }) => {
      return `\n${JSON.stringify({ provider, subject, erasedAt: erasedAt.toISOString() })}`
    })
    writeSync(file, `${lines.join('')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
