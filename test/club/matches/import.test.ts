/** Matches as an importer states them. */
import { expect, test } from 'bun:test'
import type { EntryChange } from '../../../src/club/catalogue/entry.ts'
import type { MatchEntry } from '../../../src/club/matches/match-kind.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { entryKinds, planRecord, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('A match in a catalogue file', world => {
  let made = 0
  async function record(fields: Partial<MatchEntry> = {}) {
    const entry: MatchEntry = {
      id: `import-${++made}`,
      competition: 'Coastal League',
      season: '2026/27',
      homeTeamId: await world.team(),
      awayTeamId: await world.team(),
      kickoffAt: '2026-08-15T18:30:00.000Z',
      ...fields,
    }
    return { kind: 'match' as const, entry }
  }
  type MatchRecord = Awaited<ReturnType<typeof record>>
  const write = (match: MatchRecord) => world.db.write(tx => writeRecord(tx, match))
  const changed = ({ kind, entry }: MatchRecord, fields: Partial<MatchEntry>): MatchRecord => ({
    kind,
    entry: { ...entry, ...fields },
  })
  const read = async ({ entry }: MatchRecord) => (await world.anonymous.get(`/api/matches/${entry.id}`)).body

  async function pointersOf(attempt: Promise<unknown>) {
    const error = await attempt.catch((thrown: unknown) => thrown)
    if (!(error instanceof DomainError)) throw error
    expect(error.code).toBe('catalogue_conflict')
    return error.explanation.errors?.map(fault => ('pointer' in fault ? fault.pointer : ''))
  }

  test('is created as scheduled at revision 1, and unchanged the second time', async () => {
    const match = await record()
    expect(await planRecord(world.db.read, match)).toEqual({ outcome: 'created', members: {} })
    expect((await write(match)).outcome).toBe('created')
    expect((await write(match)).outcome).toBe('unchanged')
    expect(await read(match)).toMatchObject({ status: 'scheduled', revision: 1, homeScore: null })
  })

  test('changes its venue and round at any revision', async () => {
    const match = await record()
    await write(match)
    const moved = changed(match, { venue: 'Harbour Park', round: 'Round 2' })
    expect(await write(moved)).toEqual({
      outcome: 'changed',
      members: { venue: [null, 'Harbour Park'], round: [null, 'Round 2'] },
    })
    expect(await read(match)).toMatchObject({ venue: 'Harbour Park', round: 'Round 2', revision: 1 })
  })

  test('changes status, scores and kick-off by a greater revision only', async () => {
    const match = await record()
    await write(match)
    const result = { status: 'finished', homeScore: 2, awayScore: 1 } as const
    expect((await write(changed(match, result))).outcome).toBe('unchanged')
    expect((await write(changed(match, { ...result, revision: 2 }))).members).toEqual({
      status: ['scheduled', 'finished'],
      homeScore: [null, 2],
      awayScore: [null, 1],
      revision: [1, 2],
    })
    // The file of the season, imported again.
    expect((await write(match)).outcome).toBe('unchanged')
    expect(await read(match)).toMatchObject({ ...result, revision: 2 })
  })

  test('reports that its kick-off does not change without a greater revision, and moves it only with force', async () => {
    const match = await record()
    await write(match)
    const result = { status: 'finished', homeScore: 2, awayScore: 1 } as const
    await write(changed(match, { ...result, revision: 3 }))
    const later = changed(match, { kickoffAt: '2026-08-16T14:00:00Z', status: 'scheduled' })
    const kickoffs: [Date, Date] = [new Date('2026-08-15T18:30:00Z'), new Date('2026-08-16T14:00:00Z')]
    const kept: EntryChange = { outcome: 'unchanged', members: {}, kept: { kickoffAt: kickoffs } }
    expect(await planRecord(world.db.read, later)).toEqual(kept)
    expect(await write(later)).toEqual(kept)
    expect(await read(match)).toMatchObject({ ...result, kickoffAt: match.entry.kickoffAt, revision: 3 })

    const forced = { outcome: 'changed', members: { kickoffAt: kickoffs } }
    expect(await planRecord(world.db.read, later, { force: true })).toMatchObject(forced)
    expect(await world.db.write(tx => writeRecord(tx, later, { force: true }))).toMatchObject(forced)
    expect(await read(match)).toMatchObject({
      ...result,
      kickoffAt: '2026-08-16T14:00:00.000Z',
      revision: 3,
    })
    expect(await planRecord(world.db.read, later)).toEqual({ outcome: 'unchanged', members: {} })
  })

  test('keeps what a greater revision leaves out', async () => {
    const match = await record({ status: 'postponed', revision: 3 })
    await write(match)
    const { status: _, ...rest } = match.entry
    await write({ kind: 'match', entry: { ...rest, kickoffAt: '2026-09-01T18:30:00.000Z', revision: 4 } })
    expect(await read(match)).toMatchObject({
      status: 'postponed',
      kickoffAt: '2026-09-01T18:30:00.000Z',
      revision: 4,
    })
  })

  test('cannot change its teams', async () => {
    const match = await record()
    await write(match)
    const swapped = changed(match, {
      homeTeamId: match.entry.awayTeamId,
      awayTeamId: match.entry.homeTeamId,
    })
    expect(await pointersOf(planRecord(world.db.read, swapped))).toEqual(['/homeTeamId', '/awayTeamId'])
    expect(await pointersOf(write(swapped))).toEqual(['/homeTeamId', '/awayTeamId'])
  })

  test.each([
    ['a finished match without scores', { status: 'finished' }, ['/homeScore', '/awayScore']],
    ['a scheduled match with scores', { homeScore: 0, awayScore: 0 }, ['/homeScore', '/awayScore']],
    ['a live match with one score', { status: 'live', homeScore: 1 }, ['/awayScore']],
  ] as [string, Partial<MatchEntry>, string[]][])('refuses %s', async (_, fields, pointers) => {
    expect(await pointersOf(write(await record(fields)))).toEqual(pointers)
  })

  test('is no longer listed after it is deactivated, and is listed again after the next import', async () => {
    const match = await record()
    await write(match)
    await world.db.write(tx => entryKinds.match.deactivate(tx, match.entry.id))
    expect(await entryKinds.match.listActive(world.db.read)).not.toContain(match.entry.id)
    expect((await read(match)).code).toBe('match_not_found')
    await write(match)
    expect((await read(match)).id).toBe(match.entry.id)
  })
})
