/** A reward that is given, such as for a quest, takes one of its stock at the end of the unit of work. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { giveReward } from '../../../src/play/rewards/give-reward.ts'
import { withRawConnection } from '../../db/probe.ts'
import { type Engine, engines } from '../../support/engines.ts'
import { onEngine, type World } from '../../support/world.ts'

const FANS = 20

for (const engine of engines) {
  onEngine(engine, 'A given reward', world => suite(world, engine))
}

function suite(world: World, engine: Engine) {
  const addFan = (subject: string) =>
    world.db.write(async tx => (await ensureUser(tx, { provider: 'test', subject })).user.id)
  const give = (userId: string, rewardId: string) => world.db.write(tx => giveReward(tx, userId, rewardId))

  async function stateOf({ db }: World, rewardId: string) {
    const { rewards, userRewards } = db.tables
    const [reward] = await db.read.select().from(rewards).where(eq(rewards.id, rewardId))
    const claims = await db.read.select().from(userRewards).where(eq(userRewards.rewardId, rewardId))
    return { left: reward?.stockRemaining, claims: claims.length }
  }

  test('is given to several fans at once while there is stock, and once to each fan', async () => {
    const rewardId = await world.reward({ stockRemaining: 7 })
    const fans = await Promise.all(Array.from({ length: FANS }, (_, n) => addFan(`crowd-${n}`)))
    const given = await Promise.all([...fans, ...fans].map(userId => give(userId, rewardId)))
    expect(given.filter(Boolean)).toHaveLength(7)
    expect(await stateOf(world, rewardId)).toEqual({ left: 0, claims: 7 })
  })

  test('goes to several fans in one unit of work while there is stock', async () => {
    const rewardId = await world.reward({ stockRemaining: 2 })
    const fans = [await addFan('one'), await addFan('two'), await addFan('three')]
    const given = await world.db.write(async tx => {
      const each: boolean[] = []
      for (const userId of fans) each.push(await giveReward(tx, userId, rewardId))
      return each
    })
    expect(given).toEqual([true, true, false])
    expect(await stateOf(world, rewardId)).toEqual({ left: 0, claims: 2 })
  })

  if (engine.name === 'PostgreSQL')
    test('is refused by a second attempt if the stock is taken before the commit', async () => {
      const rewardId = await world.reward({ stockRemaining: 1 })
      const userId = await addFan('late')
      const attempts: boolean[] = []
      const temporary = { db: world.db, url: world.databaseUrl ?? '' }
      await world.db.write(async tx => {
        attempts.push(await giveReward(tx, userId, rewardId))
        await withRawConnection(temporary, run =>
          run(`UPDATE rewards SET stock_remaining = 0 WHERE id = '${rewardId}' AND stock_remaining > 0`),
        )
      })
      expect([attempts[0], attempts.at(-1)]).toEqual([true, false])
      const { userRewards } = world.db.tables
      const own = and(eq(userRewards.userId, userId), eq(userRewards.rewardId, rewardId))
      expect(await world.db.read.select().from(userRewards).where(own)).toEqual([])
    })
}
