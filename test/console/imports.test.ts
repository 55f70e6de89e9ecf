/** Imports in the console: a file is uploaded in parts, tried, and imported as a job, once. */
import { describe, expect, test } from 'bun:test'
import { countRows } from '../../db/pages.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { upsertRule } from '../../src/economy/rules/rule-kind.ts'
import { kindOf } from '../../src/operate/admin/jobs/kinds.ts'
import { PART_BYTES, sweepStored } from '../../src/platform/files/stored-file.ts'
import { createJobs } from '../../src/platform/jobs/jobs.ts'
import { DEAD_MS, sweepRuns } from '../../src/platform/jobs/runs.ts'
import { onEachEngine } from '../support/world.ts'
import { heartOf } from './heartbeats.ts'
import { consoleOf } from './support.ts'
import { check, FILES, importTried, readRun, sendPart, tryFile, type Upload, upload } from './uploads.ts'

const HOUR_MS = 3_600_000
const reason = 'The season begins.'

const fansFile = (count: number, points = 5): Upload => ({
  command: 'import-fans',
  name: 'fans.csv',
  text: [
    'subject,displayName,openingBalance',
    ...Array.from({ length: count }, (_, n) => `old-${n},Fan ${n},${points}`),
  ].join('\n'),
})

onEachEngine(
  'imports in the console',
  world => {
    const { as } = consoleOf(world)
    const owner = () => as('owner')
    type Counted = 'users' | 'pointsEntries' | 'events' | 'importFiles' | 'importFileParts'
    const countOf = (...names: Counted[]) =>
      Promise.all(names.map(name => countRows(world.db.read, world.db.tables[name])))
    const errorOf = async (answer: Promise<{ status: number; body: { code: string } }>) => {
      const { status, body } = await answer
      return [status, body.code]
    }

    test('a dry run of fans leaves no trace, and the import writes them once', async () => {
      const before = await countOf('users', 'pointsEntries')
      const tried = await tryFile(world, owner(), fansFile(60))
      expect(tried).toMatchObject({
        ...{ kind: 'import-fans', state: 'done', error: null, unit: 'lines', done: 60, listed: [] },
        counts: { lines: 60, created: 60, changed: 0, unchanged: 0, invalid: 0, points: 300 },
        input: { name: 'fans.csv', dryRun: 'true' },
      })
      expect(await countOf('users', 'pointsEntries')).toEqual(before)

      const imported = await importTried(world, owner(), tried)
      expect(imported).toMatchObject({
        ...{ state: 'done', done: 60, total: 60, startedBy: { name: 'Test owner' } },
        counts: { created: 60, points: 300, invalid: 0 },
        input: { name: 'fans.csv', check: tried.id, reason },
      })
      expect(await countOf('users', 'pointsEntries')).toEqual(before.map(count => count + 60))
      // The file is not kept, and cannot be imported again.
      expect(await countOf('importFiles', 'importFileParts')).toEqual([0, 0])
      expect(await errorOf(owner().post('/api/jobs/imports', { check: tried.id, reason }))).toEqual([
        404,
        'import_file_gone',
      ])

      const again = await importTried(world, owner(), await tryFile(world, owner(), fansFile(60)))
      expect(again.counts).toMatchObject({ created: 0, changed: 0, unchanged: 60, points: 0 })
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('the audit log has one row with the person and the reason of an import, without the file name', async () => {
      const tried = await tryFile(world, owner(), { ...fansFile(1), name: 'ana-costa.csv' })
      const { id } = await importTried(world, owner(), tried)
      const { body } = await owner().get('/api/audit')
      const [row, ...others] = body.entries.filter(
        ({ operation }: { operation: string }) => operation === 'startImport',
      )
      expect(others).toEqual([])
      expect(row).toMatchObject({
        ...{ reason, subject: { kind: 'job_run', id: tried.id } },
        detail: { run: id, kind: 'import-fans' },
      })
      expect(JSON.stringify(body)).not.toContain('ana-costa')
    })

    test('invalid lines are listed, and are left out only when staff say so', async () => {
      const hostile = `<img src=x onerror=alert(1)>${'x'.repeat(1_000)}`
      const text = [
        'subject,country,openingBalance',
        'good-1,PT,5',
        'bad-1,Atlantis,5',
        `${'s'.repeat(300)},PT,5`,
        'good-1,PT,5',
        'good-2,PT,-1',
      ].join('\n')
      const tried = await tryFile(world, owner(), {
        command: 'import-fans',
        name: `${hostile.slice(0, 200)}.csv`,
        text,
      })
      expect(tried).toMatchObject({ state: 'done', counts: { created: 1, invalid: 4 } })
      expect(
        tried.listed.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`),
      ).toEqual(['3 country', '4 subject', '5 subject', '6 openingBalance'])
      expect(await errorOf(owner().post('/api/jobs/imports', { check: tried.id, reason }))).toEqual([
        409,
        'import_has_invalid_lines',
      ])
      const imported = await importTried(world, owner(), tried, { skipInvalid: true })
      expect(imported).toMatchObject({ state: 'done', counts: { created: 1, invalid: 4 } })
      expect(imported.listed).toEqual(tried.listed)

      const columns = await tryFile(world, owner(), {
        command: 'import-fans',
        name: 'fans.csv',
        text: `subject,${hostile}\na,b`,
      })
      expect(columns).toMatchObject({
        state: 'failed',
        error: 'The file cannot be read to its end. Nothing was written.',
      })
      expect(columns.listed[0].field).toStartWith('<img')
      expect(columns.listed[0].field.length).toBeLessThan(300)
      expect(await errorOf(owner().post('/api/jobs/imports', { check: columns.id, reason }))).toEqual([
        409,
        'import_not_tried',
      ])
    })

    test('a dry run of events leaves no trace, and the import earns points once', async () => {
      await world.db.write(tx =>
        upsertRule(tx, {
          id: 'shop',
          name: 'Shop',
          eventType: 'shop.purchase',
          points: { per: '/amount', every: 100, points: 1 },
        }),
      )
      const at = new Date(world.clock.ms - HOUR_MS).toISOString()
      const text = [
        'id,type,occurredAt,subject,userId,data.amount',
        `p-1,shop.purchase,${at},fan-0110,,2599`,
        `p-2,shop.purchase,${at},fan-0111,,100`,
        `p-3,shop.returned,${at},fan-0111,,100`,
        `p-4,shop.purchase,${at},,nobody,100`,
      ].join('\n')
      const file: Upload = { command: 'import-events', name: 'till.csv', text }
      const before = await countOf('events', 'users')
      const tried = await tryFile(world, owner(), file, { source: 'till' })
      const counts = { lines: 4, applied: 2, ignored: 1, duplicate: 0, refused: 1, invalid: 0, points: 26 }
      expect(tried).toMatchObject({ state: 'done', counts, input: { source: 'till' } })
      expect(tried.listed).toEqual([{ line: 5, field: '', message: 'is refused: fan_not_found' }])
      expect(await countOf('events', 'users')).toEqual(before)

      expect(await importTried(world, owner(), tried)).toMatchObject({
        state: 'done',
        done: 4,
        total: 4,
        counts,
      })
      const again = await importTried(world, owner(), await tryFile(world, owner(), file, { source: 'till' }))
      expect(again.counts).toMatchObject({ applied: 0, duplicate: 3, points: 0 })
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('a catalogue shows its difference first, and its history says who imported it and why', async () => {
      const team = (name: string) => ({ id: 'harbour', name, shortName: 'HAR' })
      const file = (name: string): Upload => ({
        command: 'import-catalog',
        name: 'club.json',
        text: JSON.stringify({ teams: [team(name)] }),
      })
      const created = await tryFile(world, owner(), file('Harbour'))
      expect(created).toMatchObject({ state: 'done', counts: { created: 1, changed: 0 } })
      await importTried(world, owner(), created)

      const changed = await tryFile(world, owner(), file('<b>Harbour</b>'), { prune: true })
      expect(changed.changes).toEqual([
        {
          kind: 'team',
          id: 'harbour',
          outcome: 'changed',
          members: [{ member: 'name', from: 'Harbour', to: '<b>Harbour</b>' }],
        },
      ])
      expect(changed).toMatchObject({
        counts: { created: 0, changed: 1, deactivated: 0 },
        input: { prune: 'true' },
      })
      await importTried(world, owner(), changed)
      const history = await owner().get('/api/catalogue/team/entries/harbour/history')
      expect(history.body.revisions[0]).toMatchObject({ source: 'import', staffName: 'Test owner', reason })

      const pruned = await tryFile(
        world,
        owner(),
        {
          ...file(''),
          text: '{"kind":"team","id":"other","name":"Other","shortName":"OTH"}\n',
          name: 'club.ndjson',
        },
        { prune: true },
      )
      expect(pruned.counts).toMatchObject({ created: 1, deactivated: 1 })
    })

    test('errors of a catalogue are listed by line, and nothing of it can be imported', async () => {
      const text = '{\n "teams": [\n  {"id": "UP", "name": "Up", "shortName": "UP"}\n ],\n "more": 1\n}'
      const tried = await tryFile(world, owner(), { command: 'import-catalog', name: 'club.json', text })
      expect(tried).toMatchObject({
        state: 'failed',
        error: '2 errors in the file. Nothing was written.',
        counts: { invalid: 2 },
      })
      expect(
        tried.listed.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`),
      ).toEqual(['3 /teams/0/id', '5 /more'])
      const binary = await tryFile(world, owner(), {
        command: 'import-catalog',
        name: 'club.json',
        text: new Uint8Array([0xe9, 0x0a]),
      })
      expect(binary.error).toBe('The file is not text in UTF-8: save it as UTF-8.')
    })

    test('a file of several parts is read as one, and parts can be sent again in any order', async () => {
      // Long lines: parts count here, not fans.
      const count = 5_500
      const long = 's'.repeat(200)
      const lines = Array.from({ length: count }, (_, n) => `${long}-${n},Fan ${n},5`)
      const text = ['subject,displayName,openingBalance', ...lines].join('\n')
      const bytes = new TextEncoder().encode(text)
      expect(bytes.length).toBeGreaterThan(2 * PART_BYTES)
      const staff = owner()
      const announced = await staff.post(FILES, {
        command: 'import-fans',
        name: 'fans.csv',
        bytes: bytes.length,
      })
      const { id } = announced.body
      const part = (n: number) => sendPart(staff, id, n, bytes.slice(n * PART_BYTES, (n + 1) * PART_BYTES))
      const parts = Math.ceil(bytes.length / PART_BYTES)
      for (let n = parts - 1; n > 0; n--) expect((await part(n)).status).toBe(200)
      expect(await errorOf(check(staff, id))).toEqual([409, 'import_file_incomplete'])
      for (const n of [0, 1]) expect((await part(n)).status).toBe(200)
      const { body } = await check(staff, id)
      await world.deps.jobs.settled()
      expect((await readRun(staff, body.id)).counts).toMatchObject({
        lines: count,
        created: count,
        invalid: 0,
      })
      // A checked file does not change.
      expect(await errorOf(part(0))).toEqual([409, 'import_file_complete'])
    })

    test('a file is bounded in size, its parts are exact, and its name says its format', async () => {
      const staff = owner()
      const announce = (command: string, name: string, bytes: number) =>
        staff.post(FILES, { command, name, bytes })
      const large = await announce('import-fans', 'fans.csv', 64 * 1024 * 1024 + 1)
      expect([large.status, large.body.code]).toEqual([413, 'import_too_large'])
      expect(large.body.detail).toContain('at most 64 MB')
      expect(await errorOf(announce('import-catalog', 'club.json', 2 * 1024 * 1024 + 1))).toEqual([
        413,
        'import_too_large',
      ])
      for (const [command, name] of [
        ['import-fans', 'fans.xlsx'],
        ['import-fans', 'fans.json'],
        ['import-catalog', 'club.csv'],
        ['import-events', 'csv'],
      ] as const)
        expect((await announce(command, name, 10)).body).toMatchObject({
          code: 'validation_failed',
          errors: [{ pointer: '/name' }],
        })
      expect((await announce('import-fans', 'fans.csv', 0)).status).toBe(422)
      const { id } = (await announce('import-fans', 'fans.csv', 10)).body
      for (const [part, size] of [
        [0, 9],
        [0, 11],
        [1, 1],
      ] as const)
        expect(await errorOf(sendPart(staff, id, part, new Uint8Array(size)))).toEqual([
          413,
          'import_too_large',
        ])
      expect(await errorOf(sendPart(staff, id, 0, new Uint8Array(PART_BYTES + 1)))).toEqual([
        413,
        'payload_too_large',
      ])
      expect(await errorOf(sendPart(staff, 'unknown', 0, new Uint8Array(10)))).toEqual([
        404,
        'import_file_gone',
      ])
    })

    test('a part is not read before the session, the token and the permission are checked', async () => {
      const { signIn, client } = consoleOf(world)
      const { id } = (await owner().post(FILES, { command: 'import-fans', name: 'fans.csv', bytes: 10 })).body
      const [mine, support] = [await signIn('owner'), await signIn('support')]
      const refused: [Record<string, string>, number][] = [
        [{ origin: mine.headers.origin ?? '' }, 401],
        [{ ...mine.headers, 'x-csrf-token': 'wrong' }, 403],
        [{ ...mine.headers, origin: 'https://evil.example' }, 403],
        [support.headers, 403],
      ]
      for (const [headers, status] of refused) {
        let wasRead = false
        const pull = () => {
          wasRead = true
        }
        const body = new ReadableStream({ pull }, { highWaterMark: 0 })
        const answer = await client(headers).send(`${FILES}/${id}/parts/0`, { method: 'PUT', body })
        expect([answer.status, wasRead]).toEqual([status, false])
      }
    })

    test('files that nobody imports are deleted after a day, and their number is limited', async () => {
      const staff = owner()
      for (let n = 0; n < 20; n++) await upload(staff, fansFile(1))
      expect(
        await errorOf(staff.post(FILES, { command: 'import-fans', name: 'fans.csv', bytes: 9 })),
      ).toEqual([409, 'import_files_full'])
      world.clock.advance(25 * HOUR_MS)
      await sweepStored(world.db)
      expect(await countOf('importFiles', 'importFileParts')).toEqual([0, 0])
      expect((await owner().post(FILES, { command: 'import-fans', name: 'fans.csv', bytes: 9 })).status).toBe(
        201,
      )
    })

    describe('in another process', () => {
      /** More than are written together. */
      const FANS = 240

      /** Holds once it has written some fans. */
      async function importElsewhere() {
        const tried = await tryFile(world, owner(), fansFile(FANS))
        const [held, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const heart = heartOf(world.db)
        let elapsed = 0
        const other = createJobs({
          kindOf,
          ...world.deps,
          db: heart.db,
          heartbeatMs: 2,
          // Long enough for a pause after each batch, and for batches of one item.
          elapsed: () => (elapsed += 30),
          async giveWay() {
            if ((await countOf('users'))[0] === 0) return
            await heart.stop()
            reached.resolve()
            await held.promise
          },
        })
        const input = { file: tried.input.file, name: 'fans.csv', check: tried.id, reason }
        const run = await world.db.write(tx =>
          other.start(tx, 'import-fans', input, { id: 'link:Other', name: 'Other' }),
        )
        if (!run) throw new Error('it did not start')
        await reached.promise
        const release = () => {
          held.resolve()
          return heart.beat()
        }
        return { tried, run, other, beat: heart.beat, release }
      }

      test('a second import of the kind is refused, and so is a dry run, while other kinds start', async () => {
        const { tried, other, release } = await importElsewhere()
        const refused = await owner().post('/api/jobs/imports', { check: tried.id, reason })
        expect([refused.status, refused.body.code]).toEqual([409, 'job_running'])
        const file = await upload(owner(), fansFile(1))
        expect(await errorOf(check(owner(), file))).toEqual([409, 'job_running'])
        const events: Upload = { command: 'import-events', name: 'e.ndjson', text: '{}' }
        expect((await check(owner(), await upload(owner(), events))).status).toBe(202)
        await release()
        await Promise.all([other.settled(), world.deps.jobs.settled()])
        expect((await countOf('users'))[0]).toBe(FANS)
      })

      test('an import of a process that died is started again from the same dry run, and books nothing twice', async () => {
        const { tried, run, other, release } = await importElsewhere()
        const written = (await countOf('users'))[0] ?? 0
        expect(written).toBeGreaterThan(0)
        expect(written).toBeLessThan(FANS)
        world.clock.advance(DEAD_MS + 1)
        expect(await readRun(owner(), run.id)).toMatchObject({
          state: 'failed',
          error: expect.stringContaining('ended'),
        })
        const again = await importTried(world, owner(), tried)
        expect(again).toMatchObject({
          state: 'done',
          counts: { created: FANS - written, unchanged: written },
        })
        await release()
        await other.settled()
        expect(await countOf('users', 'pointsEntries')).toEqual([FANS, FANS])
        expect(await readRun(owner(), run.id)).toMatchObject({ state: 'failed' })
      })

      test('an import that was declared dead stops writing as soon as it notices', async () => {
        const { run, other, beat, release } = await importElsewhere()
        const written = await countOf('users')
        world.clock.advance(DEAD_MS + 1)
        await sweepRuns(world.db)
        await beat()
        await release()
        await other.settled()
        expect(await countOf('users')).toEqual(written)
        expect(await readRun(owner(), run.id)).toMatchObject({ state: 'failed' })
      })

      test('a cancelled import keeps what it has written, and its file', async () => {
        const { tried, run, other, beat, release } = await importElsewhere()
        expect((await owner().post(`/api/jobs/${run.id}/cancel`, { reason })).status).toBe(200)
        await beat()
        await release()
        await other.settled()
        expect(await readRun(owner(), run.id)).toMatchObject({ state: 'cancelled' })
        const [written] = await countOf('users')
        expect(written).toBeLessThan(FANS)
        expect((await importTried(world, owner(), tried)).counts).toMatchObject({
          created: FANS - (written ?? 0),
        })
      })
    })
  },
  { worldPer: 'test' },
)
