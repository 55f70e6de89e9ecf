/** `bun run export-catalog`: files and database say the same. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { catalogJsonSchema } from '../../src/play/catalogue-file/json-schema.ts'
import { entryKinds, writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../club/catalogue/full-catalogue.ts'
import { createClock } from '../support/clock.ts'
import { dump } from '../support/dump.ts'
import { engines, sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'
import { runScript } from './run-script.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-export-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = ({ url }: TemporaryDatabase, name: string, parameters: string[], input = '') =>
  runScript(name, parameters, { env: { DATABASE_URL: url ?? '' }, input })

async function exportOf(database: TemporaryDatabase, parameters: string[] = []) {
  const { code, err, out } = await run(database, 'export-catalog', parameters)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}

async function importInto(database: TemporaryDatabase, text: string) {
  const { code, err, out } = await run(database, 'import-catalog', ['-', '--json'], text)
  expect({ code, err, out: code === 0 ? '' : out }).toEqual({ code: 0, err: '', out: '' })
  return JSON.parse(out)
}

/** Every kind, then changed, deactivated and given stock to count. */
async function openFull(engine: (typeof engines)[number]) {
  const database = await engine.open(createClock())
  await database.db.write(async tx => {
    for (const record of fullCatalogue()) await writeRecord(tx, record)
    await entryKinds.quest.deactivate(tx, 'full-z-first')
    await entryKinds.product.deactivate(tx, 'full-voucher')
  })
  return database
}

for (const engine of engines)
  test(`an export creates the same catalogue elsewhere, and changes nothing in its own database (${engine.name})`, async () => {
    const database = await openFull(engine)
    const text = await exportOf(database)
    const before = await dump(database.db)
    expect(await importInto(database, text)).toMatchObject({
      changed: 0,
      changes: [],
      notInFile: [],
      kept: [],
    })
    expect(await dump(database.db)).toEqual(before)

    const empty = await engine.open(createClock())
    expect((await importInto(empty, text)).changed).toBe(fullCatalogue().length)
    expect(await exportOf(empty)).toBe(text)
    // Of the two forms of a file.
    const path = join(folder, `${engine.name}.ndjson`)
    await run(database, 'export-catalog', [path])
    const another = await engine.open(createClock())
    await run(another, 'import-catalog', [path])
    expect(await exportOf(another)).toBe(text)
    for (const { remove } of [database, empty, another]) await remove()
  })

test('an export is in order, complete, valid for editors, and keeps every language', async () => {
  const database = await openFull(sqliteEngine)
  const catalogue = JSON.parse(await exportOf(database))
  expect(Object.keys(catalogue)).toEqual([
    'teams',
    'players',
    'seasons',
    'sponsors',
    'documents',
    'accounts',
    'segments',
    'memberships',
    'rewards',
    'packs',
    'competitions',
    'divisions',
    'matches',
    'rules',
    'quests',
    'sets',
    'questions',
    'campaigns',
    'products',
    'notifications',
  ])
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats(ajv)
  const validate = ajv.compile(catalogJsonSchema())
  expect(validate(catalogue) || validate.errors).toBe(true)
  const idsOf = (list: string) => catalogue[list].map(({ id }: { id: string }) => id)
  expect(idsOf('teams')).toEqual(['full-bay', 'full-harbour'])
  // The one that the other requires first.
  expect(idsOf('quests')).toEqual(['full-z-first', 'full-a-second'])
  expect(catalogue.quests[0].active).toBe(false)
  expect(Object.entries(catalogue.rewards[1].title)).toEqual([
    ['en', 'Scarf'],
    ['pt', 'Cachecol'],
    ['pt-BR', 'Manta'],
    ['ar', 'وشاح'],
  ])
  expect(catalogue.rewards[1]).toMatchObject({ stock: 7, startsAt: '2025-12-31T22:00:00.000Z' })
  expect(catalogue.products[1]).toMatchObject({ active: false, delivers: null, requires: null })
  await database.remove()
})

test('an export of some kinds has only these, and replaces its file atomically', async () => {
  const database = await openFull(sqliteEngine)
  const some = JSON.parse(await exportOf(database, ['--kind', 'rules,team']))
  expect(Object.keys(some)).toEqual(['teams', 'rules'])
  const path = join(folder, 'catalog.json')
  for (const _ of [1, 2]) {
    const { code, err } = await run(database, 'export-catalog', [path, '--kind', 'rewards'])
    expect({ code, err }).toEqual({ code: 0, err: `${path}: rewards 2.\n` })
  }
  expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')))).toEqual(['rewards'])
  expect(readdirSync(folder).filter(name => name.endsWith('.tmp'))).toEqual([])
  expect((await run(database, 'export-catalog', ['--kind', 'fans'])).code).toBe(2)
  const nowhere = await run(database, 'export-catalog', [join(folder, 'missing', 'c.json')])
  expect([nowhere.code, nowhere.err]).toEqual([
    1,
    `The folder ${join(folder, 'missing')} does not exist: create it first, or name a file in another one.\n`,
  ])
  await database.remove()
})

test('a collectible that no longer is in any pack is named: a file cannot describe it', async () => {
  const database = await openFull(sqliteEngine)
  await database.db.write(async tx => {
    const [starter] = await entryKinds.pack.read(tx, ['full-starter'])
    if (!starter) throw new Error('there is no pack')
    const items = starter.items.slice(0, 1).map(item => ({ ...item, weight: 1_000_000 }))
    await writeRecord(tx, { kind: 'pack', entry: { ...starter, items } })
  })
  const { err } = await run(database, 'export-catalog', ['--kind', 'sets'])
  expect(err).toContain('In no pack, and so not in the file: full-final.')
  await database.remove()
})
