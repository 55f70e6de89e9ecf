/** The view of the catalogue: true after each change. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { rewardsTag } from '../../../src/platform/cache/tags.ts'
import { getCatalogue } from '../../../src/play/rewards/rewards.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('The view of the catalogue', world => {
  const view = async () => getCatalogue(world.db.read, world.deps.cache)
  const rowOf = async (id: string) => (await view()).find(row => row.id === id)

  test('shows what a claim took, and nothing else changed', async () => {
    const [taken, other] = [
      await world.reward({ pointsRequired: 0, stockRemaining: 3 }),
      await world.reward({ stockRemaining: 3 }),
    ]
    const before = [await rowOf(taken), await rowOf(other)]
    const claimed = await (await world.fan()).post('/api/rewards/claim', { rewardId: taken })
    expect(claimed.status).toBe(200)
    const after = [await rowOf(taken), await rowOf(other)]
    expect(after[0]).toEqual({ ...before[0], stockRemaining: 2 } as (typeof after)[0])
    expect(after[1]).toEqual(before[1] as (typeof after)[1])
  })

  test('hides a reward that is deactivated, and shows it once it is active again', async () => {
    const id = await world.reward({})
    const before = await rowOf(id)
    const setActive = (active: boolean) =>
      world.db.write(async tx => {
        const { rewards } = tx.tables
        await tx.update(rewards).set({ active }).where(eq(rewards.id, id))
        tx.invalidate(rewardsTag)
      })
    await setActive(false)
    expect(await rowOf(id)).toBeUndefined()
    await setActive(true)
    expect(await rowOf(id)).toEqual(before as NonNullable<typeof before>)
  })
})
