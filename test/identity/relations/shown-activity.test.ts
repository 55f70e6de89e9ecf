/** The fans whose activity a follower sees: by the query of the feed, and by the definition for each pair of fans. */
import { expect, test } from 'bun:test'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { fansInFeed, isShown, isVisible, showsActivity } from '../../../src/identity/relations/visibility.ts'
import { publicFans } from '../../../src/identity/users/public-profile.ts'
import { onEachEngine } from '../../support/world.ts'

const PRIVACY = [null, 'public', 'followers', 'private']
const STATES = [{}, { hiddenAt: 1 }, { silencedAt: 1 }, { erasedAt: 1 }]
const RELATIONS = [{ followedAt: 1 }, { followedAt: 1, mutedAt: 1 }, { mutedAt: 1 }, { blockedAt: 1 }, {}]

onEachEngine('The fans whose activity a fan is shown', world => {
  test('are the followed fans that are not muted, if the general definition shows them', async () => {
    const at = world.db.read.now()
    const timed = (names: object) => Object.fromEntries(Object.keys(names).map(name => [name, at]))
    const cases = PRIVACY.flatMap(activity =>
      STATES.flatMap(state => RELATIONS.map(relation => ({ activity, state, relation }))),
    )
    await world.db.write(async tx => {
      const { users, fanRelations, privacySettings } = tx.tables
      const fan = { provider: 'test', createdAt: at, updatedAt: at }
      await tx.insert(users).values({ ...fan, id: 'viewer', subject: 'viewer' })
      for (const [n, { activity, state, relation }] of cases.entries()) {
        const id = `fan-${n}`
        await tx.insert(users).values({ ...fan, id, subject: id, ...timed(state) })
        if (Object.keys(relation).length > 0)
          await tx.insert(fanRelations).values({ fanId: 'viewer', otherId: id, ...timed(relation) })
        const settings = { profile: 'public', locker: 'public', leaderboardName: 'name', updatedAt: at }
        if (activity !== null) await tx.insert(privacySettings).values({ ...settings, activity, userId: id })
      }
    })
    const { read, tables } = world.db
    const { fanRelations: relations } = tables
    const fan = publicFans(read).as('fan')
    const followed = fansInFeed(read, 'viewer').as('followed')
    const shown = await read
      .select({ userId: followed.userId })
      .from(followed)
      .where(showsActivity(read, sql`followed.user_id`))
    const general = await read
      .select({ userId: fan.userId })
      .from(fan)
      .innerJoin(relations, and(eq(relations.fanId, 'viewer'), eq(relations.otherId, fan.userId)))
      .where(
        and(
          ...[isVisible(read, 'viewer', fan.userId), isShown(read, 'activity', 'viewer', fan.userId)],
          ...[isNull(relations.mutedAt), isNotNull(relations.followedAt)],
        ),
      )
    const idsOf = (rows: { userId: string }[]) => rows.map(({ userId }) => userId).toSorted()
    expect(idsOf(shown)).toEqual(idsOf(general))
    expect(shown).toHaveLength(3)
  })
})
