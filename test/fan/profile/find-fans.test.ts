/** `GET /api/fans`, and events that name their fan by e-mail. */
import { describe, expect, test } from 'bun:test'
import { eq, type SQL, sql } from 'drizzle-orm'
import { runStatement } from '../../../db/schema/shape.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { createFanEmails, indexEmails, selectByEmails } from '../../../src/identity/users/emails.ts'
import { eventOf } from '../../economy/events/events-world.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import type { Client } from '../../support/client.ts'
import { dump } from '../../support/dump.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'

let made = 0

/** A fan with these claims of the provider, after a run of the task. */
async function fanWith(world: World, claims: { email?: string; email_verified?: boolean } = {}) {
  const fan = await world.fan()
  const email = claims.email ?? `find-${++made}@example.com`
  await fan.post('/api/user/profile', { displayName: 'Ada' })
  await state(world, fan, { email, email_verified: true, ...claims })
  return { ...fan, email }
}

async function state(world: World, { subject }: Pick<Fan, 'subject'>, claims: object) {
  world.clock.advance(1_000)
  const updatedAt = Math.floor(world.clock.ms / 1_000)
  expect((await deliver(world, updated(world, subject, { updated_at: updatedAt, ...claims }))).status).toBe(
    204,
  )
  await indexEmails(world.deps)
}

const erase = (world: World, { subject }: Pick<Fan, 'subject'>) =>
  world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject }))

const find = (client: Client, query: Record<string, string>) =>
  client.get(`/api/fans?${new URLSearchParams(query)}`)

onEachEngine(
  'With FANS_BY_EMAIL=on',
  world => {
    const crm = async () => world.withToken(await world.serverKey(['fans:read']))
    const shop = async () => world.withToken(await world.serverKey(['events:write', 'points:write']))
    const idsOf = async (query: Record<string, string>) =>
      (await find(await crm(), query)).body.fans.map(({ id }: { id: string }) => id)
    const idOf = async (fan: Fan) => (await fan.get('/api/user/profile')).body.id
    const report = async (email: string, fields: object = {}) =>
      (await (await shop()).post('/api/events', { events: [eventOf(world, { fan: { email }, ...fields })] }))
        .body.results[0]

    test('a fan is found by subject, and by a verified address in any case', async () => {
      const fan = await fanWith(world)
      const found = {
        ...{ id: await idOf(fan), provider: 'mock-idp', subject: fan.subject, handle: null },
        ...{ displayName: 'Ada', avatarUrl: null, createdAt: expect.any(String) },
      }
      const bySubject = await find(await crm(), { provider: 'mock-idp', subject: fan.subject })
      expect([bySubject.status, bySubject.body]).toEqual([200, { fans: [found] }])
      const byEmail = await find(await crm(), { email: ` ${fan.email.toUpperCase()} ` })
      expect(byEmail.body).toEqual(bySubject.body)
      expect(byEmail.headers.get('cache-control')).toBe('no-store')
    })

    test.each([
      ['a part of an address', (email: string) => email.slice(1)],
      ['an address that nobody has', (email: string) => `x${email}`],
      ['a pattern', () => '%@example.com'],
    ])('nobody is found by %s', async (_, change) => {
      const { email } = await fanWith(world)
      expect(await idsOf({ email: change(email) })).toEqual([])
      expect(await report(change(email))).toMatchObject({ outcome: 'refused', code: 'fan_not_found' })
    })

    test('nobody is found by an unknown subject or another provider', async () => {
      const { subject } = await fanWith(world)
      expect(await idsOf({ provider: 'mock-idp', subject: 'nobody' })).toEqual([])
      expect(await idsOf({ provider: 'other', subject })).toEqual([])
    })

    test.each([false, undefined])('an address whose email_verified is %s finds nobody', async verified => {
      const fan = await world.fan()
      const email = `unverified-${++made}@example.com`
      await fan.post('/api/user/profile', {})
      await state(world, fan, { email, ...(verified === undefined ? {} : { email_verified: verified }) })
      expect(await idsOf({ email })).toEqual([])
    })

    test('a changed address, and one that is no longer verified, find nobody immediately', async () => {
      const fan = await fanWith(world)
      const next = `next-${fan.email}`
      await state(world, fan, { email: next, email_verified: true })
      expect([await idsOf({ email: fan.email }), await idsOf({ email: next })]).toEqual([
        [],
        [await idOf(fan)],
      ])
      await state(world, fan, { email: next, email_verified: false })
      expect(await idsOf({ email: next })).toEqual([])
    })

    test('an event and a grant name a fan by e-mail; the same event by id is a duplicate', async () => {
      const fan = await fanWith(world)
      const event = eventOf(world, { fan: { email: fan.email } })
      const client = await shop()
      const send = (sent: object) => client.post('/api/events', { events: [sent] })
      expect((await send(event)).body.results[0].outcome).toMatch(/applied|ignored/)
      const again = await send({ ...event, fan: { userId: await idOf(fan) } })
      expect(again.body.results[0].outcome).toBe('duplicate')
      const grant = { fan: { email: fan.email }, delta: 5, ref: `by-email-${fan.email}` }
      expect((await client.post('/api/points/grants', grant)).body.balance).toBe(5)
    })

    test('each event of a batch is resolved separately', async () => {
      const fan = await fanWith(world)
      const events = [fan.email, 'nobody@example.com', fan.email].map(email =>
        eventOf(world, { fan: { email } }),
      )
      const { results } = (await (await shop()).post('/api/events', { events })).body
      expect(results.map(({ code }: { code?: string }) => code)).toEqual([
        undefined,
        'fan_not_found',
        undefined,
      ])
    })

    test('two fans with one address are both found, but an event with this address is refused', async () => {
      const one = await fanWith(world)
      const other = await fanWith(world, { email: one.email })
      const ids = await idsOf({ email: one.email })
      expect(ids.toSorted()).toEqual([await idOf(one), await idOf(other)].toSorted())
      expect(await report(one.email)).toMatchObject({ outcome: 'refused', code: 'fan_not_found' })
      await erase(world, other)
      expect(await idsOf({ email: one.email })).toEqual([await idOf(one)])
      expect((await report(one.email)).outcome).not.toBe('refused')
    })

    test.each([
      ['the Kelvin sign', '\u212aim', 'kim'],
      ['a long s', 'jo\u017fe', 'jose'],
      ['a capital beyond ASCII', 'JOSÉ', 'José'],
      ['a composed letter', 'jos\u00e9', 'jose\u0301'],
      ['a full-width letter', '\uff4bim', 'kim'],
      ['a space that is not of ASCII', '\u00a0kim', 'kim'],
    ])('%s makes another address, of another fan', async (_, beyond, plain) => {
      const domain = `at-${++made}.example.com`
      const one = await fanWith(world, { email: `${beyond}@${domain}` })
      expect(await idsOf({ email: `${plain}@${domain}` })).toEqual([])
      expect(await report(`${plain}@${domain}`)).toMatchObject({ code: 'fan_not_found' })
      const other = await fanWith(world, { email: `${plain}@${domain}` })
      expect(await idsOf({ email: `${beyond}@${domain}` })).toEqual([await idOf(one)])
      expect(await idsOf({ email: `${plain}@${domain}` })).toEqual([await idOf(other)])
      expect((await report(`${plain}@${domain}`)).outcome).not.toBe('refused')
    })

    test('a hash that an earlier version stored for another address finds nobody', async () => {
      const domain = `at-${++made}.example.com`
      const fan = await fanWith(world, { email: `\u212aim@${domain}` })
      const { identities } = world.db.tables
      const emailHash = world.deps.fanEmails?.hashOf(`kim@${domain}`) ?? ''
      const userId = await idOf(fan)
      await world.db.write(tx =>
        tx.update(identities).set({ emailHash }).where(eq(identities.userId, userId)),
      )
      expect(await idsOf({ email: `kim@${domain}` })).toEqual([])
      expect(await report(`kim@${domain}`)).toMatchObject({ code: 'fan_not_found' })
    })

    test('an erasure clears the hash, and no task fills it again', async () => {
      const fan = await fanWith(world)
      const hash = world.deps.fanEmails?.hashOf(fan.email) ?? ''
      const isStored = async () => (await dump(world.db)).some(row => row.includes(hash))
      expect(await isStored()).toBe(true)
      await erase(world, fan)
      await indexEmails(world.deps)
      expect(await isStored()).toBe(false)
      expect(await idsOf({ email: fan.email })).toEqual([])
    })

    test('the hash is not the address, and depends on more than the address', () => {
      const [one, other] = [createFanEmails(Buffer.alloc(32, 1)), createFanEmails(Buffer.alloc(32, 2))]
      expect(one.hashOf('Ada@Example.com')).toBe(one.hashOf('ada@example.com '))
      expect(one.hashOf('ada@example.com')).not.toBe(other.hashOf('ada@example.com'))
      expect(one.hashOf('ada@example.com')).toMatch(/^[0-9a-f]{8}:[0-9a-f]{64}$/)
    })

    test('fans from before the setting, and hashes of an earlier key, are indexed', async () => {
      const fan = await fanWith(world)
      const { identities } = world.db.tables
      const userId = await idOf(fan)
      const set = (emailHash: string | null) =>
        world.db.write(tx => tx.update(identities).set({ emailHash }).where(eq(identities.userId, userId)))
      const earlier = createFanEmails(Buffer.alloc(32, 9))
      for (const hash of [null, earlier.hashOf(fan.email)]) {
        await set(hash)
        expect(await idsOf({ email: fan.email })).toEqual([])
        expect(await indexEmails(world.deps)).toBeGreaterThan(0)
        expect(await idsOf({ email: fan.email })).toEqual([await idOf(fan)])
      }
      expect(await indexEmails(world.deps)).toBe(0)
    })

    test('the setting turned off deletes all hashes', async () => {
      const fan = await fanWith(world)
      await indexEmails({ db: world.db, fanEmails: null })
      expect(await idsOf({ email: fan.email })).toEqual([])
      await indexEmails(world.deps)
      expect(await idsOf({ email: fan.email })).toEqual([await idOf(fan)])
    })

    test('the lookup uses the index', async () => {
      const explained = await world.db.write(async tx => {
        const { identities, users } = tx.tables
        const rows = Array.from({ length: 400 }, (_, n) => ({ id: `plan-${n}`, n }))
        const at = { createdAt: tx.now(), updatedAt: tx.now() }
        await tx.insert(users).values(rows.map(({ id }) => ({ id, provider: 'plan', subject: id, ...at })))
        await tx.insert(identities).values(
          rows.map(({ id }) => ({
            userId: id,
            email: `${id}@example.com`,
            emailVerified: true,
            emailHash: `zz:${id}`,
          })),
        )
        const query = selectByEmails(tx, ['zz:plan-7']).getSQL()
        const explain: SQL =
          world.db.engine === 'sqlite' ? sql`explain query plan ${query}` : sql`explain ${query}`
        if (world.db.engine === 'postgres') {
          await runStatement(tx, sql`set local enable_seqscan = on`)
          await runStatement(tx, sql`analyze identities`)
        }
        const plan = JSON.stringify(await runStatement(tx, explain))
        await tx.delete(identities).where(sql`${identities.userId} like 'plan-%'`)
        await tx.delete(users).where(sql`${users.id} like 'plan-%'`)
        return plan
      })
      expect(explained).toContain('identities_email')
      expect(explained).not.toMatch(/SCAN identities|Seq Scan on \W*identities/)
    })

    describe('a query is refused', () => {
      test.each([
        [{}, 'email', 'is required, or provider and subject'],
        [{ subject: 'x' }, 'provider', 'is required with subject'],
        [{ provider: 'x' }, 'subject', 'is required with provider'],
        [{ email: 'a@b.c', subject: 'x' }, 'subject', 'must not be combined with email'],
      ])('%j', async (query, parameter, message) => {
        const { status, body } = await find(await crm(), query)
        expect([status, body.errors]).toEqual([422, [{ parameter, message }]])
      })
    })

    test('only a server key with fans:read may ask', async () => {
      const codes = [world.anonymous, await world.fan(), await shop()].map(
        async client => (await find(client, { email: 'a@b.c' })).body.code,
      )
      expect(await Promise.all(codes)).toEqual([
        'unauthenticated',
        'invalid_server_key',
        'insufficient_scope',
      ])
    })
  },
  { env: { FANS_BY_EMAIL: 'on' } },
)

onEachEngine('Without FANS_BY_EMAIL', world => {
  test('no address is hashed or found', async () => {
    const fan = await fanWith(world)
    const rows = await world.db.read.select().from(world.db.tables.identities)
    expect(rows.map(({ emailHash }) => emailHash)).toEqual(rows.map(() => null))
    const crm = world.withToken(await world.serverKey(['fans:read', 'events:write']))
    const { status, body } = await find(crm, { email: fan.email })
    expect([status, body.errors?.[0]?.parameter]).toEqual([422, 'email'])
    const events = [eventOf(world, { fan: { email: fan.email } })]
    expect((await crm.post('/api/events', { events })).body.results[0].code).toBe('fan_not_found')
    expect((await find(crm, { provider: 'mock-idp', subject: fan.subject })).body.fans).toHaveLength(1)
  })
})
