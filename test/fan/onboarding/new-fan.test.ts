/** The first onboarding of a fan without a record, which reads nothing that cannot exist yet. */
import { expect, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import { checkFan } from '../../../src/audit/points/verify-points.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { completeOnboarding } from '../../../src/fan/onboarding/onboarding.ts'
import { findRecords } from '../../../src/identity/users/users.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { countStatements } from '../../support/queries.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { writerOf } from '../../support/writer.ts'

const newCaller = ({ config }: World) => {
  return { provider: config.identity.name, subject: crypto.randomUUID() }
}

const claimsOf = (subject: string, at: Date) => {
  const stated = { subject, updatedAt: at, statedAt: at }
  return { ...stated, email: 'new@example.com', emailVerified: true, name: 'New', picture: null }
}

onEachEngine(
  'The first onboarding of a fan',
  world => {
    const onboard = async (tx: Transaction, caller: ReturnType<typeof newCaller>) =>
      completeOnboarding(
        tx,
        await writerOf(tx, caller),
        { profile: { displayName: 'New' } },
        { points: 100, claims: claimsOf(caller.subject, tx.now()), queuedSync: null },
      )

    test('counts the points of a rule for the onboarding on the boards', async () => {
      await addRule(world, { eventType: 'onboarding.completed', points: { fixed: 7 } })
      const caller = newCaller(world)
      await world.db.write(tx => onboard(tx, caller))
      const [user] = await findRecords(world.db.read, caller)
      const { leaderboardScores: scores } = world.db.tables
      const own = (await world.db.read.select().from(scores)).filter(({ userId }) => userId === user?.id)
      expect(own.map(({ minusPoints }) => minusPoints)).toEqual([-107, -107, -107])
      expect((await checkFan(world.db.read, user?.id ?? '')).findings).toEqual([])
    })

    test('takes eleven statements with a profile, and one for the rank index', async () => {
      // Statements that are built count twice, and the first event loads what listens to it.
      await world.db.write(tx => onboard(tx, newCaller(world)))
      const count = await countStatements(world.db, () => world.db.write(tx => onboard(tx, newCaller(world))))
      expect(count).toBe(12)
    })

    test('of an erased fan is refused, and writes nothing', async () => {
      const caller = newCaller(world)
      await world.db.write(tx => onboard(tx, caller))
      await world.db.write(tx => eraseUser(tx, caller))
      const late = world.db.write(tx => onboard(tx, caller))
      await expect(late).rejects.toMatchObject({ code: 'invalid_token' })
      expect(await findRecords(world.db.read, caller)).toHaveLength(1)
    })
  },
  { worldPer: 'test' },
)
