/** `bun run import-fans`: imports fans of another system once, with ledger entries for their points. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { rowFileOf } from '../../scripts/command/row-file.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { GENESIS_HASH } from '../../src/economy/ledgers/chain.ts'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { upsertProfile } from '../../src/fan/profile/profile.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { tombstoneIdentity } from '../../src/identity/users/mirror.ts'
import { readFans } from '../../src/operate/admin/import/read-fans.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { engines } from '../support/engines.ts'
import { holdAt } from '../support/hold-at.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine, type World } from '../support/world.ts'
import { writerOf } from '../support/writer.ts'
import { runScript, startScript } from './run-script.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-import-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(text: string | Uint8Array, extension = 'ndjson'): string {
  const path = join(folder, `fans-${++files}.${extension}`)
  writeFileSync(path, text)
  return path
}
const linesOf = (fans: object[]) => fans.map(fan => `${JSON.stringify(fan)}\n`).join('')
const example = (extension: string) => join(import.meta.dir, `../../scripts/import-fans/example.${extension}`)

async function importFans(world: World, path: string, ...parameters: string[]) {
  const env = { DATABASE_URL: world.databaseUrl ?? '' }
  const { code, out, err } = await runScript('import-fans', [path, ...parameters, '--json'], { env })
  return { code, err, json: out === '' ? null : JSON.parse(out) }
}

interface Fault {
  line: number
  field: string
  message: string
}
const placesOf = (errors: Fault[]) => errors.map(({ line, field }) => `${line} ${field}`)

for (const engine of engines) {
  onEngine(engine, 'bun run import-fans', world => {
    const who = (subject: string) => ({ provider: world.config.identity.name, subject })
    const idOf = (subject: string) => world.db.write(async tx => (await ensureUser(tx, who(subject))).user.id)
    const stateOf = async (subject: string) => {
      const { users, pointsEntries, pointsAccounts, onboardings, leaderboardScores } = world.db.tables
      const all = await Promise.all(
        [users, pointsEntries, pointsAccounts, onboardings, leaderboardScores].map(table =>
          world.db.read.select().from(table as typeof users),
        ),
      )
      const id = all[0]?.find(user => user.subject === subject)?.id
      return JSON.stringify(all.map(rows => rows.filter(row => row.id === id || Object(row).userId === id)))
    }
    const userCount = async () => (await world.db.read.select().from(world.db.tables.users)).length

    test('imports the example; a dry run reports the same, and a second run changes nothing', async () => {
      const said = { created: 4, changed: 4, unchanged: 0, invalid: 0, points: 1805, errors: [] }
      const before = await userCount()
      expect(await importFans(world, example('csv'), '--dry-run')).toMatchObject({
        code: 0,
        json: { ...said, dryRun: true },
      })
      expect(await userCount()).toBe(before)
      expect(await importFans(world, example('csv'))).toMatchObject({ code: 0, json: said })

      const { users, pointsEntries, leaderboardScores, onboardings } = world.db.tables
      const rows = await world.db.read.select().from(users)
      const bo = rows.find(({ subject }) => subject === 'legacy-1002')
      expect(bo).toMatchObject({ handle: 'bo_lind', bio: 'Away fan,\nsince 1999.', country: 'SE' })
      const ofBo = <Row extends { userId: string }>(found: Row[]) =>
        found.filter(row => row.userId === bo?.id)
      const entries = ofBo(await world.db.read.select().from(pointsEntries))
      expect(entries).toMatchObject([{ seq: 1, delta: 1250, balanceAfter: 1250, reason: 'opening_balance' }])
      const [completion] = ofBo(await world.db.read.select().from(onboardings))
      expect(completion?.completedAt.toISOString()).toBe('2025-09-01T07:00:00.000Z')
      // Not earned in this week or month.
      const places = ofBo(await world.db.read.select().from(leaderboardScores))
      expect(places.toSorted((a, b) => a.board.localeCompare(b.board))).toMatchObject([
        { board: 'all', minusPoints: -1250 },
        { board: 'country:SE', minusPoints: -1250 },
      ])
      expect((await verifyLedger(world.db)).findings).toBe(0)

      const state = await stateOf('legacy-1002')
      for (const extension of ['csv', 'ndjson']) {
        const again = await importFans(world, example(extension))
        expect(again).toMatchObject({ code: 0, json: { created: 0, changed: 0, unchanged: 4, points: 0 } })
      }
      expect(await stateOf('legacy-1002')).toBe(state)
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const { out } = await runScript('import-fans', [example('csv')], { env })
      expect(out).toContain('4 unchanged')
    })

    test('the backfill grants no reward for an imported completion', async () => {
      const path = fileOf(
        linesOf([{ subject: 'granted', openingBalance: 40, onboardingCompletedAt: '2025-08-15T18:30:00Z' }]),
      )
      expect((await importFans(world, path)).json).toMatchObject({ created: 1 })
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const { out } = await runScript('backfill-onboarding', ['--dry-run', '--json'], { env })
      expect(JSON.parse(out).rules.grant.examples).not.toContain(await idOf('granted'))
    })

    test('counts an opening balance only on the all-time leaderboard, and later points also on weekly ones', async () => {
      const path = fileOf(linesOf([{ subject: 'fan-0150', openingBalance: 900, joinLeaderboard: true }]))
      expect((await importFans(world, path)).json).toMatchObject({ created: 1, points: 900 })
      // The command enrols with the real clock, and ties are ordered by time.
      world.clock.ms = Date.now() + 1000
      await world.grant({ subject: 'fan-0150' }, 25)
      const userId = await idOf('fan-0150')
      const scores = await world.db.read.select().from(world.db.tables.leaderboardScores)
      const points = scores.filter(row => row.userId === userId).map(({ minusPoints }) => -minusPoints)
      expect(points.toSorted((a, b) => a - b)).toEqual([25, 25, 925])
      expect((await verifyLedger(world.db)).findings).toBe(0)
      // Enrolling after the import gives the same ranks.
      const late = fileOf(linesOf([{ subject: 'fan-0151', openingBalance: 900 }]))
      await importFans(world, late)
      const fan = world.withToken(await world.idp.issueToken('fan-0151'))
      expectStatus(200, await fan.post('/api/user/onboarding', {}))
      const lateId = await idOf('fan-0151')
      const later = (await world.db.read.select().from(world.db.tables.leaderboardScores)).filter(
        row => row.userId === lateId,
      )
      expect(later.find(({ board }) => board === 'all')?.minusPoints).toBe(-1000)
      expect(later.filter(({ board }) => board !== 'all').map(({ minusPoints }) => minusPoints)).toEqual([
        -100, -100,
      ])
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('rejects a file with invalid lines and lists all faults; --skip-invalid imports the valid lines', async () => {
      await world.db.write(async tx =>
        upsertProfile(tx, await writerOf(tx, who('holder')), { handle: 'holder' }),
      )
      const path = fileOf(
        [
          '{"subject":"good-1","openingBalance":5}',
          '{"subject":"bad-1","handle":"No","country":"gb","openingBalance":-1}',
          'no json',
          '',
          '{"handle":"nameless"}',
          '{"subject":"bad-2","points":5}',
          '{"subject":"bad-3","handle":"holder"}',
          '{"subject":"bad-4","favoriteTeamId":"nowhere"}',
          '{"subject":"bad-5","onboardingCompletedAt":"2999-01-01T00:00:00Z"}',
          '{"subject":"bad-6","onboardingCompletedAt":"yesterday","country":"gb"}',
          '{"subject":"good-1"}',
          '{"subject":"bad-7","bio":"a\\u0000b"}',
          '{"subject":"good-2","handle":"good_two"}',
          '{"subject":"bad-8","handle":"good_two"}',
          '{"subject":"bad-9","openingBalance":1000000001}',
        ].join('\n'),
      )
      const before = await userCount()
      const { code, json } = await importFans(world, path)
      expect([code, json.refused, json.changed]).toEqual([1, true, 0])
      expect(placesOf(json.errors)).toEqual([
        ...['2 openingBalance', '3 ', '5 subject', '6 points', '7 handle', '8 favoriteTeamId'],
        ...['9 onboardingCompletedAt', '10 country', '10 onboardingCompletedAt', '11 subject', '12 bio'],
        ...['14 handle', '15 openingBalance'],
      ])
      expect(await userCount()).toBe(before)
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const { out } = await runScript('import-fans', [path], { env })
      expect(out).toContain('line 7: handle is taken by another fan\n')
      expect(out).toContain('12 invalid lines; nothing was written.')

      const skipped = await importFans(world, path, '--skip-invalid')
      expect(skipped).toMatchObject({
        code: 1,
        json: { created: 2, invalid: 12, points: 5, refused: false },
      })
      expect(await userCount()).toBe(before + 2)
    })

    test('keeps existing profiles, and lists fans that it cannot import', async () => {
      await world.db.write(async tx => upsertProfile(tx, await writerOf(tx, who('writer')), { bio: 'Mine' }))
      await world.db.write(async tx => upsertProfile(tx, await writerOf(tx, who('emptied')), { bio: 'Gone' }))
      world.clock.advance(1000)
      await world.db.write(async tx => upsertProfile(tx, await writerOf(tx, who('emptied')), { bio: null }))
      const erased = await idOf('erased')
      await world.db.write(tx => eraseUser(tx, { id: erased }))
      await world.db.write(async tx => tombstoneIdentity(tx, (await ensureUser(tx, who('deleted'))).user))
      await world.db.write(async tx => {
        const { user } = await ensureUser(tx, who('by-sql'))
        const account = { userId: user.id, balance: 500, lifetime: 500, seq: 0, updatedAt: tx.now() }
        await tx.insert(tx.tables.pointsAccounts).values({ ...account, headHash: GENESIS_HASH })
      })
      await importFans(world, fileOf(linesOf([{ subject: 'twice', openingBalance: 10 }])))
      const path = fileOf(
        linesOf([
          { subject: 'writer', bio: 'Theirs', openingBalance: 7 },
          { subject: 'emptied', bio: 'Theirs' },
          { subject: 'erased', bio: 'Back' },
          { subject: 'deleted', bio: 'Back' },
          { subject: 'by-sql', openingBalance: 10 },
          { subject: 'twice', openingBalance: 11 },
        ]),
      )
      const { json } = await importFans(world, path, '--skip-invalid')
      expect(placesOf(json.errors)).toEqual([
        '3 subject',
        '4 subject',
        '5 openingBalance',
        '6 openingBalance',
      ])
      expect(json.errors[2].message).toContain('bun run verify-ledger')
      expect(json).toMatchObject({ created: 0, changed: 1, unchanged: 1, points: 7, profilesKept: 2 })
      const rows = await world.db.read.select().from(world.db.tables.users)
      const bioOf = (subject: string) => rows.find(row => row.subject === subject)?.bio
      expect([bioOf('writer'), bioOf('emptied')]).toEqual(['Mine', null])
      expect(rows.filter(({ subject }) => subject === 'erased')).toEqual([])
      const { pointsAccounts } = world.db.tables
      await world.db.write(tx => tx.delete(pointsAccounts).where(eq(pointsAccounts.balance, 500)))
    })

    test('after a kill, a second run gives the result of one run', async () => {
      const fans = Array.from({ length: 600 }, (_, nth) => {
        const at = '2025-08-15T18:30:00Z'
        const one = { subject: `many-${nth}`, handle: `many_${nth}`, openingBalance: 1 + (nth % 9) }
        return { ...one, onboardingCompletedAt: at, joinLeaderboard: nth % 2 === 0 }
      })
      const path = fileOf(linesOf(fans))
      const points = fans.reduce((sum, { openingBalance }) => sum + openingBalance, 0)
      const before = await userCount()
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const held = { db: world.db, url: world.databaseUrl }
      const release = await holdAt(held, { table: 'users', row: "NEW.subject = 'many-599'" })
      const child = startScript('import-fans', [path], { env })
      await waitUntil('some fans are imported', async () => (await userCount()) >= before + 20)
      child.kill('SIGKILL')
      await child.exited
      await release()
      const there = (await userCount()) - before
      expect(there).toBeGreaterThan(0)
      expect(there).toBeLessThan(600)

      // Without pauses, which are long where each commit waits for a slow disk.
      const { code, json } = await importFans(world, path, '--exclusive')
      expect(code).toBe(0)
      expect(json).toMatchObject({ created: 600 - there, unchanged: there })
      const { users, pointsEntries, onboardings, leaderboardEntries } = world.db.tables
      const rows = await world.db.read.select().from(users)
      const ids = new Set(rows.filter(({ subject }) => subject.startsWith('many-')).map(({ id }) => id))
      const those = <Row extends { userId: string }>(found: Row[]) => found.filter(row => ids.has(row.userId))
      const entries = those(await world.db.read.select().from(pointsEntries))
      expect([entries.length, entries.reduce((sum, { delta }) => sum + delta, 0)]).toEqual([600, points])
      expect(those(await world.db.read.select().from(onboardings))).toHaveLength(600)
      expect(those(await world.db.read.select().from(leaderboardEntries))).toHaveLength(300)
      expect((await verifyLedger(world.db)).findings).toBe(0)
      expect((await importFans(world, path)).json).toMatchObject({ changed: 0, unchanged: 600 })
    })

    test('rejects a missing file, a directory, and another file type', async () => {
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      expect((await runScript('import-fans', [join(folder, 'none.csv')], { env })).code).toBe(1)
      expect((await runScript('import-fans', [folder], { env })).code).toBe(1)
      expect((await runScript('import-fans', [fileOf('', 'xml')], { env })).code).toBe(2)
    })
  })
}

describe('Reading fans', () => {
  const options = { provider: 'mock-idp', now: new Date('2026-08-15T18:30:00.000Z') }
  const read = async (text: string | Uint8Array, format: 'csv' | 'ndjson') =>
    Array.fromAsync(readFans(rowFileOf(fileOf(text, format)), options))
  const faultsOf = async (text: string | Uint8Array, format: 'csv' | 'ndjson' = 'csv') =>
    (await read(text, format)).flatMap(({ line, faults, fatal }) =>
      faults.map(({ field, message }) => [line, field, message, ...(fatal ? ['fatal'] : [])].join('|')),
    )

  test('a CSV file may have a byte order mark, CRLF, quoted line breaks, empty lines and empty cells', async () => {
    const text = '\ufeffsubject,bio,joinLeaderboard\r\n"a,1","x\r\ny",true\r\n\r\nb,,\r\n'
    const lines = await read(text, 'csv')
    expect(lines).toMatchObject([
      { line: 2, fan: { subject: 'a,1', joinLeaderboard: true }, faults: [] },
      { line: 5, fan: { subject: 'b', profile: {}, joinLeaderboard: false }, faults: [] },
    ])
  })

  test('white space around a subject does not change the fan', async () => {
    expect(await faultsOf('subject,handle\na,ada_berg\n"a ",\nb, ada_berg\n')).toEqual([
      '3|subject|is a duplicate of line 2',
      '4|handle|is a duplicate of line 2',
    ])
    expect(await faultsOf('{"subject":"a"}\n{"subject":"a\\u00a0"}\n', 'ndjson')).toEqual([
      '2|subject|must not begin or end with white space',
    ])
  })

  test('reports each fault of a CSV file with the first line of its record', async () => {
    const faults = await faultsOf(
      Buffer.concat([
        Buffer.from(
          'subject,openingBalance,joinLeaderboard\na,1.5,yes\n"b\nb",,\nc,1,true,4\nd,"\xff",\n',
          'latin1',
        ),
        Buffer.from(`e,${'9'.repeat(20)},\n`),
      ]),
    )
    expect(faults.map(fault => fault.split('|').slice(0, 2).join(' '))).toEqual([
      ...['2 openingBalance', '2 joinLeaderboard', '5 ', '6 ', '7 openingBalance'],
    ])
  })

  test('rejects a CSV header without subject, or with an unknown or duplicate column', async () => {
    const faults = await faultsOf('id,bio,bio\na,b,c\n')
    expect(faults).toHaveLength(3)
    for (const fault of faults) expect(fault).toMatch(/^1\|.*\|fatal$/)
  })

  test('reports a misplaced quote with its line, and reads nothing after it', async () => {
    const faults = await faultsOf('subject,bio\na,b\nc,"d"e\nf,g\n')
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(/^3\|\|is unreadable, as is the rest of the file: .*\|fatal$/)
    expect(await faultsOf('subject,bio\na,b\nc,"never closed\nf,g\n')).toHaveLength(1)
  })

  test('reports NDJSON that is not UTF-8, too long or not an object, and reads the next line', async () => {
    const text = Buffer.concat([
      Buffer.from('{"subject":"a"}\n{"subject":"\xff"}\n', 'latin1'),
      Buffer.from(`{"subject":"b","bio":"${'x'.repeat(200_000)}"}\n[]\n"text"\nnull\n{"subject":"c"}`),
    ])
    const lines = await read(text, 'ndjson')
    expect(lines.map(({ line, fan }) => [line, fan?.subject])).toEqual([
      ...[
        [1, 'a'],
        [2, undefined],
        [3, undefined],
        [4, undefined],
        [5, undefined],
        [6, undefined],
        [7, 'c'],
      ],
    ] as never)
  })

  test('streams a file: the first fan is available before the end is written', async () => {
    const pipe = join(folder, 'pipe.ndjson')
    expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
    const fans = readFans(rowFileOf(pipe), options)
    const first = fans.next()
    const writer = Bun.spawn(['bash', '-c', `exec 3> '${pipe}'; cat >&3`], { stdin: 'pipe' })
    // Larger than one read of the stream.
    writer.stdin.write(linesOf(Array.from({ length: 3000 }, (_, nth) => ({ subject: `fan-${nth}` }))))
    await writer.stdin.flush()
    expect((await first).value).toMatchObject({ line: 1, fan: { subject: 'fan-0' } })
    await writer.stdin.end()
    expect((await Array.fromAsync(fans)).length).toBe(2999)
  })
})
