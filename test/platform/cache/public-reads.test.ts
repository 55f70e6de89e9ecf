/** Which reads use the replica. It is another database here, so that content tells which one was read. */
import { beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { Database } from '../../../db/index.ts'
import { runStatement } from '../../../db/schema/shape.ts'
import { isServerScope, SERVER_SCOPES } from '../../../src/identity/server-keys/scopes.ts'
import { scrape } from '../../operate/metrics/scrape.ts'
import { addPack, buy, FREE, open, patientFan } from '../../play/packs/packs-world.ts'
import type { Answer, Client } from '../../support/client.ts'
import { createFactories } from '../../support/factories.ts'
import { onServer, type World } from '../../support/world.ts'
import { type Located, operationsOf, readDocument, readsToken, requiresServerKey } from '../docs/document.ts'

/** How long a response stays in memory. Milliseconds. */
const CACHED = 900

/** Calls `work`, and returns how many queries it put to the replica. */
async function countReplicaQueries({ replica }: World, work: () => Promise<unknown>): Promise<number> {
  const { read } = replica ?? {}
  if (!read) throw new Error('the world has no replica')
  const spies = [
    spyOn(read, 'select'),
    spyOn(read, 'selectDistinct'),
    spyOn(read, 'with'),
    spyOn(read.statements, 'get'),
  ]
  try {
    await work()
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Names teams, packs and seasons. */
const rename = (db: Database, name: string) =>
  db.write(async tx => {
    const { teams, packs, matches } = tx.tables
    await tx.update(teams).set({ name })
    await tx.update(packs).set({ name })
    await tx.update(matches).set({ season: name })
  })

/** Teams, a pack and a match of the same ids. */
async function fill({ config }: World, db: Database) {
  await createFactories(db, config).match({ id: 'derby' })
  await addPack({ db }, { id: 'pack', price: FREE })
}

const nameOf: Record<string, (body: Answer['body']) => unknown> = {
  '/api/teams': body => body.teams[0].name,
  '/api/packs': body => body.packs[0].name,
  '/api/packs/pack': body => body.name,
  '/api/matches': body => body.matches[0].season,
  '/api/matches/derby': body => body.season,
  // Only the board of the primary has fans.
  '/api/leaderboard': body => (body.total > 0 ? 'primary' : 'replica'),
}

const namesSeenBy = async (client: Client) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(nameOf).map(async ([path, read]) => {
        const { status, body } = await client.get(path)
        return [path, status === 200 ? read(body) : status]
      }),
    ),
  )

const everywhere = (name: string) => Object.fromEntries(Object.keys(nameOf).map(path => [path, name]))

onServer(
  'a replica',
  world => {
    const replica = () => world.replica as Database
    const teamOf = async () => (await world.anonymous.get('/api/teams')).body.teams[0].name
    const check = () => world.deps.publicReads.check()
    const problem = () => world.deps.publicReads.replica?.problem()
    const notice = async () => {
      const { status, body } = await world.anonymous.get('/readyz')
      return [status, body.checks.replica]
    }
    /** Past the age of what is in memory, and of the last check. */
    async function pass(ms: number) {
      world.clock.advance(ms)
      await check()
    }

    beforeAll(async () => {
      await fill(world, world.db)
      await fill(world, replica())
      const fan = await world.fan()
      await fan.put('/api/user/leaderboard-membership')
      await world.grant(fan, 10)
    })
    beforeEach(async () => {
      await rename(world.db, 'primary')
      await rename(replica(), 'replica')
      await pass(CACHED)
    })

    test('serves all public responses, and none for a caller: a board with a token is read from the primary', async () => {
      const fan = await world.fan()
      expect(await namesSeenBy(world.anonymous)).toEqual(everywhere('replica'))
      // Now in memory.
      expect(await namesSeenBy(world.anonymous)).toEqual(everywhere('replica'))
      expect((await fan.get('/api/leaderboard')).body.total).toBeGreaterThan(0)
      expect((await world.anonymous.get('/api/leaderboard')).body.total).toBe(0)
      expect((await fan.get('/api/leaderboard?around=me')).status).toBe(200)
    })

    describe('of all operations', () => {
      let operations: Located[]
      beforeAll(async () => {
        operations = operationsOf(await readDocument(world))
      })

      /** With the example as the body, and ids that exist. */
      const call = ({ method, path, operation }: Located, client: Client) => {
        const content = operation.requestBody?.content?.['application/json']
        const example = content?.example ?? Object.values(content?.examples ?? {})[0]?.value ?? {}
        const target = path
          .replace('{packId}', 'pack')
          .replace('{matchId}', 'derby')
          .replace(/\{[^}]+\}/g, '01981e2c-7c1f-7000-8000-000000000003')
        const init = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(example) }
        return client.send(target, { method, ...(method === 'GET' ? {} : init) })
      }

      test('operations that require a token of a fan or a server do not read it', async () => {
        const withToken = operations.filter(located => readsToken(located) || requiresServerKey(located))
        expect(withToken.length).toBeGreaterThan(30)
        const served: string[] = []
        for (const located of withToken) {
          const client = requiresServerKey(located)
            ? world.withToken(await world.serverKey(Object.keys(SERVER_SCOPES).filter(isServerScope)))
            : await world.fan()
          const queries = await countReplicaQueries(world, async () => {
            const { status } = await call(located, client)
            expect([401, 403, 500, 503], located.name).not.toContain(status)
            if (status < 300) served.push(located.name)
          })
          expect(queries, located.name).toBe(0)
        }
        expect(served.length).toBeGreaterThan(15)
      })

      test('without a token, all operations that only read use it', async () => {
        const readers: string[] = []
        for (const located of operations) {
          const queries = await countReplicaQueries(world, () => call(located, world.anonymous))
          if (queries > 0) readers.push(located.operation.operationId)
        }
        expect(readers.toSorted()).toEqual(
          [
            'listCompetitions',
            'listDocuments',
            'listMatches',
            'listPacks',
            'listPlayers',
            'listProducts',
            'listQuestions',
            'listSeasons',
            'listSponsors',
            'listTeams',
            'readBands',
            'readFan',
            'readLeaderboard',
            'readLocker',
            'readMatch',
            'readPack',
            'readPredictionRules',
            'readProduct',
            'readProof',
          ].toSorted(),
        )
      })
    })

    test('is used for the topics of a stream, as it is for the GET of a topic', async () => {
      const fan = await world.fan()
      const topics = 'match:derby,pack:pack,leaderboard'
      expect(await countReplicaQueries(world, () => fan.get(`/api/stream?topics=${topics}`))).toBeGreaterThan(
        2,
      )
    })

    test('that lacks a row does not cause 404: the primary has the row', async () => {
      const packId = await addPack(world, { price: FREE })
      const fan = await patientFan(world, 1)
      const { userPack } = await buy(fan, packId)
      await open(fan, userPack.id)
      expect((await world.anonymous.get(`/api/packs/${packId}`)).body.name).toBe(packId)
      expect((await world.anonymous.get(`/api/packs/proofs/${userPack.id}`)).status).toBe(200)
      expect((await world.anonymous.get('/api/matches/unknown')).status).toBe(404)
      expect(problem()).toBeNull()
    })

    test('shows a write once it has it, at most the age of a response in memory later', async () => {
      expect(await teamOf()).toBe('replica')
      await rename(world.db, 'imported')
      // A unit of work of this process: what the primary gave before is outdated at once, and the replica has not replayed it.
      await createFactories(world.db, world.config).reward()
      world.clock.advance(CACHED - 1)
      expect(await teamOf()).toBe('replica')
      world.clock.advance(1)
      // Read again, just before the replica has it.
      expect(await teamOf()).toBe('replica')
      await rename(replica(), 'imported')
      world.clock.advance(CACHED)
      expect(await teamOf()).toBe('imported')
    })

    test('that is not migrated is not used until it is, and no request fails', async () => {
      const applied = sql`"__drizzle_migrations"`
      const [last] = await replica().write(tx =>
        runStatement(tx, sql`DELETE FROM ${applied} WHERE id = (SELECT max(id) FROM ${applied}) RETURNING *`),
      )
      await pass(CACHED)
      expect(problem()).toBe('database outdated')
      expect(await namesSeenBy(world.anonymous)).toEqual(everywhere('primary'))
      expect(await notice()).toEqual([200, 'not used: database outdated'])
      const metrics = await scrape(world)
      expect(metrics.value('matchday_database_replica_unusable')).toBe(1)
      expect(metrics.value('matchday_database_replica_fallbacks_total')).toBeGreaterThan(5)
      expect(metrics.value('matchday_database_pool_size{server="replica"}')).toBe(5)
      expect(metrics.labels('matchday_cache_requests_total', 'cache')).toContain('replica_responses')
      await replica().write(tx =>
        runStatement(
          tx,
          sql`INSERT INTO ${applied} (id, hash, created_at) VALUES (${last?.id}, ${last?.hash}, ${last?.created_at})`,
        ),
      )
      await check()
      expect(await notice()).toEqual([200, undefined])
      expect((await scrape(world)).value('matchday_database_replica_unusable')).toBe(0)
      expect(await namesSeenBy(world.anonymous)).toEqual(everywhere('replica'))
    })

    test('that lacks a column fails no request, even before a check notices', async () => {
      await replica().write(tx => runStatement(tx, sql`ALTER TABLE teams RENAME COLUMN short_name TO former`))
      expect(await teamOf()).toBe('primary')
      await replica().write(tx => runStatement(tx, sql`ALTER TABLE teams RENAME COLUMN former TO short_name`))
      expect(await teamOf()).toBe('replica')
    })

    test('whose read fails serves the next one, and the primary serves the failed one', async () => {
      const { read } = replica()
      const failure = spyOn(read, 'select').mockImplementation(() => {
        throw Object.assign(new Error('terminated'), { code: '57P01' })
      })
      const fallbacks = () => world.deps.publicReads.replica?.fallbacks() ?? 0
      const before = fallbacks()
      expect(await teamOf()).toBe('primary')
      expect(fallbacks()).toBe(before + 1)
      failure.mockRestore()
      expect(problem()).toBeNull()
      expect(await teamOf()).toBe('replica')
    })
  },
  { replica: true, env: { METRICS_PORT: '0' } },
)
