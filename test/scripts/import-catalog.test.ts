/** `bun run import-catalog` as a command. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { count, eq, ne } from 'drizzle-orm'
import type { Database } from '../../db/index.ts'
import { catalogJsonSchema } from '../../src/play/catalogue-file/json-schema.ts'
import { withRawConnection } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { dump } from '../support/dump.ts'
import { engines, sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'
import { holdAt } from '../support/hold-at.ts'
import { waitUntil } from '../support/wait-until.ts'
import { asTyped, runScript, startScript } from './run-script.ts'

const team = (number: number, fields = {}) => ({
  id: `team-${number}`,
  name: `Team ${number}`,
  shortName: 'TEA',
  ...fields,
})

const catalogue = {
  teams: [team(1, { country: 'GB' }), team(2)],
  rewards: [
    {
      id: 'scarf',
      title: 'Scarf',
      description: 'One scarf.',
      itemType: 'voucher',
      pointsRequired: 100,
      stock: 250,
      endsAt: '2026-12-24T18:00:00.000Z',
    },
  ],
  packs: [
    {
      id: 'starter',
      name: 'Starter',
      description: 'Two moments.',
      price: { amount: 100, currency: 'POINTS' },
      itemsPerPack: 2,
      supply: 10,
      items: [
        { id: 'anthem', weight: 900_000, name: 'Anthem', description: 'Sung.', rarity: 'common' },
        { id: 'final', weight: 100_000, name: 'Final', description: 'Won.', rarity: 'rare' },
      ],
    },
    {
      id: 'single',
      name: 'Single',
      description: 'One moment.',
      price: { amount: 299, currency: 'EUR' },
      itemsPerPack: 1,
      items: [{ id: 'anthem', weight: 1_000_000 }],
    },
  ],
  rules: [
    {
      id: 'shop',
      name: 'A point per euro',
      eventType: 'shop.purchase',
      when: [{ path: '/currency', op: 'eq', value: 'EUR' }],
      points: { per: '/amount', every: 100, points: 1 },
      limit: { count: 3, per: 'day' },
      budget: 50_000,
      timeZone: 'Europe/Madrid',
    },
  ],
}

const broken = `{
  "teams": [
    { "id": "purchase", "name": "Harbour City", "shortName": "HAR" },
    { "id": "two", "shortName": "TWO", "colour": "red" },
    { "id": "three", "name": "Three", "shortName": "THR", "country": "XX" },
    { "id": "three", "name": "Three", "shortName": "THR" },
    { "id": "two", "name": "Four", "name": "Five", "shortName": "FOU" }
  ],
  "packs": [
    {
      "id": "mini", "name": "Mini", "description": "Two.", "itemsPerPack": 2,
      "price": { "amount": 10, "currency": "XXY" },
      "items": [
        { "id": "half", "weight": 400000, "name": "Half" },
        { "id": "whole", "weight": 600001 }
      ]
    }
  ],
  "fans": []
}
`

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-catalog-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const isWritten = (content: unknown): content is string | Uint8Array =>
  typeof content === 'string' || content instanceof Uint8Array

function fileOf(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, isWritten(content) ? content : JSON.stringify(content))
  return path
}

const run = ({ url }: TemporaryDatabase, parameters: string[], input = '') =>
  runScript('import-catalog', parameters, { env: { DATABASE_URL: url ?? '' }, input })

/** The data without timestamps and random versions, which differ between runs. */
const contentOf = (db: Database) => dump(db, ['createdAt', 'updatedAt', 'version', 'foldsFrom'])

for (const engine of engines) {
  test(`shows the changes, applies them, and changes nothing the second time (${engine.name})`, async () => {
    const database = await engine.open(createClock())
    const path = fileOf('catalog.json', catalogue)
    const empty = await dump(database.db)

    const dry = await run(database, [path, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, err: '' })
    expect(dry.out).toContain('created team team-1\n')
    expect(dry.out).toEndWith('6 rows would change; nothing was written (--dry-run).\n')
    expect(await dump(database.db)).toEqual(empty)

    const done = await run(database, [path])
    expect(done.code).toBe(0)
    expect(done.out).toMatch(
      /^teams: 2 created\nrewards: 1 created\npacks: 2 created\nrules: 1 created\n6 rows changed in /,
    )
    const rows = await dump(database.db)
    // With a revision of each entry, and how many each kind has.
    expect(rows.length).toBe(2 + 1 + 2 + 2 + 3 + 3 + 6 + 4)

    const again = await run(database, [path, '--json'])
    expect(again.code).toBe(0)
    expect(JSON.parse(again.out)).toMatchObject({
      changes: [],
      unchanged: 6,
      notInFile: [],
      changed: 0,
      dryRun: false,
    })
    expect((await run(database, [path])).out).toContain('Nothing to change')
    expect(await dump(database.db)).toEqual(rows)
    await database.remove()
  })
}

test('reads any RFC 3339 instant, and the same instant in another form changes nothing', async () => {
  const database = await sqliteEngine.open(createClock())
  const [scarf] = catalogue.rewards
  const between = (name: string, startsAt: string, endsAt: string) =>
    fileOf(name, { rewards: [{ ...scarf, startsAt, endsAt }] })
  const first = await run(database, [
    between('a.json', '2026-11-01T00:00:00Z', '2026-12-24T20:00:00.5+02:00'),
  ])
  expect([first.code, first.err]).toEqual([0, ''])
  const [row] = await database.db.read.select().from(database.db.tables.rewards)
  expect([row?.startsAt, row?.endsAt]).toEqual([
    new Date('2026-11-01T00:00:00.000Z'),
    new Date('2026-12-24T18:00:00.500Z'),
  ])
  const same = between('b.json', '2026-10-31t23:00:00.000000-01:00', '2026-12-24T18:00:00.500000000z')
  expect((await run(database, [same])).out).toContain('Nothing to change')

  // Later as text, and earlier as an instant.
  const reversed = between('c.json', '2026-11-01T00:00:00Z', '2026-11-01T01:00:00+02:00')
  expect((await run(database, [reversed])).out).toContain('/rewards/0/endsAt must be after startsAt')
  const invalid = between('d.json', '2026-11-01', '2026-02-30T00:00:00Z')
  expect((await run(database, [invalid])).out).toContain('/rewards/0/startsAt must be an RFC 3339 instant')
  await database.remove()
})

test('shows each changed member with old and new value, and prunes only with --prune', async () => {
  const database = await sqliteEngine.open(createClock())
  await run(database, [fileOf('first.json', catalogue)])
  const [one] = catalogue.teams
  const next = fileOf('next.json', { teams: [{ ...one, city: 'Wessel' }], rewards: [] })

  const dry = await run(database, [next, '--prune', '--dry-run'])
  expect(dry.out.split('\n').slice(0, 7)).toEqual([
    'changed team team-1',
    '    city: null → "Wessel"',
    'deactivated team team-2',
    '    active: true → false',
    'deactivated reward scarf',
    '    active: true → false',
    'teams: 1 changed, 1 deactivated',
  ])
  const kept = JSON.parse((await run(database, [next, '--json'])).out)
  expect(kept.notInFile).toEqual([
    { kind: 'team', id: 'team-2' },
    { kind: 'reward', id: 'scarf' },
  ])
  expect(kept.changed).toBe(1)

  expect((await run(database, [next, '--prune'])).code).toBe(0)
  const { teams, rewards, packs } = database.db.tables
  const activeIn = async (table: typeof teams | typeof rewards | typeof packs) =>
    (await database.db.read.select({ active: table.active }).from(table)).map(({ active }) => active)
  expect((await activeIn(teams)).toSorted()).toEqual([false, true])
  expect(await activeIn(rewards)).toEqual([false])
  // The file has no packs.
  expect(await activeIn(packs)).toEqual([true, true])
  await database.remove()
})

test('names each match whose kick-off stays because the stored revision is newer, and moves it with --force', async () => {
  const database = await sqliteEngine.open(createClock())
  const { matches } = database.db.tables
  const match = (id: string, kickoffAt: string) => ({
    ...{ id, competition: 'Coastal League', season: '2026/27', homeTeamId: 'team-1', awayTeamId: 'team-2' },
    kickoffAt,
  })
  const fixtures = (name: string, kickoffAt: string) =>
    fileOf(name, { ...catalogue, matches: ['one', 'two', 'three'].map(id => match(id, kickoffAt)) })
  await run(database, [fixtures('fixtures.json', '2026-08-15T18:30:00.000Z')])
  const reported = { status: 'finished', homeScore: 2, awayScore: 1, revision: 3 }
  await database.db.write(tx => tx.update(matches).set(reported).where(ne(matches.id, 'three')))
  await database.db.write(tx => tx.update(matches).set({ revision: 2 }).where(eq(matches.id, 'three')))
  const moved = fixtures('moved.json', '2026-08-16T14:00:00.000Z')
  const kept = (id: string) =>
    `kept match ${id}: kickoffAt stays "2026-08-15T18:30:00.000Z", the file has "2026-08-16T14:00:00.000Z" without a greater revision (--force changes it)`
  for (const mode of [['--dry-run'], []]) {
    const { code, out } = await run(database, [moved, ...mode])
    expect([code, out.split('\n').slice(0, 3)]).toEqual([0, ['one', 'two', 'three'].map(kept)])
    expect(out).not.toContain('Nothing to change')
  }
  expect(JSON.parse((await run(database, [moved, '--json'])).out).kept).toHaveLength(3)

  const forced = await run(database, [moved, '--force'])
  expect(forced.out).toStartWith('teams: 2 unchanged\n')
  expect(forced.out).toContain('matches: 3 changed\n')
  const rows = await database.db.read.select().from(matches)
  expect(rows.map(row => [row.kickoffAt.toISOString(), row.revision, row.homeScore]).toSorted()).toEqual([
    ['2026-08-16T14:00:00.000Z', 2, null],
    ['2026-08-16T14:00:00.000Z', 3, 2],
    ['2026-08-16T14:00:00.000Z', 3, 2],
  ])
  expect((await run(database, [moved])).out).toContain('Nothing to change')
  await database.remove()
})

test('lists every error with its line and its pointer, and writes nothing', async () => {
  const database = await sqliteEngine.open(createClock())
  const empty = await dump(database.db)
  const { code, out } = await run(database, [fileOf('broken.json', broken), '--json'])
  expect(code).toBe(1)
  const errors = (JSON.parse(out) as { errors: { line: number; pointer: string }[] }).errors
  expect(errors.map(({ line, pointer }) => `${line} ${pointer}`)).toEqual([
    '3 /teams/0/id',
    '4 /teams/1/name',
    '4 /teams/1/colour',
    '5 /teams/2/country',
    '6 /teams/3/id',
    '7 /teams/4/name',
    '7 /teams/4/id',
    '12 /packs/0/price/currency',
    '13 /packs/0/items',
    '14 /packs/0/items/0',
    '19 /fans',
  ])
  const text = await run(database, [fileOf('broken.json', broken)])
  expect(text.code).toBe(1)
  expect(text.out).toEndWith('11 errors; nothing was written.\n')
  expect(await dump(database.db)).toEqual(empty)
  await database.remove()
})

test('lists the errors of rules, with what their values must be', async () => {
  const database = await sqliteEngine.open(createClock())
  const [rule] = catalogue.rules
  const rules = [
    { ...rule, id: 'one', timeZone: 'Europe/Atlantis', when: [{ path: '/amount', op: 'gt', value: true }] },
    { ...rule, id: 'two', points: { fixed: '10' }, limit: { count: 1, per: 'year' }, eventType: 'purchase' },
  ]
  const { code, out } = await run(database, [fileOf('rules.json', { rules })])
  expect(code).toBe(1)
  expect(out.split('\n')).toEqual([
    'line 1: /rules/1/eventType must be a type like shop.purchase: dotted lower case, at most 100 characters',
    'line 1: /rules/1/points must be {"fixed": points} or {"per": pointer, "every": number, "points": points}',
    'line 1: /rules/1/limit must be {"count": number, "per": "day", "week", "month" or "ever"} or null',
    'line 1: /rules/0/when/0/value must be a number or a string for gt',
    'line 1: /rules/0/timeZone must be an IANA time zone like Europe/London',
    '5 errors; nothing was written.',
    '',
  ])
  expect(await dump(database.db)).toEqual([])
  await database.remove()
})

test.each([
  ['a document', (rule: string) => `{"rules":[\n${rule}]}`, 'json', '/rules/0'],
  ['lines', (rule: string) => `\n{"kind":"rule","entry":${rule}}`, 'ndjson', '/entry'],
])('refuses numbers of %s that would be rounded, at their place', async (_, wrap, extension, root) => {
  const database = await sqliteEngine.open(createClock())
  const share = '{"path":"/share","op":"gt","value":0.12345678901234567}'
  const order = '{"path":"/order","op":"in","value":["7",4711000000000000789]}'
  const rule = `{"id":"one","name":"One","eventType":"a.b","points":{"fixed":1},"when":[${share},${order}]}`
  const { code, out } = await run(database, [fileOf(`exact.${extension}`, wrap(rule)), '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(out).errors).toMatchObject([
    { line: 2, pointer: `${root}/when/0/value`, message: expect.stringContaining('at most 15 significant') },
    { line: 2, pointer: `${root}/when/1/value/1`, message: expect.stringContaining('send a longer id as a') },
  ])
  expect(await dump(database.db)).toEqual([])
  await database.remove()
})

test('reads a file in UTF-16 with a byte order mark, and says what to do with another encoding', async () => {
  const database = await sqliteEngine.open(createClock())
  const text = JSON.stringify({ teams: [team(1)] })
  const marked = await run(database, [
    fileOf('marked.json', Buffer.from(`\ufeff${text}`, 'utf16le')),
    '--json',
  ])
  expect(JSON.parse(marked.out).changes).toHaveLength(1)
  for (const [name, bytes] of [
    ['utf16.json', Buffer.from(text, 'utf16le')],
    ['latin1.json', Buffer.from(text.replace('Team', 'Équipe'), 'latin1')],
  ] as const) {
    const { code, err } = await run(database, [fileOf(name, bytes)])
    expect([code, err]).toEqual([1, expect.stringContaining('is not text in UTF-8: save it as UTF-8.')])
  }
  await database.remove()
})

test('compares the whole file with the database before the first write', async () => {
  const database = await sqliteEngine.open(createClock())
  await run(database, [fileOf('first.json', catalogue)])
  const rows = await dump(database.db)
  const [starter] = catalogue.packs
  const relabelled = starter?.items.map(item => ({ ...item, rarity: 'epic' }))
  const next = { teams: [team(3)], packs: [{ ...starter, items: relabelled }] }
  const { code, out } = await run(database, [fileOf('next.json', next)])
  expect(code).toBe(1)
  expect(out).toContain('/packs/0/items/0/rarity must stay common')
  expect(out).toContain('/packs/0/items/1/rarity must stay rare')
  expect(await dump(database.db)).toEqual(rows)
  await database.remove()
})

test('accepts the same catalogue as NDJSON, from a file or standard input', async () => {
  const [byFile, byLines] = await Promise.all([
    sqliteEngine.open(createClock()),
    sqliteEngine.open(createClock()),
  ])
  const lines = [
    ...catalogue.packs.map(entry => ({ kind: 'pack', ...entry })),
    ...catalogue.teams.map(entry => ({ kind: 'team', ...entry })),
    ...catalogue.rewards.map(entry => ({ kind: 'reward', ...entry })),
    ...catalogue.rules.map(entry => ({ kind: 'rule', ...entry })),
  ].map(line => JSON.stringify(line))
  expect((await run(byFile, [fileOf('catalog.json', catalogue)])).code).toBe(0)
  expect((await run(byLines, ['-'], lines.join('\n'))).code).toBe(0)
  expect(await contentOf(byLines.db)).toEqual(await contentOf(byFile.db))

  const { code, out } = await run(byLines, ['-'], `${lines[0]}\n\n{"kind":"fan"}\n${lines[0]}\n{"kind":`)
  expect(code).toBe(1)
  expect(out.split('\n').map(line => line.split(' ').slice(0, 3).join(' '))).toEqual([
    'line 3: /kind',
    'line 4: /id',
    'line 5: the',
    '3 errors; nothing',
    '',
  ])
  await Promise.all([byFile.remove(), byLines.remove()])
})

/** More than a command reads ahead. */
const many = { teams: Array.from({ length: 700 }, (_, number) => team(number)) }

/** An import of many teams that has started to write. */
async function startImport({ db, url }: TemporaryDatabase, path: string) {
  const child = startScript('import-catalog', [path], { env: { DATABASE_URL: url ?? '' } })
  await waitUntil('the first teams are written', async () => {
    const [row] = await db.read.select({ written: count() }).from(db.tables.teams)
    if (Number(row?.written) > 0) return true
    if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text())
    return false
  })
  return child
}

async function teamsIn({ db }: TemporaryDatabase) {
  const [row] = await db.read.select({ written: count() }).from(db.tables.teams)
  return Number(row?.written)
}

test('after a kill, a second run gives the result of one run', async () => {
  const [whole, killed] = await Promise.all([
    sqliteEngine.open(createClock()),
    sqliteEngine.open(createClock()),
  ])
  const path = fileOf('many.json', many)
  const release = await holdAt(killed, { table: 'teams', row: "NEW.id = 'team-699'" })
  const child = await startImport(killed, path)
  child.kill('SIGKILL')
  await child.exited
  await release()
  expect(await teamsIn(killed)).toBeLessThan(many.teams.length)
  expect((await run(killed, [path])).code).toBe(0)
  expect((await run(whole, [path])).code).toBe(0)
  expect(await contentOf(killed.db)).toEqual(await contentOf(whole.db))
  await Promise.all([whole.remove(), killed.remove()])
})

test('Ctrl-C finishes the batch and shows how to continue', async () => {
  const database = await sqliteEngine.open(createClock())
  const path = fileOf('many teams.json', many)
  // Each team takes some milliseconds, and all of them far longer than the signal.
  await withRawConnection(database, async run => {
    await run(`CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n LIMIT 200000)
      SELECT count(*) AS i FROM n`)
    await run('CREATE TRIGGER slow_teams BEFORE INSERT ON teams BEGIN SELECT i FROM slow; END')
  })
  const child = await startImport(database, path)
  child.kill('SIGINT')
  const [code, err] = [await child.exited, await new Response(child.stderr).text()]
  expect(code).toBe(130)
  const written = await teamsIn(database)
  expect(written).toBeLessThan(many.teams.length)
  expect(asTyped(err)).toContain(`Stopped after ${written}. To continue: bun run import-catalog '${path}'\n`)
  await database.remove()
})

test('the schema for editors is the one that the import validates with', () => {
  const committed = JSON.parse(
    readFileSync(join(import.meta.dir, '../../scripts/catalog.schema.json'), 'utf8'),
  )
  expect(committed, 'run `bun run --silent catalog-schema > scripts/catalog.schema.json`').toEqual(
    catalogJsonSchema(),
  )
  const ajv = addFormats(new Ajv({ allErrors: true }))
  const validate = ajv.compile(committed)
  expect(validate({ $schema: './catalog.schema.json', ...catalogue })).toBe(true)
  expect(validate(JSON.parse(broken))).toBe(false)
  expect(validate.errors?.map(({ instancePath }) => instancePath)).toContain('/teams/0/id')
})
