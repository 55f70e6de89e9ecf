/** Competitions: the public list, and what an entry may state. */
import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { competitionKind } from '../../../src/club/competitions/competition-kind.ts'
import { onEachEngine } from '../../support/world.ts'

const cup = {
  id: 'cup',
  name: { en: 'Cup', pt: 'Taça' },
  deadline: 'round' as const,
  points: { exact: 30, difference: 15, outcome: 10 },
  joker: null,
  crowd: false,
}

onEachEngine('GET /api/competitions', world => {
  test('lists the active competitions in the language of the caller, and what a change made of them', async () => {
    const list = async (lang: string) =>
      (await world.anonymous.get(`/api/competitions?lang=${lang}`)).body.competitions
    const write = (entry: Parameters<typeof competitionKind.upsert>[1]) =>
      world.db.write(tx => competitionKind.upsert(tx, entry))
    expect(await list('en')).toEqual([])
    await write(cup)
    await write({ ...cup, id: 'league', name: 'League', deadline: 'match', active: false })
    expect(await list('en')).toEqual([{ ...cup, name: 'Cup' }])
    expect(await list('pt')).toEqual([{ ...cup, name: 'Taça' }])
    await write({ ...cup, deadline: 'match' })
    expect(await list('en')).toEqual([{ ...cup, name: 'Cup', deadline: 'match' }])
    await world.db.write(tx => competitionKind.deactivate(tx, 'cup'))
    expect(await list('en')).toEqual([])
  })
})

test.each([
  ['another deadline', { deadline: 'season' }],
  ['negative points', { points: { ...cup.points, exact: -1 } }],
  ['points for two hits', { points: { exact: 1, outcome: 1 } }],
  ['an unknown member', { bonus: 9 }],
])('a competition with %s does not match the schema', (_, members) => {
  expect(Value.Check(competitionKind.schema, { ...cup, ...members })).toBe(false)
})
