/** Files that are expensive to make, in the temporary folder: made once for all test processes, and kept for later ones. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitUntil } from './wait-until.ts'

const HOUR_MS = 3_600_000

/**
 * The path of the file of this name. `key` holds all that it is made of; `make` writes it to a path. Waits while another
 * process makes the same. Files of the name that nothing has used for an hour are removed.
 */
export async function keptFile(
  name: string,
  key: string,
  make: (path: string) => Promise<void>,
): Promise<string> {
  const prefix = `matchday-${name}-`
  const hash = new Bun.CryptoHasher('sha256').update(key).digest('hex').slice(0, 16)
  const path = join(tmpdir(), prefix + hash)
  const lock = `${path}.lock`
  async function isMade(): Promise<boolean> {
    if (existsSync(path)) return true
    if (!take(lock)) return false
    // Another process never uses one that is half written.
    const draft = mkdtempSync(`${path}-`)
    await make(join(draft, name))
    renameSync(join(draft, name), path)
    rmSync(draft, { recursive: true })
    rmSync(lock, { force: true })
    return true
  }
  await waitUntil(`the file of ${name} is made`, isMade, HOUR_MS, 20)
  markUsed(path)
  for (const other of readdirSync(tmpdir()).filter(file => file.startsWith(prefix))) {
    const age = Date.now() - (statSync(join(tmpdir(), other), { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (age > HOUR_MS) rmSync(join(tmpdir(), other), { recursive: true, force: true })
  }
  return path
}

/** Keeps the file for another hour. */
export const markUsed = (path: string) => utimesSync(path, new Date(), new Date())

/** Should two processes replace the lock of one that was killed, both make the file, and the later one stays. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** To make one takes seconds. An older lock is of a process that was killed, whose id another process may have by now. */
const MAX_LOCK_MS = 120_000

function isHeld(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > MAX_LOCK_MS) return false
    // Before the process has written its id, 0: that is this process and its group, which runs.
    return process.kill(Number(readFileSync(lock, 'utf8')), 0)
  } catch {
    return false
  }
}
