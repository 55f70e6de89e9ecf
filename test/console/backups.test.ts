/** Backups from the console: on SQLite a verified copy as a job; on PostgreSQL a refusal that says what to do. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectSqlite } from '../../db/sqlite/copy.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { backUpInThread } from '../../src/operate/admin/backup/in-thread.ts'
import { listBackups } from '../../src/platform/files/list-backups.ts'
import { newPng, upload } from '../club/pictures/pictures-world.ts'
import { engines, sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'
import { readRun } from './uploads.ts'

const reason = 'Before the derby.'
const folder = mkdtempSync(join(tmpdir(), 'matchday-console-backups-'))
const BACKUPS = join(folder, 'backups')
const UPLOADS = join(folder, 'uploads')
afterAll(() => rmSync(folder, { recursive: true }))

onEngine(
  sqliteEngine,
  'backups in the console',
  world => {
    const { as } = consoleOf(world)
    const backUp = () => as('owner').post('/api/jobs/backups', { reason })
    const jobs = async () => (await as('owner').get('/api/jobs')).body
    const backedUp = async () => {
      const { body } = await backUp()
      await world.deps.jobs.settled()
      return readRun(as('owner'), body.id)
    }
    const files = () => (existsSync(BACKUPS) ? readdirSync(BACKUPS) : [])

    test('a backup is a verified copy that the page lists, with its age', async () => {
      await world.db.write(tx => ensureUser(tx, { provider: 'mock-idp', subject: 'kept' }))
      const before = await jobs()
      expect(before.backups).toMatchObject({ folder: BACKUPS, databaseBytes: expect.any(Number) })
      const run = await backedUp()
      expect(run).toMatchObject({ kind: 'backup', state: 'done', error: null, findings: 0 })
      const { file, bytes, rows, digest } = run.counts
      expect(inspectSqlite(file)).toMatchObject({ faults: [], rows })
      expect([statSync(file).size, digest.length]).toEqual([bytes, 64])
      expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
      const { backups, maintenance } = await jobs()
      expect(backups.files.map(({ name }: { name: string }) => join(BACKUPS, name))).toContain(file)
      expect(maintenance).toContainEqual({ command: 'backup', finishedAt: run.endedAt })
    })

    test('a backup has the uploaded pictures', async () => {
      world.clock.advance(1_000)
      const fan = await world.fan()
      expect((await upload(fan, newPng())).status).toBe(201)
      const run = await backedUp()
      expect(run).toMatchObject({ state: 'done', counts: { pictures: 1, picturesMissing: 0 } })
      expect(readdirSync(join(BACKUPS, 'pictures'))).toHaveLength(1)
      expect(readFileSync(`${run.counts.file}.pictures`, 'utf8')).toMatch(
        /^([0-9a-f]{64}) {2}pictures\/[0-9a-f]{2}\/\1\.webp\n$/,
      )
      rmSync(UPLOADS, { recursive: true })
      world.clock.advance(1_000)
      expect(await backedUp()).toMatchObject({
        state: 'failed',
        error: expect.stringContaining('(UPLOADS) is not a directory'),
      })
    })

    test('a ledger with inconsistencies is not backed up, and the run says why', async () => {
      world.clock.advance(1_000)
      const before = files()
      await world.db.write(async tx => {
        const { user } = await ensureUser(tx, { provider: 'mock-idp', subject: 'broken' })
        await tx.insert(tx.tables.leaderboardScores).values({
          ...{ board: 'all', userId: user.id, minusPoints: -5, reachedAt: 0 },
        })
      })
      const run = await backedUp()
      expect(run).toMatchObject({ state: 'failed', error: expect.stringContaining('is inconsistent') })
      expect(files()).toEqual(before)
    })

    test('a folder that cannot be created is explained', async () => {
      world.clock.advance(1_000)
      rmSync(BACKUPS, { recursive: true, force: true })
      writeFileSync(BACKUPS, '')
      const run = await backedUp()
      expect(run).toMatchObject({ state: 'failed', error: 'The folder of backups is a file.' })
      rmSync(BACKUPS)
    })
  },
  { env: { BACKUPS, UPLOADS }, worldPer: 'test' },
)

for (const engine of engines.filter(({ name }) => name !== sqliteEngine.name)) {
  onEngine(engine, 'backups in the console', world => {
    test('PostgreSQL is not backed up by the console, as the page and the problem say', async () => {
      const { as } = consoleOf(world)
      expect((await as('owner').get('/api/jobs')).body.backups).toBeNull()
      const { status, body } = await as('owner').post('/api/jobs/backups', { reason })
      expect([status, body.code]).toEqual([409, 'backup_not_possible'])
    })
  })
}

describe('Backups in a thread', () => {
  let own: string
  beforeAll(() => {
    own = join(folder, 'own')
    mkdirSync(own)
  })

  test('a run that is cancelled before it begins writes nothing', async () => {
    const order = {
      path: join(own, 'live.db'),
      file: join(own, 'cancelled', 'copy.db'),
      erasures: join(own, 'list'),
      uploads: null,
    }
    const cancelled = backUpInThread(order, () => Promise.reject(new Error('cancelled')))
    await expect(cancelled).rejects.toThrow('cancelled')
    expect(readdirSync(own)).not.toContain('cancelled')
  })

  test('the list has newest first, and only files of backups', () => {
    const place = { path: join(own, 'live.db'), folder: join(own, 'listed') }
    expect(listBackups(place)).toMatchObject({ files: [], databaseBytes: 0, freeBytes: expect.any(Number) })
    mkdirSync(join(place.folder, 'folder.db'), { recursive: true })
    for (const name of ['a.db', 'b.db.partial', 'c.txt']) writeFileSync(join(place.folder, name), 'x')
    expect(listBackups(place).files).toMatchObject([{ name: 'a.db', bytes: 1 }])
  })
})
