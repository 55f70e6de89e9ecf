/** Players: the public list, and what an entry may state. */
import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { playerKind } from '../../../src/club/players/player-kind.ts'
import { teamKind } from '../../../src/club/teams/team-kind.ts'
import { onEachEngine } from '../../support/world.ts'

type Player = Parameters<typeof playerKind.upsert>[1]

onEachEngine(
  'GET /api/players',
  world => {
    const write = (entry: Player) => world.db.write(tx => playerKind.upsert(tx, entry))
    const list = async (query = '') =>
      (await world.anonymous.get(`/api/players?lang=en${query}`)).body.players

    test('lists the active players, or those of a team, in the language of the caller', async () => {
      await world.db.write(tx => teamKind.upsert(tx, { id: 'harbour', name: 'Harbour', shortName: 'HAR' }))
      expect(await list()).toEqual([])
      await write({
        id: 'nine',
        teamId: 'harbour',
        name: 'Ana Reis',
        number: 9,
        position: { en: 'Forward', pt: 'Avançada' },
        imageUrl: '/pictures/nine.svg',
      })
      await write({ id: 'free', name: 'Bea' })
      const free = { id: 'free', teamId: null, name: 'Bea', number: null, position: null, imageUrl: null }
      const nine = {
        id: 'nine',
        teamId: 'harbour',
        name: 'Ana Reis',
        number: 9,
        imageUrl: '/pictures/nine.svg',
      }
      expect(await list()).toEqual([free, { ...nine, position: 'Forward' }])
      expect(await list('&teamId=harbour')).toEqual([{ ...nine, position: 'Forward' }])
      expect(await list('&teamId=other')).toEqual([])
      const inPortuguese = await world.anonymous.get('/api/players?lang=pt&teamId=harbour')
      expect(inPortuguese.body.players).toEqual([{ ...nine, position: 'Avançada' }])
      await world.db.write(tx => playerKind.deactivate(tx, 'nine'))
      expect(await list()).toEqual([free])
    })

    test('has no player of a team that is in no catalogue', async () => {
      const refused = await write({ id: 'ten', name: 'Cid', teamId: 'nobody' }).catch(error => error)
      expect(refused).toMatchObject({ code: 'catalogue_conflict' })
      expect(JSON.stringify(refused.explanation)).toContain('/teamId')
      const isWritten = (list: string, id: string) => list === 'teams' && id === 'nobody'
      const options = { isWritten }
      const entry = { id: 'ten', name: 'Cid', teamId: 'nobody' }
      expect((await world.db.write(tx => playerKind.upsert(tx, entry, options))).outcome).toBe('created')
    })
  },
  { worldPer: 'test' },
)

test.each([
  ['a number above 999', { number: 1000 }],
  ['a number that is no integer', { number: 1.5 }],
  ['an unknown member', { shirt: 9 }],
])('a player with %s does not match the schema', (_, members) => {
  expect(Value.Check(playerKind.schema, { id: 'nine', name: 'Ana', ...members })).toBe(false)
})
