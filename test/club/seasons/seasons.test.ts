/** Seasons: the public list, and that no two of them overlap, in a file and among units of work. */
import { beforeEach, expect, test } from 'bun:test'
import { seasonKind } from '../../../src/club/seasons/season-kind.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { planCatalogueFile } from '../../../src/play/catalogue-file/import-file.ts'
import { readCatalogue } from '../../../src/play/catalogue-file/read-file.ts'
import { onEachEngine } from '../../support/world.ts'

type Season = Parameters<typeof seasonKind.upsert>[1]

/** From July to July. */
const season = (year: number, members: Partial<Season> = {}): Season => ({
  id: `season-${year}`,
  name: `${year}/${year - 1999}`,
  startsAt: `${year}-07-01T00:00:00.000Z`,
  endsAt: `${year + 1}-07-01T00:00:00.000Z`,
  ...members,
})

/** With what a write is refused. */
const errorsOf = (written: Promise<unknown>) =>
  written.then(
    () => [],
    (error: unknown) => (error instanceof DomainError ? error.explanation.errors : Promise.reject(error)),
  )

onEachEngine('Seasons', world => {
  beforeEach(() => world.db.write(async tx => void (await tx.delete(tx.tables.seasons))))

  const write = (entry: Season) => world.db.write(tx => seasonKind.upsert(tx, entry))
  const list = async (language = 'en') =>
    (await world.anonymous.get(`/api/seasons?lang=${language}`)).body.seasons
  const plan = (...seasons: Season[]) =>
    planCatalogueFile(world.db, readCatalogue(JSON.stringify({ seasons }, null, 1), false), {})

  test('are listed by their start, in the language of the caller, and follow each change', async () => {
    await write(season(1990, { id: 'a', name: { en: 'Ninety', pt: 'Noventa' } }))
    // The next one can start when one ends.
    await write(season(1989, { id: 'b', startsAt: '1989-07-01T02:00:00+02:00' }))
    await write(season(1990, { id: 'c', active: false }))
    const { active: _, ...before } = season(1989, { id: 'b' })
    const after = { ...season(1990, { id: 'a' }), name: 'Ninety' }
    expect(await list()).toEqual([before, after])
    expect((await list('pt'))[1].name).toBe('Noventa')
    expect((await write(season(1989, { id: 'b' }))).outcome).toBe('unchanged')
    await write(season(1989, { id: 'b', startsAt: '1989-08-01T00:00:00.000Z' }))
    expect((await list())[0].startsAt).toBe('1989-08-01T00:00:00.000Z')
    await world.db.write(tx => seasonKind.deactivate(tx, 'a'))
    expect(await list()).toHaveLength(1)
    // What it left is free, and it cannot return there.
    await write(season(1990, { id: 'c' }))
    expect(await errorsOf(write(season(1990, { id: 'a' })))).toMatchObject([{ pointer: '/startsAt' }])
  })

  test('and the seasons of matches for streams do not mix, in either order', async () => {
    const topicOf = async (id: string) =>
      (await world.anonymous.get(`/api/stream?topics=leaderboard:predictions:${id}`)).status
    await write(season(1990, { id: 'listed' }))
    expect(await list()).toHaveLength(1)
    expect(await topicOf('1900')).toBe(404)
    await world.match({ season: '1990' })
    await write(season(1980, { id: 'also' }))
    expect(await topicOf('1900')).toBe(404)
    expect(await list()).toHaveLength(2)
  })

  test.each([
    ['begins within it', { startsAt: '2001-01-01T00:00:00Z', endsAt: '2002-01-01T00:00:00Z' }, '/startsAt'],
    ['ends within it', { startsAt: '1999-01-01T00:00:00Z', endsAt: '2000-07-01T00:00:00.001Z' }, '/endsAt'],
    ['is around it', { startsAt: '1999-01-01T00:00:00Z', endsAt: '2009-01-01T00:00:00Z' }, '/endsAt'],
    ['is at the same time', {}, '/startsAt'],
  ])('one that %s is refused', async (_, members, pointer) => {
    await write(season(2000))
    const message =
      'overlaps season season-2000, which is from 2000-07-01T00:00:00.000Z to 2001-07-01T00:00:00.000Z'
    expect(await errorsOf(write(season(2000, { id: 'other', ...members })))).toEqual([{ pointer, message }])
    expect((await write(season(2000, { id: 'other', ...members, active: false }))).outcome).toBe('created')
  })

  test('only one of several overlapping seasons that are written at once is stored', async () => {
    const ids = Array.from({ length: 8 }, (_, n) => `at-once-${n}`)
    const written = await Promise.allSettled(ids.map(id => write(season(2010, { id }))))
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await list()).filter(({ id }: Season) => id.startsWith('at-once'))).toHaveLength(1)
  })

  test('a file is refused at the season that overlaps with another one, in the file or stored', async () => {
    await write(season(2020))
    const within = readCatalogue(
      JSON.stringify({ seasons: [season(2031), season(2030), season(2031, { id: 'x' })] }, null, 1),
      false,
    )
    expect(within.faults).toEqual([
      {
        line: 18,
        pointer: '/seasons/2/startsAt',
        message:
          'overlaps season season-2031, which is from 2031-07-01T00:00:00.000Z to 2032-07-01T00:00:00.000Z',
      },
    ])
    const { faults } = await plan(season(2020, { id: 'y' }))
    expect(faults.map(({ line, pointer }) => [line, pointer])).toEqual([[6, '/seasons/0/startsAt']])
    // One that the file moves first makes room.
    const moved = await plan(
      season(2020, { startsAt: '2020-08-01T00:00:00.000Z' }),
      season(2019, { endsAt: '2020-08-01T00:00:00.000Z' }),
    )
    expect(moved.faults).toEqual([])
    expect(moved.due.map(({ outcome }) => outcome)).toEqual(['changed', 'created'])
  })

  test('the database refuses an end that is not after the start', async () => {
    const at = new Date('2040-01-01T00:00:00Z')
    const row = { id: 'z', name: 'Z', startsAt: at, endsAt: at, active: true, createdAt: at, updatedAt: at }
    const insert = world.db.write(async tx => void (await tx.insert(tx.tables.seasons).values(row)))
    expect(
      await insert.then(
        () => 'stored',
        () => 'refused',
      ),
    ).toBe('refused')
  })
})

test('an end before the start is a fault', () => {
  const entry = season(2026, { endsAt: '2026-07-01T00:00:00.000Z' })
  expect(seasonKind.faults(entry)).toEqual([{ pointer: '/endsAt', message: 'must be after startsAt' }])
})
