/**
 * Before the deadline nobody reads the prediction of another fan: every documented GET, every page that is shared, every topic of streams
 * and the export of a fan in the same league, of a follower, of a stranger and without a token. Found by walking the OpenAPI document,
 * the routes of the application and the forms of topics.
 */
import { beforeAll, expect, test } from 'bun:test'
import { ME, TOPIC_FORMS } from '../../src/delivery/stream/topics.ts'
import { exportUser } from '../../src/operate/admin/export-user.ts'
import { bearer, openStream } from '../delivery/stream/stream-world.ts'
import { follow, type NamedFan, namedFan } from '../identity/relations/relations-world.ts'
import { fetchDocument, operationsOf, readDocument, requiresServerKey } from '../platform/docs/document.ts'
import { create, earn, join } from '../play/leagues/leagues-world.ts'
import { addPack, expectStatus } from '../play/packs/packs-world.ts'
import { addCompetition, addMatch, settleAll } from '../play/predictions/match-world.ts'
import { addQuestion, vote } from '../play/questions/questions-world.ts'
import type { Client } from '../support/client.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEachEngine, type World } from '../support/world.ts'

/** As JSON or in words, with the home team first. No other number of a response is 83. */
const PREDICTED = /\b83\b[\s\S]{0,40}\b79\b/
const SCORES = { homeScore: 83, awayScore: 79 }
const SEASON = '2026'

/** A fan with an open prediction, a member of the same league who follows the fan, and a stranger. */
async function preparePrediction(world: World) {
  const ada = await namedFan(world)
  const member = await namedFan(world)
  const stranger = await namedFan(world)
  for (const fan of [ada, member, stranger])
    expectStatus(204, await fan.put('/api/user/leaderboard-membership'))
  await follow(member, ada.handle)
  const competition = await addCompetition(world, { joker: 1, crowd: true })
  const match = await addMatch(world, { competition, season: SEASON, round: '1' })
  const league = await create(ada, { scoring: 'predictions', competition, format: 'head_to_head' })
  expectStatus(200, await join(member, league.code))
  const predict = async () =>
    expectStatus(200, await ada.put(`/api/matches/${match.matchId}/prediction`, { ...SCORES, joker: true }))
  await predict()
  return { ada, member, stranger, match, leagueId: league.id, predict }
}

/** Parameters of paths that name nothing of a prediction. With another one, a path must be filled. */
const UNRELATED = new Set([
  ...['id', 'code', 'packId', 'userPackId', 'collectibleId', 'serialNumber', 'purchaseId', 'tradeId'],
  ...['topUpId', 'currency', 'productId', 'orderId', 'number', 'name', 'token'],
])

onEachEngine('A prediction before the deadline', world => {
  let ada: NamedFan
  let member: NamedFan
  let stranger: NamedFan
  let paths: string[]
  let pages: string[]
  let matchId: string

  beforeAll(async () => {
    const prepared = await preparePrediction(world)
    ada = prepared.ada
    member = prepared.member
    stranger = prepared.stranger
    matchId = prepared.match.matchId
    const values: Record<string, string> = { handle: ada.handle, matchId, leagueId: prepared.leagueId }
    const fill = (path: string) => path.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
    const isFilled = (path: string) => {
      const left = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? [])
      const unknown = left.filter(name => !UNRELATED.has(name))
      if (unknown.length > 0) throw new Error(`the walk knows no ${unknown.join()} for ${path}`)
      return left.length === 0
    }
    const reads = operationsOf(await readDocument(world)).filter(
      located => located.method === 'GET' && !requiresServerKey(located),
    )
    paths = [
      ...reads.map(({ path }) => fill(path)).filter(path => path !== '/api/stream' && isFilled(path)),
      '/api/leaderboard?kind=predictions&among=following',
      '/api/leaderboard?around=me',
    ]
    const documented = Object.keys((await fetchDocument(world)).paths)
    pages = world.app.routes
      .filter(({ method, path }) => method === 'GET' && path.includes(':'))
      .map(({ path }) => path.replace(/:(\w+)/g, '{$1}'))
      .filter(path => !documented.includes(path))
      .map(fill)
      .filter(isFilled)
  })

  const findIn = async (client: Client) => {
    const found: string[] = []
    for (const path of paths) {
      const { body } = await client.get(path)
      if (PREDICTED.test(JSON.stringify(body) ?? '')) found.push(path)
    }
    return found
  }

  async function readPage(path: string) {
    const response = await world.app.handle(new Request(`http://localhost${path}`))
    return { status: response.status, text: await response.text() }
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

  test('is on no page for links', async () => {
    const shared = `/shared/predictions/${matchId}/${ada.handle}`
    const expected = [shared, `${shared}/picture.png`, `/lockers/${ada.handle}`]
    expect(pages).toEqual(expect.arrayContaining(expected))
    const found: string[] = []
    for (const path of pages) {
      const { status, text } = await readPage(path)
      if ((path.startsWith(shared) && status !== 404) || PREDICTED.test(text)) found.push(path)
    }
    expect(found).toEqual([])
  })

  test('is in no export but that of its fan', async () => {
    const exported = async ({ id }: NamedFan) => JSON.stringify(await exportUser(world.db.read, { id }))
    expect(await exported(ada)).toMatch(PREDICTED)
    for (const fan of [member, stranger]) expect(await exported(fan)).not.toMatch(PREDICTED)
  })
})

onEachEngine('A prediction before the deadline, on streams', world => {
  test('is in no topic of a member of the same league, of a stranger and of someone without a token', async () => {
    const { ada, member, stranger, match, predict } = await preparePrediction(world)
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    const origin = `http://127.0.0.1:${world.app.server?.port}`
    const { matchId } = match
    const [packId, questionId] = [
      await addPack(world),
      await addQuestion(world, { matchId, results: 'live' }),
    ]
    // Another form of topics has to be filled here.
    const topics: Record<(typeof TOPIC_FORMS)[number], string> = {
      me: ME,
      leaderboard: 'leaderboard',
      'leaderboard:predictions': 'leaderboard:predictions',
      'leaderboard:predictions:SEASON': `leaderboard:predictions:${SEASON}`,
      'pack:ID': `pack:${packId}`,
      'match:ID': `match:${matchId}`,
      'question:ID': `question:${questionId}`,
    }
    expect(Object.keys(topics)).toEqual([...TOPIC_FORMS])
    const all = Object.values(topics)
    const open = (of: string[], headers?: Record<string, string>) =>
      openStream(origin, `topics=${of.map(encodeURIComponent).join()}`, headers)
    const own = await open(all, bearer(ada.token))
    const others = await Promise.all([
      open(all, bearer(member.token)),
      open(all, bearer(stranger.token)),
      open(all.filter(topic => topic !== ME)),
    ])
    const streams = [own, ...others]
    const announced = (topic: string, times: number) =>
      waitUntil(`${topic} was sent ${times} times to each`, () =>
        streams.every(stream => stream.named(topic).length >= times),
      )
    for (const topic of all.filter(topic => topic !== ME)) await announced(topic, 1)

    await predict()
    await vote(ada, questionId, 'home')
    await earn(world, ada.id, 10)
    for (const topic of [topics['question:ID'], topics.leaderboard]) await announced(topic, 2)
    // The fans of the streams get events of their own.
    for (const fan of [member, stranger]) await vote(fan, questionId, 'away')
    await match.report({ status: 'scheduled', kickoffAt: new Date(world.clock.ms + 1_000).toISOString() })
    await announced(topics['match:ID'], 2)
    for (const stream of others) expect(JSON.stringify(stream.received)).not.toMatch(PREDICTED)

    // After the deadline the fan's own stream has it, so that the walk finds it.
    world.clock.advance(1_000)
    await match.finish(SCORES.homeScore, SCORES.awayScore)
    await settleAll(world)
    await waitUntil('the fan was told', () => own.named('prediction.settled').length > 0)
    expect(JSON.stringify(own.named('prediction.settled'))).toMatch(PREDICTED)
    for (const stream of streams) stream.close()
    await waitUntil('the server noticed', () => world.deps.streams.size === 0)
  })
})
