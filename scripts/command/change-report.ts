/**
 * A file of changes, one JSON document a line (NDJSON). With `flush` as `beforeCommit` of the batches, a line is on disk
 * before the change that it tells of is committed: killed at any moment, no change goes without its line. A line whose
 * change did not come to be is followed by the same again when the command is run again: the file is appended to.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { fail } from './explain.ts'

export interface ChangeReport {
  /** Synchronous: a unit of work awaits nothing but its queries. */
  append(line: object): void
  /** All lines so far are on disk when it returns. */
  flush(): void
  close(): Promise<void>
}

/** Without a path, lines go nowhere. The file is for its owner alone: lines hold what fans wrote. */
export function openChangeReport(path: string | undefined): ChangeReport {
  if (path === undefined) return { append() {}, flush() {}, async close() {} }
  const file = openForAppend(path)
  return {
    append(line) {
      writeSync(file, `${JSON.stringify(line)}\n`)
    },
    flush: () => fsyncSync(file),
    async close() {
      fsyncSync(file)
      closeSync(file)
    },
  }
}

function openForAppend(path: string): number {
  try {
    return openSync(path, 'a', 0o600)
  } catch {
    return fail(`${path} cannot be written.`)
  }
}
