/** Messages of moments: matches to predict, and memberships that end. */
import { expect, test } from 'bun:test'
import { remindFans } from '../../../src/fan/messages/remind.ts'
import { predict } from '../../play/predictions/match-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { addNotification, knownFan, titlesOf } from './messages-world.ts'

const HOUR = 3_600_000

onEachEngine(
  'A reminder',
  world => {
    const run = () => remindFans({ db: world.db })

    test('reaches fans who predict and have not predicted the match, once', async () => {
      await addNotification(world, {
        id: 'match-open',
        eventType: 'match.opened',
        category: 'match',
        active: false,
      })
      const addLater = async (hours: number) => {
        const kickoffAt = new Date(world.clock.ms + hours * HOUR)
        return await world.match({ id: `match-${crypto.randomUUID()}`, kickoffAt })
      }
      const before = await addLater(1)
      const fans = [await knownFan(world), await knownFan(world), await knownFan(world)]
      const [fan, done, never] = fans
      if (!fan || !done || !never) throw new Error('there are three fans')
      for (const one of [fan, done]) await predict(one, before, 1, 0)
      world.clock.advance(2 * HOUR)
      const matchId = await addLater(4)
      await predict(done, matchId, 2, 1)
      expect(await run()).toBe(0)
      world.clock.advance(HOUR)
      expect((await Promise.all([run(), run()])).toSorted()).toEqual([0, 1])
      expect(await run()).toBe(0)
      expect([await titlesOf(fan), await titlesOf(done), await titlesOf(never)]).toEqual([
        [expect.stringContaining('last hours to predict')],
        [],
        [],
      ])
    })
  },
  { worldPer: 'test' },
)
