/** The number of statements of a read: one for the validity of the token if needed, and one for the response. */
import { expect, spyOn, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import type { DomainError } from '../../../src/core/problems.ts'
import { completeOnboarding } from '../../../src/fan/onboarding/onboarding.ts'
import {
  requireValidNativeToken,
  requireValidSessionToken,
} from '../../../src/identity/auth/token-validity.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import { claimReward } from '../../../src/play/rewards/claim.ts'
import { patientFan } from '../../play/packs/packs-world.ts'
import { countQueries } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'
import { writerOf } from '../../support/writer.ts'

onEachEngine('A read by a fan who has not read before', world => {
  test.each([
    { path: '/api/user/profile', statements: 1 },
    { path: '/api/user/points', statements: 1 },
    { path: '/api/user/points?reason=activity', statements: 1 },
    { path: '/api/user/onboarding', statements: 1 },
    { path: '/api/rewards', statements: 1 },
    { path: '/api/user/rewards', statements: 1 },
    { path: '/api/packs/purchases', statements: 1 },
    { path: '/api/dashboard', statements: 1 },
    { path: '/api/quests', statements: 1 },
    { path: '/api/user/sets', statements: 2 },
    { path: '/api/leaderboard?limit=1', statements: 1 },
  ])('of $path takes this many statements: $statements', async ({ path, statements }) => {
    const [leader, first, second] = await Promise.all([3, 2, 1].map(points => patientFan(world, points)))
    for (const fan of [leader, first, second]) await fan?.post('/api/user/onboarding', {})
    if (!first || !second) throw new Error('there are three fans')
    await world.reward({})
    const refused = (fan = second) => fan.get('/api/user/onboarding?unknown=1')
    // The first fan builds prepared statements and fills shared caches.
    for (const fan of [first, second]) expect((await refused(fan)).status).toBe(422)
    expect((await first.get(path)).status).toBe(200)

    // A refused query costs what the token costs.
    const validity = await countQueries(world.db, () => refused())
    const all = await countQueries(world.db, () => second.get(path))
    expect(all - validity).toBe(statements)
  })

  test('asks once whether the token is valid, of a session and of a device', async () => {
    const fan = await world.fan()
    const { body: device } = await fan.post('/api/auth/native-token', {})
    const caller = { provider: world.config.identity.name, subject: fan.subject }
    const { tokenId, issuedAt } = await world.deps.identity.verify(fan.token)
    const { read } = world.db
    const judge = {
      session: () => requireValidSessionToken(read, caller, { tokenId, issuedAt: new Date(issuedAt) }),
      device: () => requireValidNativeToken(read, caller, device.sessionId),
    }
    for (const judgement of Object.values(judge)) {
      await judgement()
      expect(await countQueries(world.db, judgement)).toBe(1)
    }
  })
})

onEachEngine('An onboarding', world => {
  test('runs ten prepared statements, and builds none', async () => {
    const caller = (subject: string) => ({ provider: world.config.identity.name, subject })
    const time = new Date(world.clock.ms)
    const claims = {
      subject: 'any',
      email: 'a@example.org',
      emailVerified: true,
      name: 'Ada',
      picture: null,
      updatedAt: time,
      statedAt: time,
    }
    const complete = async (tx: Transaction, subject: string) =>
      completeOnboarding(
        tx,
        await writerOf(tx, caller(subject)),
        { profile: { displayName: 'Ada' } },
        { points: 100, claims, queuedSync: null },
      )
    await world.db.write(tx => complete(tx, 'first'))
    await world.db.write(async tx => {
      await complete(tx, 'second')
      const asked = spyOn(tx.statements, 'get')
      const built = (['select', 'insert', 'update', 'delete'] as const).map(name => spyOn(tx, name))
      await complete(tx, 'third')
      expect(asked).toHaveBeenCalledTimes(10)
      for (const build of built) expect(build).not.toHaveBeenCalled()
      for (const spy of [asked, ...built]) spy.mockRestore()
    })
  })
})

onEachEngine('A claim', world => {
  test.each([
    { title: 'of limited stock takes four statements', stockRemaining: 2, statements: 4 },
    { title: 'of unlimited stock takes three statements', stockRemaining: null, statements: 3 },
    { title: 'that finds the stock gone takes one statement', stockRemaining: 1, statements: 1 },
  ])('$title, each of them prepared', async ({ stockRemaining, statements }) => {
    const rewardId = await world.reward({ stockRemaining })
    const [first, second] = [await world.fan(), await world.fan()]
    for (const fan of [first, second]) await world.grant(fan, 100)
    expect((await first.post('/api/rewards/claim', { rewardId })).status).toBe(200)

    const { subject } = second
    const caller = { provider: world.config.identity.name, subject }
    const user = await findUser(world.db.read, caller)
    await world.db.write(async tx => {
      const asked = spyOn(tx.statements, 'get')
      const built = (['select', 'insert', 'update', 'delete'] as const).map(name => spyOn(tx, name))
      try {
        const claim = claimReward(tx, { ...caller, userId: user?.id ?? '', isNew: false }, { rewardId })
        const code = await claim.catch((error: DomainError) => error.code)
        expect(code === 'out_of_stock').toBe(statements === 1)
        expect(asked).toHaveBeenCalledTimes(statements)
        for (const build of built) expect(build).not.toHaveBeenCalled()
      } finally {
        for (const spy of [asked, ...built]) spy.mockRestore()
      }
    })
  })
})
