/** Acknowledged writes are on the disk. The kernel reports it, since the page cache survives a killed process. */
import { dlopen, ptr } from 'bun:ffi'
import { describe, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../db/migrate.ts'
import { openSqlite } from '../../db/sqlite/database.ts'
import { systemDisk } from '../../db/sqlite/wal.ts'
import { createClock } from '../support/clock.ts'
import { insertTeam } from './probe.ts'

/** The system call cachestat(2), since Linux 6.5. */
const SYS_CACHESTAT = 451

/** Dirty pages of a file; undefined where the kernel does not report them. */
function readDirtyPages(path: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  const { symbols, close } = dlopen('libc.so.6', {
    syscall: { args: ['i64', 'i64', 'ptr', 'ptr', 'i64'], returns: 'i64' },
  })
  const descriptor = openSync(path, 'r')
  const range = new BigUint64Array([0n, 0n])
  const found = new BigUint64Array(5)
  const result = symbols.syscall(SYS_CACHESTAT, descriptor, ptr(range), ptr(found), 0)
  closeSync(descriptor)
  close()
  return Number(result) === 0 ? Number((found[1] ?? 0n) + (found[2] ?? 0n)) : undefined
}

/** Whether the kernel reports an unflushed file as dirty. */
function canTell(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  const file = join(folder, 'unflushed')
  writeFileSync(file, 'x'.repeat(65_536))
  const dirty = readDirtyPages(file)
  rmSync(folder, { recursive: true })
  return dirty !== undefined && dirty > 0
}

describe.skipIf(!canTell())('An acknowledged write (needs cachestat(2) of Linux 6.5 and a disk)', () => {
  test.each([
    { how: 'with its disk work in threads', offloadDisk: true },
    { how: 'with its disk work in SQLite', offloadDisk: false },
  ])('has written all pages of the WAL, $how', async ({ offloadDisk }) => {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
    const path = join(folder, 'test.db')
    await migrate(`sqlite:${path}`)
    const db = openSqlite(path, createClock(), { offloadDisk })
    for (let n = 0; n < 5; n++) {
      await db.write(tx => insertTeam(tx, `durable-${n}`))
      expect(readDirtyPages(`${path}-wal`)).toBe(0)
    }
    await db.close()
    rmSync(folder, { recursive: true })
  })
})

test('the flush of the system disk is a system call that can fail', async () => {
  // EBADF: the descriptor is not open.
  await expect(systemDisk.flush(1_000_000)).rejects.toThrow('EBADF')
  await expect(systemDisk.waitUntilWritable(1_000_000)).rejects.toThrow('EBADF')
})
