/** Messages of moments: matches to predict, and memberships that end. */
import { expect, test } from 'bun:test'
import { remindFans } from '../../../src/fan/messages/remind.ts'
import { settleMemberships } from '../../../src/play/memberships/sweep.ts'
import { addMembershipKind, putMembership, ticketOffice } from '../../play/memberships/memberships-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { addCompetition, predict } from '../../play/predictions/match-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { addNotification, bodiesOf, knownFan, titlesOf } from './messages-world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

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

    test('of a match that opens comes three days before, once, in the language of the fan', async () => {
      const [fan, done] = [await knownFan(world, { locale: 'pt-BR' }), await knownFan(world)]
      const addLater = (hours: number) =>
        world.match({
          id: `match-${crypto.randomUUID()}`,
          kickoffAt: new Date(world.clock.ms + hours * HOUR),
        })
      const before = await addLater(1)
      for (const one of [fan, done]) await predict(one, before, 1, 0)
      world.clock.advance(2 * HOUR)
      const matchId = await addLater(73)
      await predict(done, matchId, 2, 1)
      expect(await run()).toBe(0)
      world.clock.advance(HOUR)
      expect((await Promise.all([run(), run()])).toSorted()).toEqual([0, 1])
      world.clock.advance(HOUR)
      expect(await run()).toBe(0)
      expect([await titlesOf(fan), await titlesOf(done)]).toEqual([
        [expect.stringContaining('dê o seu palpite')],
        [],
      ])
    })

    test('of a match names the deadline of its round, and comes once if the match is entered late', async () => {
      const add = (hours: number, more: object = {}) =>
        world.match({
          id: `match-${crypto.randomUUID()}`,
          kickoffAt: new Date(world.clock.ms + hours * HOUR),
          ...more,
        })
      const before = await add(1)
      const fan = await knownFan(world)
      await predict(fan, before, 1, 0)
      world.clock.advance(2 * HOUR)
      const ofRound = { competition: await addCompetition(world), round: 'final' }
      const first = await add(30, ofRound)
      await predict(fan, first, 1, 0)
      await add(31, ofRound)
      expect(await run()).toBe(1)
      const closesAt = new Date(world.clock.ms + 30 * HOUR).toISOString()
      const deadline = `${closesAt.slice(0, 10)} ${closesAt.slice(11, 16)} UTC`
      expect(await bodiesOf(fan)).toEqual([`Predictions are open until ${deadline}.`])
      await add(2)
      expect([await run(), await run()]).toEqual([1, 0])
      expect((await titlesOf(fan))[0]).toContain('last hours to predict')
    })

    test('of a membership that ends comes in its last 30 days, once, unless another one follows', async () => {
      await addMembershipKind(world)
      const office = await ticketOffice(world)
      const [fan, renews] = [await knownFan(world), await knownFan(world)]
      const at = (days: number) => new Date(world.clock.ms + days * DAY).toISOString()
      const put = async (of: Fan, startsAt: string, endsAt: string) =>
        expectStatus(201, await putMembership(office, world, of, { startsAt, endsAt }))
      const endsAt = at(40)
      for (const one of [fan, renews]) await put(one, at(-100), endsAt)
      await put(renews, at(40), at(400))
      await settleMemberships(world)
      expect(await run()).toBe(0)
      world.clock.advance(11 * DAY)
      expect((await Promise.all([run(), run()])).toSorted()).toEqual([0, 1])
      world.clock.advance(DAY)
      expect(await run()).toBe(0)
      expect([await titlesOf(fan), await titlesOf(renews)]).toEqual([['Your membership ends soon'], []])
      const [told] = await bodiesOf(fan)
      // The end is the instant after the last day.
      const last = Temporal.Instant.fromEpochMilliseconds(Date.parse(endsAt) - 1)
      expect(told).toContain(`last day is ${last.toString().slice(0, 10)}.`)
    })
  },
  { worldPer: 'test' },
)
