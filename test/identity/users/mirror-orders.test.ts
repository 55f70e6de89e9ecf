/** Deliveries arrive late, twice and in any order. The final state of the mirror does not depend on the order. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { findMirror, mirrorIdentity } from '../../../src/identity/users/mirror.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import { applyUserEvent, readUserEvent } from '../../../src/identity/users/webhook.ts'
import { parseClaims } from '../../../src/platform/identity-provider/claims.ts'
import { KICK_OFF } from '../../support/clock.ts'
import { onEachEngine } from '../../support/world.ts'

const PROVIDER = 'mock-idp'
const PICTURE = 'https://example.net/a.png'
const KICK_OFF_SECONDS = KICK_OFF / 1000

/** Few values, so that versions with equal times and similar content are common. */
const version = fc.record({
  type: fc.oneof({ weight: 19, arbitrary: fc.constant('user.updated') }, fc.constant('user.deleted')),
  timestamp: fc.constantFrom(0, 1_000).map(ms => new Date(KICK_OFF + ms).toISOString()),
  claims: fc.record(
    {
      updated_at: fc.constantFrom(KICK_OFF_SECONDS, KICK_OFF_SECONDS, KICK_OFF_SECONDS + 1, 'mistyped'),
      name: fc.constantFrom('Ana', 'ana'),
      email: fc.constantFrom('a@example.net', null),
      email_verified: fc.constantFrom(true, false, null),
      picture: fc.constant('no address'),
    },
    { requiredKeys: [] },
  ),
})
type Version = typeof version extends fc.Arbitrary<infer V> ? V : never

/** Deliveries of a few versions, some of them repeated, in two different orders. */
const orders = fc.array(version, { minLength: 2, maxLength: 5 }).chain(versions =>
  fc
    .array(fc.constantFrom(...versions), { maxLength: 4 })
    .map(twice => [...versions, ...twice])
    .chain(deliveries =>
      fc.tuple(
        fc.constant(deliveries),
        fc.shuffledSubarray(deliveries, { minLength: deliveries.length }),
        fc.shuffledSubarray(versions, { minLength: versions.length }),
      ),
    ),
)

onEachEngine('Deliveries in any order', world => {
  let fans = 0

  /** The mirror of a new fan after these deliveries, without `syncedAt`. */
  async function endOf(deliveries: Version[], met: boolean) {
    const subject = `order-${++fans}`
    const who = { provider: PROVIDER, subject }
    await world.db.write(async tx => {
      if (met) await ensureUser(tx, who)
    })
    for (const { claims, ...rest } of deliveries) {
      const { event } = readUserEvent(
        { ...rest, data: { sub: subject, ...claims } },
        { name: PROVIDER, ageClaim: null },
        world.clock.now(),
      )
      if (!event) throw new Error('every delivery here is of a type that we understand')
      await world.db.write(tx => applyUserEvent(tx, event))
    }
    const user = await findUser(world.db.read, who)
    const row = user && (await findMirror(world.db.read, user.id))
    if (!row) return user ? 'no mirror' : 'no record'
    const { email, emailVerified, name, picture, updatedAt, deletedAt } = row
    return { email, emailVerified, name, picture, updatedAt, deleted: deletedAt !== null }
  }

  const claimsOf = (subject: string, raw: object, statedAt: Date) =>
    parseClaims(subject, raw, { statedAt, now: world.clock.now(), complete: false }).claims

  test('end in the same mirror, with the latest version', async () => {
    const property = fc.asyncProperty(orders, fc.boolean(), async ([first, ...others], met) => {
      const end = await endOf(first, met)
      for (const other of others) expect(await endOf(other, met)).toEqual(end)

      const gone = first.some(({ type }) => type === 'user.deleted')
      if (gone) expect(end).toMatchObject({ name: null, email: null, updatedAt: null, deleted: true })
      else if (!met) expect(end).toBe('no record')
      else expect(end).toMatchObject({ updatedAt: latest(first), deleted: false })
    })
    await fc.assert(property, { numRuns: world.db.engine === 'sqlite' ? 100 : 30 })
  })

  test('null and false with the same time are two versions, and the same one wins in any order', async () => {
    const one = { type: 'user.updated' as const, timestamp: new Date(KICK_OFF).toISOString() }
    const versions = [{ email_verified: null }, { email_verified: false }, { email_verified: true }].map(
      claims => ({
        ...one,
        claims: { updated_at: KICK_OFF_SECONDS, ...claims },
      }),
    )
    for (const order of [versions, versions.toReversed(), [...versions.slice(1), ...versions.slice(0, 1)]])
      expect(await endOf(order, true)).toMatchObject({ emailVerified: true })
    for (const order of [versions.slice(0, 2), versions.slice(0, 2).toReversed()])
      expect(await endOf(order, true)).toMatchObject({ emailVerified: false })
  })

  test('concurrent statements are all merged', async () => {
    const who = { provider: PROVIDER, subject: `order-${++fans}` }
    const { user } = await world.db.write(tx => ensureUser(tx, who))
    const parts = [
      { name: 'Ana' },
      { email: 'a@example.net' },
      { email_verified: true },
      { picture: PICTURE },
    ]
    await Promise.all(
      Array.from({ length: 16 }, (_, n) => {
        const claims = claimsOf(
          who.subject,
          { updated_at: KICK_OFF_SECONDS + n, ...parts[n % 4] },
          world.clock.now(),
        )
        return world.db.write(tx => mirrorIdentity(tx, user.id, claims))
      }),
    )
    expect(await findMirror(world.db.read, user.id)).toMatchObject({
      name: 'Ana',
      email: 'a@example.net',
      emailVerified: true,
      picture: PICTURE,
      updatedAt: new Date(KICK_OFF + 15_000),
    })
  })

  test('a sync in between replaces older events, and newer events replace it', async () => {
    const who = { provider: PROVIDER, subject: `order-${++fans}` }
    const claimsAt = (name: string, seconds: number) =>
      claimsOf(who.subject, { name, updated_at: KICK_OFF_SECONDS + seconds }, world.clock.now())
    const mirrored = await world.db.write(async tx => {
      const { user } = await ensureUser(tx, who)
      const names = []
      for (const [name, seconds] of [
        ['First', 1],
        ['Pulled', 2],
        ['Late', 1],
        ['Newest', 3],
        ['Old Pull', 2],
      ] as const) {
        await mirrorIdentity(tx, user.id, claimsAt(name, seconds))
        names.push((await findMirror(tx, user.id))?.name)
      }
      return names
    })
    expect(mirrored).toEqual(['First', 'Pulled', 'Pulled', 'Newest', 'Newest'])
  })

  test('of two changes in the same second of updated_at the later statement wins in any order', async () => {
    const stated = (name: string, ms: number): [string, Date] => [name, new Date(world.clock.ms + ms)]
    for (const order of [
      [stated('Zoe', 100), stated('Amy', 900)],
      [stated('Amy', 900), stated('Zoe', 100)],
    ]) {
      const who = { provider: PROVIDER, subject: `order-${++fans}` }
      const end = await world.db.write(async tx => {
        const { user } = await ensureUser(tx, who)
        for (const [name, at] of order) {
          const claims = claimsOf(who.subject, { name, updated_at: KICK_OFF_SECONDS }, at)
          await mirrorIdentity(tx, user.id, claims)
        }
        return findMirror(tx, user.id)
      })
      expect(end?.name).toBe('Amy')
    }
  })
})

/** The time of the newest version: its valid `updated_at`, or else when it was sent. */
function latest(deliveries: Version[]): Date {
  const times = deliveries.map(({ claims: { updated_at }, timestamp }) =>
    typeof updated_at === 'number' ? updated_at * 1000 : Date.parse(timestamp),
  )
  return new Date(Math.max(...times))
}
