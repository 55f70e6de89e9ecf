/** The history of catalogue entries: one revision for each change, with who and why, which nobody changes. */
import { expect, test } from 'bun:test'
import { asc, sql } from 'drizzle-orm'
import type { Author } from '../../../src/club/catalogue/history.ts'
import { listRevisions, readRevision } from '../../../src/club/catalogue/history.ts'
import { updateMatch } from '../../../src/club/matches/update-match.ts'
import { DomainError } from '../../../src/core/problems.ts'
import {
  type CatalogueRecord,
  entryKinds,
  kindNamed,
  writeRecord,
} from '../../../src/play/catalogue-file/kinds.ts'
import { onEachEngine } from '../../support/world.ts'
import { fullCatalogue } from './full-catalogue.ts'

const anna: Author = { source: 'console', staff: { id: 'staff-1', name: 'Anna' }, reason: 'New season' }

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'done',
    (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
  )

onEachEngine('The history of the catalogue', world => {
  const write = (record: CatalogueRecord, options?: Parameters<typeof writeRecord>[2]) =>
    world.db.write(tx => writeRecord(tx, record, options))
  const allOf = async (kind: CatalogueRecord['kind'], id: string) => {
    const { catalogueRevisions: revisions } = world.db.tables
    const rows = await world.db.read.select().from(revisions).orderBy(asc(revisions.revision))
    return rows.filter(row => row.kind === kind && row.entryId === id)
  }

  test('stores the whole entry of each kind after each change, and nothing if nothing changed', async () => {
    const records = fullCatalogue('each')
    for (const record of records) await write(record)
    for (const record of records) await write(record)
    for (const { kind, entry } of records) {
      if (kind === 'settings') continue
      const rows = await allOf(kind, entry.id)
      expect([kind, ...rows.map(({ revision, source }) => [revision, source])]).toEqual([kind, [1, 'script']])
      const [stored] = await kindNamed(kind).read(world.db.read, [entry.id])
      expect(JSON.parse(rows[0]?.entry ?? '')).toEqual(JSON.parse(JSON.stringify(stored)))
      await world.db.write(tx => kindNamed(kind).deactivate(tx, entry.id, { author: anna }))
      const isOn = entry.active !== false
      expect((await allOf(kind, entry.id)).length).toBe(isOn ? 2 : 1)
    }
    const [, off] = await allOf('reward', 'each-scarf')
    expect(off).toMatchObject({
      source: 'console',
      staffId: 'staff-1',
      staffName: 'Anna',
      reason: 'New season',
    })
    expect(JSON.parse(off?.entry ?? '').active).toBe(false)
  })

  test('starts with the previous state for an entry that is older than the history', async () => {
    const at = { createdAt: world.db.read.now(), updatedAt: world.db.read.now() }
    const old = { id: 'old', name: 'Old', shortName: 'OLD', active: true }
    await world.db.write(tx => tx.insert(tx.tables.teams).values({ ...old, ...at }))
    await write({ kind: 'team', entry: { ...old, name: 'New' } }, { author: anna, expected: 0 })
    const rows = await allOf('team', 'old')
    expect(rows.map(({ revision, source, entry }) => [revision, source, JSON.parse(entry).name])).toEqual([
      [0, 'before', 'Old'],
      [1, 'console', 'New'],
    ])
    expect((await listRevisions(world.db.read, { kind: 'team', id: 'old', limit: 1 })).length).toBe(1)
    expect(
      await listRevisions(world.db.read, { kind: 'team', id: 'old', before: 1, limit: 9 }),
    ).toMatchObject([{ revision: 0, source: 'before', staffName: null }])
    expect(await codeOf(readRevision(world.db.read, 'team', 'old', 7))).toBe('revision_not_found')
  })

  test('refuses a change that is based on an older revision, and writes nothing', async () => {
    const entry = { id: 'seen', name: 'A', shortName: 'SEE' }
    const change = (name: string, expected?: number | null) =>
      codeOf(write({ kind: 'team', entry: { ...entry, name } }, { expected }))
    expect(await change('A', null)).toBe('done')
    expect(await change('A', null)).toBe('revision_conflict')
    expect(await change('B', null)).toBe('revision_conflict')
    expect(await change('B', 1)).toBe('done')
    expect(await change('C', 1)).toBe('revision_conflict')
    // Says what is stored: there is nothing to lose.
    expect(await change('B', 1)).toBe('done')
    expect(await codeOf(world.db.write(tx => entryKinds.team.deactivate(tx, 'seen', { expected: 1 })))).toBe(
      'revision_conflict',
    )
    expect((await allOf('team', 'seen')).length).toBe(2)
    const [stored] = await entryKinds.team.read(world.db.read, ['seen'])
    expect(stored).toMatchObject({ name: 'B', active: true })
  })

  test('accepts one of many concurrent changes of the same revision', async () => {
    for (const record of fullCatalogue('race')) await write(record)
    for (const { kind, entry } of fullCatalogue('race').filter(({ entry }) => !('active' in entry))) {
      const [stored] = await kindNamed(kind).read(world.db.read, [entry.id])
      const texts = {
        reward: 'title',
        quest: 'title',
        question: 'title',
        notification: 'title',
        match: 'venue',
        document: 'version',
      }
      const text: string = Reflect.get(texts, kind) ?? 'name'
      const codes = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          codeOf(
            write({ kind, entry: { ...stored, [text]: `Try ${n}` } } as CatalogueRecord, { expected: 1 }),
          ),
        ),
      )
      expect([kind, codes.toSorted()]).toEqual([kind, ['done', ...Array(7).fill('revision_conflict')]])
      expect((await allOf(kind, entry.id)).map(({ revision }) => revision)).toEqual([1, 2])
    }
  })

  test('has a revision of every pack whose collectible another pack describes differently', async () => {
    for (const record of fullCatalogue('shared')) await write(record)
    const [starter] = await entryKinds.pack.read(world.db.read, ['shared-starter'])
    const [single] = await entryKinds.pack.read(world.db.read, ['shared-single'])
    if (!starter || !single) throw new Error('the packs are missing')
    const items = starter.items.map(item => ({ ...item, description: 'Louder.' }))
    await write({ kind: 'pack', entry: { ...starter, items } }, { author: anna, expected: 1 })
    expect((await allOf('pack', 'shared-single')).map(({ revision }) => revision)).toEqual([1, 2])
    // It was read before, with the old description.
    expect(
      await codeOf(
        write({ kind: 'pack', entry: { ...single, itemsPerPack: 1, name: 'X' } }, { expected: 1 }),
      ),
    ).toBe('revision_conflict')
  })

  test('of a match contains reports of other systems, so that no editor overwrites them', async () => {
    for (const record of fullCatalogue('report')) await write(record)
    const [derby] = await entryKinds.match.read(world.db.read, ['report-derby'])
    if (!derby) throw new Error('there is no match')
    const report = { revision: 5, status: 'finished', homeScore: 3, awayScore: 0 } as const
    const update = { ...report, kickoffAt: derby.kickoffAt }
    for (const _ of ['once', 'again']) await world.db.write(tx => updateMatch(tx, derby.id, update))
    expect((await allOf('match', derby.id)).map(({ revision }) => revision)).toEqual([1, 2])
    expect(await codeOf(write({ kind: 'match', entry: { ...derby, venue: 'Park' } }, { expected: 1 }))).toBe(
      'revision_conflict',
    )
  })

  test('cannot be changed or deleted', async () => {
    await write({ kind: 'team', entry: { id: 'kept', name: 'Kept', shortName: 'KEP' } })
    const { catalogueRevisions: revisions } = world.db.tables
    const failure = async (statement: ReturnType<typeof sql>) => {
      const query = world.db.write(tx => tx.update(revisions).set({ entry: '{}' }).where(statement))
      return query.then(
        () => 'changed',
        (error: unknown) => String((error as Error).cause ?? error),
      )
    }
    expect(await failure(sql`entry_id = 'kept'`)).toContain('append-only')
    const deleted = world.db.write(tx => tx.delete(revisions).where(sql`entry_id = 'kept'`))
    expect(
      await deleted.then(
        () => 'deleted',
        error => String(error.cause ?? error),
      ),
    ).toContain('append-only')
    expect((await allOf('team', 'kept')).length).toBe(1)
  })
})
