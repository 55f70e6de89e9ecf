/** Two clubs in two schemas of one database do the same at once, with the same fans: neither sees anything of the other's. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dropDatabase } from '../../db/drop.ts'
import { type Database, openDatabase } from '../../db/index.ts'
import { countRows } from '../../db/pages.ts'
import { tablesInOrder } from '../../db/schema/shape.ts'
import { realSources } from '../../src/core/sources.ts'
import { addEndpoint } from '../../src/delivery/webhooks/endpoints.ts'
import { createWebhookSecrets } from '../../src/delivery/webhooks/secrets.ts'
import { parseConfig } from '../../src/platform/config/config.ts'
import { bearer, closeStreams, openStream } from '../delivery/stream/stream-world.ts'
import { type Receiver, startReceiver } from '../delivery/webhooks/receiver.ts'
import { addRule } from '../economy/rules/rules-world.ts'
import { addPack, buy, expectStatus, FREE, open } from '../play/packs/packs-world.ts'
import { accept, offer } from '../play/trades/trades-world.ts'
import { runScript } from '../scripts/run-script.ts'
import { createClient } from '../support/client.ts'
import { createClock } from '../support/clock.ts'
import { noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { createFactories } from '../support/factories.ts'
import { openPatiently } from '../support/patience.ts'
import { type PgBouncer, pgbouncerBinary, startPgBouncer } from '../support/pgbouncer.ts'
import {
  type RunningApi,
  type RunningProvider,
  secrets,
  startApi,
  startProvider,
} from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { withRawConnection } from './probe.ts'

const FANS = 8
/** By which their effects differ. */
const POINTS = { harbour: 100, valley: 700, pier: 300 }
type Name = keyof typeof POINTS
const NAMES: Name[] = ['harbour', 'valley']
/** A club that is moved and deleted. */
const MOVED = 'pier'
const COPY = 'meadow'

interface Club {
  env: Record<string, string>
  db: Database
  api: RunningApi
  receiver: Receiver
  gateKey: string
}

/** The ids of the club's fans, and what each stream has shown. */
interface Played {
  ids: string[]
  shown: string[][]
  points: number[]
}

const cases = [
  { through: 'the server itself', missing: noServer },
  {
    through: 'one pool of PgBouncer in transaction mode',
    missing: pgbouncerBinary ? noServer : ' (skipped: PgBouncer is not installed)',
  },
]

describe.each(cases)('Two clubs through $through (PostgreSQL)$missing', ({ through, missing }) => {
  const suite = missing === '' ? describe : describe.skip
  suite('in one database', () => {
    let temporary: TemporaryDatabase
    let pooler: PgBouncer | undefined
    let provider: RunningProvider
    const clubs = {} as Record<Name, Club>
    const played = {} as Record<Name, Played>

    beforeAll(async () => {
      temporary = await postgresEngine.open(createClock())
      provider = await startProvider({ fans: FANS })
      const address = new URL(temporary.url ?? '')
      if (through.includes('PgBouncer'))
        pooler = await startPgBouncer(pgbouncerBinary ?? '', address, 'transaction', 'default_pool_size = 8')
      const url = pooler?.urlOf(address.pathname.slice(1)) ?? address.href
      for (const name of NAMES) clubs[name] = await startClub(name, url)
      const both = await Promise.all(NAMES.map(name => play(clubs[name])))
      for (const [index, name] of NAMES.entries()) played[name] = both[index] as Played
    })
    afterAll(async () => {
      closeStreams()
      for (const name of NAMES) {
        await clubs[name]?.api.stop()
        await clubs[name]?.db.close()
        await clubs[name]?.receiver.stop()
      }
      await provider.stop()
      await pooler?.stop()
      await withRawConnection(temporary, async run => {
        for (const name of [...NAMES, MOVED, COPY]) await run(`DROP SCHEMA IF EXISTS ${name} CASCADE`)
      })
      await temporary.remove()
    })

    async function startClub(name: Name, url: string): Promise<Club> {
      const preparedStatements = pooler === undefined
      const env = {
        DATABASE_URL: url,
        DATABASE_SCHEMA: name,
        DATABASE_PREPARED_STATEMENTS: preparedStatements ? 'on' : 'off',
        IDP_ISSUER: provider.issuer,
        NATIVE_TOKEN_KEY: secrets.NATIVE_TOKEN_KEY,
        ONBOARDING_POINTS: String(POINTS[name]),
        TRADE_REST_HOURS: '0',
      }
      const migrated = await runScript('migrate', [], { env })
      expect(migrated).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Applied (\d+) of \1 migrations/),
      })
      const config = parseConfig({ ...secrets, ...env })
      const db = openPatiently(url, realSources, { postgres: { ...config.postgres, poolSize: 3 } })
      const factories = createFactories(db, config)
      await factories.reward({ id: 'scarf', pointsRequired: 50, startsAt: null })
      await addPack({ db }, { id: 'starter', price: FREE, itemsPerPack: 1 })
      await addRule({ db }, { id: 'gate', eventType: 'gate.scan', points: { fixed: 10 } })
      const receiver = startReceiver()
      await db.write(tx =>
        addEndpoint(tx, createWebhookSecrets(config.nativeTokens), { url: receiver.url, types: ['*'] }),
      )
      const gateKey = await factories.serverKey(['events:write'], { source: 'gate' })
      return { env, db, api: await startApi(env), receiver, gateKey }
    }

    /** The same in each club, with the same fans, handles and ids of events. */
    async function play({ api, gateKey }: Club): Promise<Played> {
      const client = (token: string) =>
        createClient(
          request => fetch(request),
          () => null,
          token,
          api.origin,
        )
      const gate = client(gateKey)
      const fans = await Promise.all(
        Array.from({ length: FANS }, async (_, n) => {
          const subject = `fan-${String(n + 1).padStart(4, '0')}`
          const token = await provider.idp.issueToken(subject)
          const fan = client(token)
          const handle = `fan_${n + 1}`
          const profile = expectStatus(201, await fan.post('/api/user/profile', { handle }))
          const stream = await openStream(api.origin, 'topics=me', bearer(token))
          await stream.nth(1)
          return { ...fan, subject, handle, stream, id: String(profile.id) }
        }),
      )
      await Promise.all(
        fans.map(async (fan, n) => {
          expectStatus(200, await fan.post('/api/user/onboarding', { joinLeaderboard: true }))
          expectStatus(200, await fan.post('/api/rewards/claim', { rewardId: 'scarf' }))
          const { userPack } = await buy(fan, 'starter')
          const [{ id, serialNumber }] = expectStatus(200, await open(fan, userPack.id)).items
          const { subject } = fan
          const event = {
            id: `scan-${n}`,
            type: 'gate.scan',
            fan: { provider: 'mock-idp', subject },
            occurredAt: new Date().toISOString(),
          }
          expectStatus(200, await gate.post('/api/events', { events: [event] }))
          const to = fans[(n + 1) % FANS]
          const gift = expectStatus(
            201,
            await offer(fan, to?.handle ?? '', [{ collectibleId: id, serialNumber }]),
          )
          if (to) expectStatus(200, await accept(to, gift))
        }),
      )
      // The gift to the fan is the last event of most.
      for (const { stream } of fans)
        await waitUntil(
          'the stream has both trades of the fan',
          () => stream.named('trade.completed').length === 2,
        )
      const points = await Promise.all(
        fans.map(async fan => (await fan.get('/api/user/points')).body.balance as number),
      )
      return {
        ids: fans.map(({ id }) => id),
        shown: fans.map(({ stream }) =>
          stream.received.map(({ event, data }) => `${event} ${data.data?.points ?? data.data?.delta ?? ''}`),
        ),
        points,
      }
    }

    const usersOf = async ({ db }: Club) => {
      const { users } = db.tables
      return new Set((await db.read.select({ id: users.id }).from(users)).map(({ id }) => id))
    }

    const countsOf = async (db: Database) => {
      const counts: Record<string, number> = {}
      for (const { table, shape } of tablesInOrder(db.tables))
        counts[shape.name] = await countRows(db.read, table)
      return counts
    }

    test('have separate fans, and the points of their own settings', async () => {
      const [harbour, valley] = [await usersOf(clubs.harbour), await usersOf(clubs.valley)]
      expect([harbour.size, valley.size, harbour.intersection(valley).size]).toEqual([FANS, FANS, 0])
      for (const name of NAMES) expect(played[name].points).toEqual(Array(FANS).fill(POINTS[name] + 10))
    })

    test('send each event to their own endpoint, once', async () => {
      for (const name of NAMES) {
        const { db, receiver } = clubs[name]
        const events = await countRows(db.read, db.tables.events)
        await waitUntil('all events were delivered', () => receiver.received.length >= events)
        expect(receiver.received).toHaveLength(events)
        const own = new Set(played[name].ids)
        expect(receiver.received.filter(({ body }) => !own.has(body.data.userId))).toEqual([])
      }
    })

    test('show each fan only events of their own club', () => {
      for (const name of NAMES)
        for (const shown of played[name].shown) {
          expect(shown.filter(line => line.startsWith('gate.scan'))).toHaveLength(1)
          const other = NAMES.find(one => one !== name) as Name
          expect(shown.filter(line => line.endsWith(` ${POINTS[other]}`))).toEqual([])
        }
    })

    test('leave the other schemas of the database as they were', async () => {
      expect(Object.values(await countsOf(temporary.db)).filter(count => count > 0)).toEqual([])
      const [harbour, valley] = [await countsOf(clubs.harbour.db), await countsOf(clubs.valley.db)]
      for (const name of ['users', 'events', 'points_entries', 'user_rewards', 'user_items', 'trades'])
        expect([name, valley[name]]).toEqual([name, harbour[name]])
    })

    test('have ledgers without findings', async () => {
      for (const name of NAMES) {
        const { code, out } = await runScript('verify-ledger', [], { env: clubs[name].env })
        expect([code, out]).toEqual([0, expect.stringContaining(`${FANS} fans`)])
      }
    })

    // PgBouncer keeps connections, by whose names nobody can tell who uses them.
    test.skipIf(through.includes('PgBouncer'))(
      'are moved to another schema, and deleted, while the other serves',
      async () => {
        const { env, db, api, receiver } = await startClub(MOVED, temporary.url ?? '')
        await receiver.stop()
        const drop = () => dropDatabase(env.DATABASE_URL ?? '', { schema: MOVED })
        await expect(drop()).rejects.toMatchObject({ fault: 'busy' })
        await api.stop()
        const move = ['--from', temporary.url ?? '', '--to', temporary.url ?? '']
        const schemas = ['--from-schema', MOVED, '--to-schema', COPY]
        expect(await runScript('move', [...move, ...schemas], { env })).toMatchObject({
          code: 0,
          out: expect.stringContaining('Both databases have the same'),
        })
        await db.close()
        const before = await countsOf(clubs.valley.db)
        await drop()
        expect(await countsOf(clubs.valley.db)).toEqual(before)
        expect((await fetch(`${clubs.valley.api.origin}/readyz`)).status).toBe(200)
        expect(await runScript('verify-ledger', [], { env })).toMatchObject({
          code: 1,
          err: expect.stringContaining('bun run migrate'),
        })
      },
    )
  })
})

describe.skipIf(noServer !== '')(`A schema that the role may not use (PostgreSQL)${noServer}`, () => {
  /** A role with no right to anything, and a database without a schema \`harbour\`. */
  async function withPoorRole(
    run: (poor: { env: Record<string, string>; role: string; temporary: TemporaryDatabase }) => Promise<void>,
  ) {
    const temporary = await postgresEngine.open(createClock())
    const address = new URL(temporary.url ?? '')
    const role = `${address.pathname.slice(1)}_poor`
    await withRawConnection(temporary, query => query(`CREATE ROLE ${role} LOGIN PASSWORD 'poor'`))
    address.username = role
    address.password = 'poor'
    try {
      await run({ env: { DATABASE_URL: address.href, DATABASE_SCHEMA: 'harbour' }, role, temporary })
    } finally {
      await withRawConnection(temporary, async query => {
        await query('DROP SCHEMA IF EXISTS harbour CASCADE')
        await query(`DROP OWNED BY ${role}`)
        await query(`DROP ROLE ${role}`)
      })
      await temporary.remove()
    }
  }

  test('is named where it does not exist, with the statement that creates it, and then migrated', () =>
    withPoorRole(async ({ env, role, temporary }) => {
      const refused = await runScript('migrate', [], { env })
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringContaining('there is no schema harbour, and the role may not create it'),
      ])
      const start = startApi({ ...env, IDP_ISSUER: 'http://127.0.0.1:9' })
      await expect(start).rejects.toThrow('CREATE SCHEMA harbour AUTHORIZATION')
      await withRawConnection(temporary, run => run(`CREATE SCHEMA harbour AUTHORIZATION ${role}`))
      expect((await runScript('migrate', [], { env })).code).toBe(0)
      const again = await runScript('migrate', [], { env })
      expect([again.code, again.out]).toEqual([0, expect.stringContaining('Up to date')])
      const db = openDatabase(env.DATABASE_URL ?? '', realSources, { postgres: { schema: 'harbour' } })
      await db.ping().finally(() => db.close())
    }))

  test('is named where it belongs to another role, instead of tables that look as if they were missing', () =>
    withPoorRole(async ({ env, temporary }) => {
      await withRawConnection(temporary, run => run('CREATE SCHEMA harbour'))
      for (const [command, ...parameters] of [
        ['migrate'],
        ['migrate', '--dry-run'],
        ['verify-ledger'],
      ] as const)
        expect(await runScript(command, parameters, { env })).toMatchObject({
          code: 1,
          err: expect.stringContaining('may not use the schema harbour: it belongs to another role'),
        })
    }))
})
