/** Follows and blocks at once, on connections of their own: never both, and never more follows than the limit. */
import { expect, test } from 'bun:test'
import { and, eq, isNotNull } from 'drizzle-orm'
import { MAX_FOLLOWED } from '../../../db/schema/identity/relations.ts'
import { onEachEngine } from '../../support/world.ts'
import { followStrangers, handlesOf, namedFan, put, remove } from './relations-world.ts'

onEachEngine('Fans who act at once', world => {
  test('a follow and a block never exist together, whichever comes first, and counts are exact', async () => {
    for (let round = 0; round < 8; round++) {
      const [fan, other] = [await namedFan(world), await namedFan(world)]
      await put(fan, 'following', other.handle)
      const answers = await Promise.all([
        put(other, 'following', fan.handle),
        put(fan, 'blocks', other.handle),
        remove(fan, 'following', other.handle),
        put(other, 'blocks', fan.handle),
        put(other, 'following', fan.handle),
      ])
      for (const { status } of answers) expect([204, 404]).toContain(status)
      expect([answers[1].status, answers[3].status]).toContain(204)
      for (const one of [fan, other]) {
        expect(await handlesOf(one, 'following')).toEqual([])
        expect((await one.get('/api/user/following')).body.total).toBe(0)
      }
      await Promise.all([remove(fan, 'blocks', other.handle), remove(other, 'blocks', fan.handle)])
    }
  })

  test('concurrent follows never exceed the limit, and an unfollow allows one more', async () => {
    const fan = await namedFan(world)
    const others = await Promise.all(Array.from({ length: 6 }, () => namedFan(world)))
    await followStrangers(world, fan.id, MAX_FOLLOWED - 3)
    const answers = await Promise.all(others.map(({ handle }) => put(fan, 'following', handle)))
    expect(answers.map(({ status, body }) => body?.code ?? status).toSorted()).toEqual([
      ...[204, 204, 204],
      ...['follow_limit_reached', 'follow_limit_reached', 'follow_limit_reached'],
    ])
    const { fanRelations } = world.db.tables
    const followed = await world.db.read
      .select()
      .from(fanRelations)
      .where(and(eq(fanRelations.fanId, fan.id), isNotNull(fanRelations.followedAt)))
    expect(followed).toHaveLength(MAX_FOLLOWED)
    expect((await fan.get('/api/user/following?limit=1')).body.total).toBe(MAX_FOLLOWED)

    const handles = await handlesOf(fan, 'following')
    const [first] = others.filter(({ handle }) => handles.includes(handle))
    await Promise.all([
      remove(fan, 'following', first?.handle ?? ''),
      remove(fan, 'following', first?.handle ?? ''),
    ])
    const again = await Promise.all(others.map(({ handle }) => put(fan, 'following', handle)))
    expect(again.filter(({ status }) => status === 204)).toHaveLength(3)
    expect((await fan.get('/api/user/following?limit=1')).body.total).toBe(MAX_FOLLOWED)
  })
})
