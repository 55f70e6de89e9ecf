/** A disk that stalls, or a log that nobody reads: health and reads are answered, and writes continue when the disk does. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { commandOf, root } from '../support/executable.ts'
import { freePort, type RunningProvider, secrets, startApi, startProvider } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'

const DEADLINE_MS = 30_000
/** After the deadline of a request. A process that touches a frozen disk cannot be killed, this one included. Seconds. */
const LONGEST_FREEZE_S = 60
let folder: string
let provider: RunningProvider

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  provider = await startProvider({ fans: 5 })
})
afterEach(async () => {
  await provider.stop()
  rmSync(folder, { recursive: true })
})

const statusOf = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) })).status

test('a log output that nobody reads blocks no request', async () => {
  const port = freePort()
  const env = {
    DATABASE_URL: `sqlite:${join(folder, 'test.db')}`,
    IDP_ISSUER: provider.issuer,
    NODE_ENV: 'test',
    PORT: String(port),
  }
  // A pipe holds 64 KiB; nobody takes anything from it.
  const pipe = join(folder, 'log')
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
  const log = openSync(pipe, 'r+')
  const api = Bun.spawn(commandOf('src/main.ts'), {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...secrets, ...env },
    stdio: ['ignore', log, 'ignore'],
  })
  try {
    const origin = `http://localhost:${port}`
    await waitUntil('the API is up', async () => {
      return (await statusOf(`${origin}/healthz`).catch(() => 0)) === 200
    })
    for (let n = 0; n < 1_500; n++) expect(await statusOf(`${origin}/healthz`)).toBe(200)
  } finally {
    api.kill('SIGKILL')
    await api.exited
    closeSync(log)
  }
})

/** A file system in a file, which can be frozen; null where this process may not mount one. */
function mountImage(folder: string) {
  const image = join(folder, 'disk.img')
  const mounted = join(folder, 'disk')
  const run = (command: string[]) => Bun.spawnSync(command, { stdio: ['ignore', 'ignore', 'ignore'] }).success
  const options = 'loop,errors=remount-ro'
  let thaw: Bun.Subprocess | undefined
  const made =
    run(['truncate', '-s', '64M', image]) &&
    run(['mkfs.ext4', '-q', image]) &&
    run(['mkdir', mounted]) &&
    run(['mount', '-o', options, image, mounted])
  if (!made) return null
  return {
    path: mounted,
    freeze() {
      expect(run(['fsfreeze', '-f', mounted])).toBe(true)
      thaw = Bun.spawn(['sh', '-c', `sleep ${LONGEST_FREEZE_S}; exec fsfreeze -u ${mounted}`])
    },
    /** Whether it was frozen for the whole time. */
    isFrozen: () => thaw?.exitCode === null,
    /** As after an I/O error of its device: the kernel makes it read-only while files are open. */
    turnReadOnly() {
      const source = readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map(line => line.split(' '))
        .find(([, at]) => at === mounted)?.[0]
      writeFileSync(`/sys/fs/ext4/${basename(source ?? '')}/trigger_fs_error`, 'test')
    },
    remount() {
      expect(run(['umount', mounted])).toBe(true)
      expect(run(['mount', '-o', options, image, mounted])).toBe(true)
    },
    unfreeze() {
      thaw?.kill()
      run(['fsfreeze', '-u', mounted])
    },
    // Lazily: a process that was just killed may still hold a file of it.
    unmount: () => void run(['umount', '-l', mounted]),
  }
}

/** Resolves when nothing was committed for a second: tasks of the start write for a while. */
async function settled(path: string) {
  const database = new Database(path, { readonly: true })
  const version = database.query<{ data_version: number }, []>('PRAGMA data_version')
  let [seen, since] = [-1, 0]
  await waitUntil('nothing is written', () => {
    const { data_version: now = 0 } = version.get() ?? {}
    if (now !== seen) [seen, since] = [now, performance.now()]
    return performance.now() - since > 1_000
  })
  database.close()
}

function probeMount(): boolean {
  const probe = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  const disk = mountImage(probe)
  disk?.unmount()
  rmSync(probe, { recursive: true })
  return disk !== null
}
const canMount = probeMount()

describe.skipIf(!canMount)('A frozen file system (needs the right to mount and freeze one)', () => {
  for (const workers of ['1', '2']) {
    test(`delays only writes, with WORKERS=${workers}`, async () => {
      const disk = mountImage(folder)
      if (!disk) throw new Error('no file system could be mounted')
      const env = { DATABASE_URL: `sqlite:${join(disk.path, 'test.db')}`, IDP_ISSUER: provider.issuer }
      const api = await startApi({ ...env, WORKERS: workers, PORT: String(freePort()) })
      try {
        const token = await provider.idp.issueToken('fan-0001')
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const write = (bio: string) =>
          statusOf(`${api.origin}/api/user/profile`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ bio }),
          })
        expect(await write('before')).toBe(201)
        const read = (more: Record<string, string> = {}) =>
          statusOf(`${api.origin}/api/user/profile`, { headers: { ...headers, ...more } })
        await settled(join(disk.path, 'test.db'))
        // The first read of a process after a commit notes its position in the `-shm` file, a page that the freeze protects.
        // The system distributes connections: of 20 new ones, each process gets some.
        for (let n = 0; n < 20; n++) expect(await read({ connection: 'close' })).toBe(200)

        disk.freeze()
        const answered: number[] = []
        const held = Array.from({ length: 4 }, (_, n) =>
          write(`held ${n}`).then(status => {
            answered.push(status)
            return status
          }),
        )
        for (let n = 0; n < 50; n++) {
          expect(await statusOf(`${api.origin}/healthz`)).toBe(200)
          expect(await read()).toBe(200)
        }
        // On a slow machine writes may be refused by now.
        expect(answered.filter(status => status !== 503)).toEqual([])
        expect(disk.isFrozen()).toBe(true)
        disk.unfreeze()
        expect(new Set(await Promise.all(held)).difference(new Set([200, 503])).size).toBe(0)
        expect(await write('after')).toBe(200)
      } finally {
        disk.unfreeze()
        await api.stop()
        disk.unmount()
      }
    })
  }
})

const cannotMount = canMount ? '' : ' (skipped: this process may not mount a file system)'

describe.skipIf(!canMount)(`A file system that the kernel makes read-only${cannotMount}`, () => {
  test('is 503 database_unavailable and not ready, reads continue, and a start after the remount is ready', async () => {
    const disk = mountImage(folder)
    if (!disk) throw new Error('no file system could be mounted')
    const env = { DATABASE_URL: `sqlite:${join(disk.path, 'test.db')}`, IDP_ISSUER: provider.issuer }
    let api = await startApi(env)
    try {
      const token = await provider.idp.issueToken('fan-0001')
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const write = async () => {
        const body = JSON.stringify({ bio: 'written' })
        const response = await fetch(`${api.origin}/api/user/profile`, { method: 'POST', headers, body })
        // Guarantee: every answer of the API is a JSON object.
        return [response.status, ((await response.json()) as { code?: string }).code]
      }
      const ready = async () => {
        const response = await fetch(`${api.origin}/readyz`)
        // Guarantee: the documented answer.
        const { checks } = (await response.json()) as { checks: { database: string } }
        return [response.status, checks.database]
      }
      expect(await write()).toEqual([201, undefined])
      expect(await ready()).toEqual([200, 'ok'])
      disk.turnReadOnly()
      expect(await write()).toEqual([503, 'database_unavailable'])
      expect(await ready()).toEqual([503, 'database read only'])
      expect(await statusOf(`${api.origin}/api/user/profile`, { headers })).toBe(200)
      // The kernel lets nobody write to the file system again before it was unmounted, which needs the end of the process.
      await api.stop('SIGKILL')
      disk.remount()
      api = await startApi(env)
      expect(await ready()).toEqual([200, 'ok'])
      expect(await write()).toEqual([200, undefined])
    } finally {
      await api.stop()
      disk.unmount()
    }
  })
})
