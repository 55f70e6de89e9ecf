/**
 * Before the deadline nobody reads the prediction of another fan: every documented GET, the shared page and the export of a fan in the
 * same league, of a follower, of a stranger and without a token. Found by walking the OpenAPI document.
 */
import { beforeAll, expect, test } from 'bun:test'
import { exportUser } from '../../src/operate/admin/export-user.ts'
import { follow, type NamedFan, namedFan } from '../identity/relations/relations-world.ts'
import { operationsOf, readDocument, requiresServerKey } from '../platform/docs/document.ts'
import { create, join } from '../play/leagues/leagues-world.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { addCompetition, addMatch } from '../play/predictions/match-world.ts'
import type { Client } from '../support/client.ts'
import { onEachEngine } from '../support/world.ts'

/** As JSON or in words, with the home team first. No other number of a response is 83. */
const PREDICTED = /\b83\b[\s\S]{0,40}\b79\b/
const SCORES = { homeScore: 83, awayScore: 79 }

onEachEngine('A prediction before the deadline', world => {
  let ada: NamedFan
  let member: NamedFan
  let stranger: NamedFan
  let matchId: string
  let paths: string[]

  beforeAll(async () => {
    ada = await namedFan(world)
    member = await namedFan(world)
    stranger = await namedFan(world)
    for (const fan of [ada, member, stranger])
      expectStatus(204, await fan.put('/api/user/leaderboard-membership'))
    await follow(member, ada.handle)
    const competition = await addCompetition(world, { joker: 1, crowd: true })
    matchId = (await addMatch(world, { competition, season: '2026', round: '1' })).matchId
    const league = await create(ada, { scoring: 'predictions', competition, format: 'head_to_head' })
    expectStatus(200, await join(member, league.code))
    expectStatus(200, await ada.put(`/api/matches/${matchId}/prediction`, { ...SCORES, joker: true }))
    const values: Record<string, string> = { handle: ada.handle, matchId, leagueId: league.id }
    const reads = operationsOf(await readDocument(world)).filter(
      located => located.method === 'GET' && !requiresServerKey(located),
    )
    paths = [
      ...reads.flatMap(({ path }) => {
        const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
        return filled.includes('{') || filled === '/api/stream' ? [] : filled
      }),
      '/api/leaderboard?kind=predictions&among=following',
      '/api/leaderboard?around=me',
    ]
  })

  const findIn = async (client: Client) => {
    const found: string[] = []
    for (const path of paths) {
      const { body } = await client.get(path)
      if (PREDICTED.test(JSON.stringify(body) ?? '')) found.push(path)
    }
    return found
  }

  test('is read by its fan, so that the walk finds it', async () => {
    expect(await findIn(ada)).toEqual(
      expect.arrayContaining([`/api/matches/${matchId}/prediction`, '/api/user/predictions']),
    )
  })

  test.each([
    ['a member of the same league, who follows the fan', () => member],
    ['a stranger', () => stranger],
    ['someone without a token', () => world.anonymous],
  ])('is nowhere for %s', async (_, client) => {
    expect(paths.length).toBeGreaterThan(60)
    expect(await findIn(client())).toEqual([])
  })

  test.each(['', '/picture.png'])('is not shared at its address%s', async suffix => {
    const url = `http://localhost/shared/predictions/${matchId}/${ada.handle}${suffix}`
    const response = await world.app.handle(new Request(url))
    expect(response.status).toBe(404)
    expect(await response.text()).not.toMatch(PREDICTED)
  })

  test('is not in the export of a member of the same league', async () => {
    const { id } = expectStatus(200, await member.get('/api/user/profile'))
    expect(JSON.stringify(await exportUser(world.db.read, { id }))).not.toMatch(PREDICTED)
  })
})
