/** Where databases of tests are. */
import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory, where a commit waits for no disk. */
const MEMORY = '/dev/shm'
/** Containers may have 64 MB there. */
const MIN_FREE_BYTES = 1_000_000_000

/** A new folder, in memory if there is room. Tests of disks and of power cuts choose theirs. */
export const newDatabaseFolder = (): string => mkdtempSync(join(parent(), 'matchday-test-'))

let found: string | undefined

function parent(): string {
  found ??= hasRoom() ? MEMORY : tmpdir()
  return found
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > MIN_FREE_BYTES
  } catch {
    return false
  }
}
