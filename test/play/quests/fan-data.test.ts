/** Quests in the export of a fan, and after an erasure. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { streamJson } from '../../../src/core/stream-json.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { onEachEngine } from '../../support/world.ts'
import { addPack } from '../packs/packs-world.ts'
import { addQuest, happen, userIdOf } from './quests-world.ts'

onEachEngine('The quests of a fan', world => {
  async function exported(id: string) {
    const found = await exportUser(world.db.read, { id })
    return found && JSON.parse((await Array.fromAsync(streamJson(found))).join(''))
  }

  test('are in the export with progress, streaks and given items, and outlive an erasure as numbers', async () => {
    const { packItems, questCounts } = world.db.tables
    const packId = await addPack(world)
    const [item] = await world.db.read.select().from(packItems).where(eq(packItems.packId, packId))
    const collectibleId = item?.collectibleId ?? ''
    const fan = await world.fan()
    const streak = await addQuest(world, {
      kind: 'streak',
      period: 'day',
      reward: { points: 5, collectibleId },
    })
    const open = await addQuest(world, { steps: [{ target: 3, distinctBy: '/shop' }] })
    await happen(world, fan, streak.type)
    await happen(world, fan, open.type, { data: { shop: 'Old Street' } })
    const id = await userIdOf(world, fan)

    const document = await exported(id)
    expect(document.quests).toHaveLength(2)
    expect(document.quests).toContainEqual(
      expect.objectContaining({
        questId: streak.id,
        period: '2026-08-15',
        counts: { 'step-1': 1 },
        given: { points: 5, rewardId: null, collectibleId },
      }),
    )
    expect(document.streaks).toMatchObject([{ questId: streak.id, current: 1, best: 1 }])
    expect(document.givenItems).toMatchObject([{ id: collectibleId, serialNumber: 1 }])

    const counted = () => world.db.read.select().from(questCounts).where(eq(questCounts.userId, id))
    // The claimed period of the streak keeps none.
    expect(await counted()).toHaveLength(1)
    expect(JSON.stringify(await counted())).not.toContain('Old Street')
    await world.db.write(tx => eraseUser(tx, { id }))
    expect(await counted()).toEqual([])
    expect((await exported(id)).quests).toHaveLength(2)
    expect(await verifyQuests(world.db)).toMatchObject({ findings: 0 })
  })
})
