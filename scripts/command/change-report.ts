/**
 * A file of changes, one JSON document per line (NDJSON). With `flush` as `beforeCommit` of the batches, a line is on disk
 * before its change is committed, so that every change has a line, even after a crash. The next run appends, and repeats the
 * line of a change that was not committed.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { ofFile } from './explain.ts'

export interface ChangeReport {
  /** Synchronous: a unit of work awaits only its queries. */
  append(line: object): void
  /** Returns when all lines are on disk. */
  flush(): void
  close(): Promise<void>
}

/** Without a path, lines are discarded. The file has mode 0600, since lines contain personal data. */
export function openChangeReport(path: string | undefined): ChangeReport {
  if (path === undefined) return { append() {}, flush() {}, async close() {} }
  const file = ofFile(path, () => openSync(path, 'a', 0o600))
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
