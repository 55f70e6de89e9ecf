/**
 * The number of commits on a database by all processes that use this file, in memory that they map. It shows without a
 * system call whether a read transaction is still current.
 */
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'

const BYTES = 4

export interface CommitCounter {
  /**
   * Changes with each commit whose caller has got a response. NaN, which is not equal to itself, if the processes share no
   * memory.
   */
  count(): number
  /** After each COMMIT and before its caller gets a response. */
  add(): void
}

/** Creates `PATH-commits`, which remains after the last close: another process may have mapped it. */
export function openCommitCounter(path: string): CommitCounter {
  try {
    const file = `${path}-commits`
    const descriptor = openSync(file, 'a', 0o600)
    try {
      // Writes the bytes instead of truncating to this length, so that a full disk fails here and not at a store to the
      // mapped memory.
      if (fstatSync(descriptor).size < BYTES) writeSync(descriptor, new Uint8Array(BYTES))
    } finally {
      closeSync(descriptor)
    }
    const shared = new Int32Array(Bun.mmap(file).buffer, 0, 1)
    // Not Atomics.load: JavaScriptCore compiles it to a store too, which waits while the file system is frozen.
    return { count: () => shared[0] ?? Number.NaN, add: () => void Atomics.add(shared, 0, 1) }
  } catch {
    // On Windows, in a directory without permission, or on a full disk.
    return { count: () => Number.NaN, add: () => {} }
  }
}
