import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('GET /api/teams of an empty catalogue', world => {
  test('returns an empty list before a catalogue is imported', async () => {
    const { status, body } = await world.anonymous.get('/api/teams')
    expect([status, body]).toEqual([200, { teams: [] }])
  })
})

onEachEngine('GET /api/teams', world => {
  test('lists the active teams by id, to anybody', async () => {
    const [first, second] = [await world.team(), await world.team()]
    await world.team({ active: false })
    const { body } = await world.anonymous.get('/api/teams')
    expect(body.teams.map(({ id }: { id: string }) => id)).toEqual([first, second])
  })
})
