/** `bun run archive` as a command, and the commands that read its files. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { runStatement, tableBeside } from '../../db/schema/shape.ts'
import { archiveAlone } from '../../src/operate/admin/archive/archive-run.ts'
import { DEAD_MS, failDeadRuns, startRun } from '../../src/platform/jobs/runs.ts'
import { addFan, addRule } from '../economy/rules/rules-world.ts'
import { DAY, happen, rowsOf } from '../operate/admin/archive/archive-world.ts'
import { engines } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines)
  onEngine(
    engine,
    'bun run archive',
    world => {
      let userId: string
      let eventId: string
      const newFolder = () => join(mkdtempSync(join(tmpdir(), 'archive-')), 'files')
      let folder: string
      const toFolder = () => ['--before', 'next', '--out', folder]
      const run = (script: string, ...parameters: string[]) =>
        runScript(script, parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })

      beforeEach(async () => {
        folder = newFolder()
        // Commands have the clock of the machine.
        world.clock.set(-365 * DAY)
        const { eventType: type } = await addRule(world)
        userId = await addFan(world)
        eventId = await happen(world.db, { userId, type })
        await happen(world.db, { userId, type })
        const at = world.clock.now()
        const season = { id: 'next', name: 'Next', active: true, createdAt: at, updatedAt: at }
        const [startsAt, endsAt] = [new Date(at.getTime() + DAY), new Date(at.getTime() + 2 * DAY)]
        await world.db.write(tx => tx.insert(tx.tables.seasons).values({ ...season, startsAt, endsAt }))
      })

      test('shows what it would move, moves it once, and brings it back', async () => {
        const before = await rowsOf(world.db)
        const archive = toFolder()
        expect(await run('archive', ...archive, '--dry-run')).toMatchObject({ code: 0 })
        expect(await rowsOf(world.db)).toEqual(before)
        const moved = await run('archive', ...archive, '--json')
        expect(moved).toMatchObject({ code: 0 })
        expect(JSON.parse(moved.out)).toMatchObject({ fans: 1, entries: 1, events: 1, left: 0, changed: 2 })
        const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
        expect(manifest).toMatchObject({ format: 1, files: [{ file: 'next-0001.ndjson.gz', fans: 1 }] })
        expect((await run('archive', ...archive)).out).toStartWith('0 events and 0 entries of 0 fans')

        const verified = await run('verify-ledger', '--archive', folder)
        expect(verified).toMatchObject({ code: 0 })
        expect(verified.out).toContain('1 files of the archive with 1 entries and 1 events of 1 fans')
        expect(await run('explain-event', 'shop', eventId)).toMatchObject({
          code: 1,
          err: expect.stringContaining(`fan ${userId} is archived`),
        })
        for (const action of ['show', 'replay'])
          expect(await run('events', action, 'shop', eventId)).toMatchObject({
            code: 1,
            err: `The event of fan ${userId} is archived: \`bun run explain-event\` with --archive explains it, and \`bun run archive restore\` brings it back.\n`,
          })
        const explained = await run('explain-event', 'shop', eventId, '--archive', folder)
        expect(explained.out).toContain('Granted 10 points.')
        expect(await run('verify-ledger', '--archive', '/missing')).toMatchObject({
          code: 1,
          out: expect.stringContaining('archive next-0001 is missing, must be as written\n1 findings'),
        })
        expect((await run('verify-ledger', '--since-last')).err).toContain('archived or restored')

        const restored = await run('archive', 'restore', '--fan', userId, '--from', folder)
        expect(restored.out).toStartWith('1 events and 1 entries of the fan are back.')
        expect(await rowsOf(world.db)).toEqual(before)
      })

      test('says which files are in another folder, and counts a fan of several files once', async () => {
        expect(await run('archive', ...toFolder())).toMatchObject({ code: 0, err: '' })
        world.clock.set(-300 * DAY)
        const { eventType: type } = await addRule(world, { id: 'later' })
        for (let n = 0; n < 2; n++) await happen(world.db, { userId, type })
        const at = world.clock.now()
        const [startsAt, endsAt] = [new Date(at.getTime() + DAY), new Date(at.getTime() + 2 * DAY)]
        const season = { id: 'later', name: 'Later', active: true, createdAt: at, updatedAt: at }
        await world.db.write(tx => tx.insert(tx.tables.seasons).values({ ...season, startsAt, endsAt }))
        const other = newFolder()
        const moved = await run('archive', '--before', 'later', '--out', other)
        expect([moved.code, moved.err]).toEqual([
          0,
          `Not in ${other}: 1 files of earlier archives, such as next-0001.ndjson.gz. A restore, and commands with --archive, need all in one folder.\n`,
        ])
        copyFileSync(join(folder, 'next-0001.ndjson.gz'), join(other, 'next-0001.ndjson.gz'))
        const verified = await run('verify-ledger', '--archive', other)
        expect([verified.code, verified.out]).toEqual([
          0,
          expect.stringMatching(/2 files of the archive .* of 1 fans/),
        ])
        expect(await run('erase-user', userId, '--yes')).toMatchObject({ code: 0 })
        const erased = await run('verify-ledger', '--archive', other)
        expect([erased.code, erased.out]).toEqual([0, expect.stringContaining('the lines of 1 erased fans')])
      })

      test('keeps the files of another database in the manifest, and names a fan who does not exist', async () => {
        const path = join(folder, 'manifest.json')
        const other = { file: 'next-0007.ndjson.gz', seasonId: 'next', sha256: 'of-another' }
        mkdirSync(folder)
        writeFileSync(path, JSON.stringify({ format: 1, files: [other] }))
        expect(await run('archive', ...toFolder())).toMatchObject({ code: 0 })
        const { files } = JSON.parse(readFileSync(path, 'utf8'))
        expect(files).toEqual([other, expect.objectContaining({ file: 'next-0001.ndjson.gz', fans: 1 })])
        expect(await run('archive', 'restore', '--fan', 'nobody', '--from', folder)).toMatchObject({
          code: 1,
          err: expect.stringContaining('There is no such fan.'),
        })
      })

      describe('while another one runs', () => {
        const runs = () => world.db.read.select().from(world.db.tables.jobRuns)
        /** Another process that was alive at this time of the machine. */
        const another = (heartbeatAt: Date) =>
          world.db.write(async tx => {
            const startedBy = { id: 'archive', name: 'archive' }
            await startRun(tx, { kind: 'archive', input: null, slot: 'archive', startedBy })
            await tx
              .update(tx.tables.jobRuns)
              .set({ heartbeatAt })
              .where(eq(tx.tables.jobRuns.state, 'running'))
          })

        test('is refused, and so are a restore and a move, until its process has been dead for a minute', async () => {
          const before = await rowsOf(world.db)
          // Alive for all of these commands, however slow the machine is.
          await another(new Date(Date.now() + DAY))
          const target = `sqlite:${join(mkdtempSync(join(tmpdir(), 'archive-')), 'target.db')}`
          const move = ['--from', world.databaseUrl ?? '', '--to', target]
          for (const [script, parameters, message] of [
            ['archive', toFolder(), 'Another archive'],
            ['archive', ['restore', '--fan', userId, '--from', folder], 'Another archive'],
            ['move', move, 'An archive of this database is running'],
            ['move', [...move, '--live'], 'An archive of this database is running'],
          ] as const)
            expect(await run(script, ...parameters)).toMatchObject({
              code: 1,
              err: expect.stringContaining(message),
            })
          expect(await rowsOf(world.db)).toEqual(before)
          await world.db.write(tx => tx.delete(tx.tables.jobRuns))
          await another(new Date(Date.now() - 2 * DEAD_MS))
          expect(await run('archive', ...toFolder())).toMatchObject({ code: 0 })
          expect((await runs()).map(({ state, slot }) => [state, slot]).toSorted()).toEqual([
            ['done', null],
            ['failed', null],
          ])
          expect(await run('archive', 'restore', '--fan', userId, '--from', folder)).toMatchObject({
            code: 0,
          })
        })

        test('one of three that begin at the same time runs', async () => {
          const { promise, resolve } = Promise.withResolvers<string>()
          const refused: string[] = []
          const started = [1, 2, 3].map(() =>
            archiveAlone(
              world.db,
              async () => {},
              () => promise,
            ).catch(error => void refused.push(String(error))),
          )
          // One that begins after the end of the first may run as well.
          await waitUntil('two are refused', () => refused.length === 2)
          resolve('ran')
          const ended = await Promise.all(started)
          expect(refused).toEqual(Array(2).fill(expect.stringContaining('Another archive')))
          expect(ended.filter(outcome => outcome === 'ran')).toHaveLength(1)
        })

        test('a run that was declared dead changes nothing more', async () => {
          const work = archiveAlone(
            world.db,
            async () => {},
            async ({ hold }) => {
              await world.db.write(tx => hold(tx))
              // In one unit of work: a heartbeat of the run itself may come at any time.
              await world.db.write(async tx => {
                await tx.update(tx.tables.jobRuns).set({ heartbeatAt: new Date(0) })
                await failDeadRuns(tx)
              })
              await world.db.write(tx => hold(tx))
            },
          )
          await expect(work).rejects.toThrow('declared dead')
        })
      })

      test('lets no version without archives start on the database again', async () => {
        expect(await run('archive', ...toFolder())).toMatchObject({ code: 0 })
        const journal = tableBeside(world.db, '__drizzle_migrations')
        const rows = await runStatement(world.db.read, sql`SELECT created_at, runs_from FROM ${journal}`)
        const known = expectedMigrations(world.db.engine).find(
          ({ name }) => name === '0047_archived-events-by-fan',
        )
        expect(Math.max(...rows.map(row => Number(row.runs_from)))).toBe(known?.folderMillis ?? 0)
      })

      test.each([
        ['no season', ['--out', 'DIR'], 2],
        ['an unknown season', ['--before', 'none', '--out', 'DIR'], 1],
        ['restore without a folder', ['restore', '--fan', 'x'], 2],
        ['restore with --out', ['restore', '--fan', 'x', '--from', 'DIR', '--out', 'DIR'], 2],
        ['restore with --dry-run', ['restore', '--fan', 'x', '--from', 'DIR', '--dry-run'], 2],
      ])('is refused with %s', async (_, parameters, code) => {
        expect(await run('archive', ...parameters)).toMatchObject({ code, out: '' })
      })
    },
    { worldPer: 'test' },
  )
