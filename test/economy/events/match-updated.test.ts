/** `match.updated`: a change of a match, which webhooks and the event sink get in the order of the match. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { asc } from 'drizzle-orm'
import { upsertMatch } from '../../../src/club/matches/match-kind.ts'
import { updateMatch } from '../../../src/club/matches/update-match.ts'
import { readSinkBacklog } from '../../../src/delivery/event-sink/backlog.ts'
import { openSink } from '../../../src/delivery/event-sink/sink.ts'
import type { Dispatcher } from '../../../src/delivery/webhooks/dispatcher.ts'
import { readBacklogs } from '../../../src/delivery/webhooks/inspect.ts'
import { replayDeliveries } from '../../../src/delivery/webhooks/replay.ts'
import { BATCH, readAwaiting } from '../../../src/economy/events/distribute.ts'
import { laneOf } from '../../../src/economy/events/event.ts'
import { readEventsFrom } from '../../../src/economy/events/positions.ts'
import { matchUpdated } from '../../../src/economy/events/types.ts'
import { ruleKind } from '../../../src/economy/rules/rule-kind.ts'
import { questKind } from '../../../src/play/quests/quest-kind.ts'
import { type Receiver, startReceiver } from '../../delivery/webhooks/receiver.ts'
import {
  addReceiver,
  deliveriesOf,
  dispatcherOf,
  distributeAll,
  drain,
  giveWay,
  happen,
  newFan,
} from '../../delivery/webhooks/webhooks-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { ruleEntry } from '../rules/rules-world.ts'

const KICK_OFF = '2026-08-15T18:30:00.000Z'

onEachEngine(
  'A change of a match',
  world => {
    let receiver: Receiver
    let dispatcher: Dispatcher
    beforeEach(() => {
      receiver = startReceiver()
      dispatcher = dispatcherOf(world)
    })
    afterEach(async () => {
      await dispatcher.stop()
      await receiver.stop()
    })

    const goals = (revision: number, homeScore = revision) =>
      ({ revision, status: 'live', kickoffAt: KICK_OFF, homeScore, awayScore: 0 }) as const
    const change = (id: string, revision: number) =>
      world.db.write(tx => updateMatch(tx, id, goals(revision)))
    const rows = () => {
      const { matchEvents } = world.db.tables
      return world.db.read
        .select()
        .from(matchEvents)
        .orderBy(asc(matchEvents.matchId), asc(matchEvents.sequence))
    }
    const heard = () => receiver.received.map(({ body }) => `${body.data.matchId} ${body.data.sequence}`)
    const positions = async () =>
      (await readEventsFrom(world.db.read, 0, 10_000)).map(({ position }) => position)
    const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

    test('is sent to the endpoints that ask for its type, with the state of the match', async () => {
      const { id } = await addReceiver(world, receiver, ['match.updated'])
      const other = await addReceiver(world, receiver, ['match.checked_in', 'quest.*'])
      const matchId = await world.match({ kickoffAt: new Date(KICK_OFF) })
      const club = world.withToken(await world.serverKey(['matches:write']))
      expect((await club.put(`/api/matches/${matchId}`, goals(2, 1))).status).toBe(200)
      await drain(world, dispatcher)
      const { body: match } = await world.anonymous.get(`/api/matches/${matchId}`)
      const { id: _, checkIn: _checkIn, sponsorId: _sponsorId, ...state } = match
      expect(Value.Check(matchUpdated, state)).toBe(true)
      expect(receiver.received.map(({ body }) => body)).toEqual([
        {
          type: 'match.updated',
          timestamp: world.clock.now().toISOString(),
          data: { matchId, sequence: 1, source: 'matchday', eventId: `${matchId}:1`, ...state },
        },
      ])
      expect(receiver.received[0]?.headers['webhook-id']).toBe(`evt_match:${matchId}_1`)
      expect(await deliveriesOf(world, id)).toMatchObject([
        { userId: `match:${matchId}`, state: 'delivered' },
      ])
      expect(await deliveriesOf(world, other.id)).toEqual([])
    })

    test('is not recorded while no endpoint asks for it', async () => {
      await addReceiver(world, receiver, ['quest.*'])
      await change(await world.match(), 2)
      expect(await rows()).toEqual([])
    })

    test('that was made before an endpoint was added is not sent to it', async () => {
      const early = startReceiver()
      await addReceiver(world, early, ['match.*'])
      const matchId = await world.match()
      await change(matchId, 2)
      await addReceiver(world, receiver, ['match.*'])
      await change(matchId, 3)
      await drain(world, dispatcher)
      expect(early.received).toHaveLength(2)
      expect(heard()).toEqual([`${matchId} 2`])
      await early.stop()
    })

    test('has one event, and none for a repeat, a refusal, or a unit of work that was rolled back', async () => {
      await addReceiver(world, receiver, ['*'])
      const matchId = await world.match()
      await change(matchId, 2)
      await change(matchId, 2)
      await expect(change(matchId, 1)).rejects.toMatchObject({ code: 'stale_revision' })
      const undone = world.db.write(async tx => {
        await updateMatch(tx, matchId, goals(3))
        throw new Error('undo')
      })
      await expect(undone).rejects.toThrow('undo')
      await drain(world, dispatcher)
      expect(heard()).toEqual([`${matchId} 1`])
    })

    test('has an event when an import revises a match, or moves its kick-off by force without a new revision', async () => {
      await addReceiver(world, receiver, ['match.updated'])
      const entry = {
        id: 'imported',
        competition: 'Coastal League',
        season: '2026/27',
        homeTeamId: await world.team(),
        awayTeamId: await world.team(),
        kickoffAt: KICK_OFF,
      }
      const put = (fields: object, force = false) =>
        world.db.write(tx => upsertMatch(tx, { ...entry, ...fields }, { force }))
      await put({})
      await put({ revision: 2, status: 'postponed' })
      const moved = { kickoffAt: '2026-08-16T14:00:00.000Z' }
      await put(moved)
      await put(moved, true)
      await drain(world, dispatcher)
      const told = receiver.received.map(({ body: { data } }) => [
        data.sequence,
        data.revision,
        data.status,
        data.kickoffAt,
      ])
      expect(told).toEqual([
        [1, 2, 'postponed', KICK_OFF],
        [2, 2, 'postponed', moved.kickoffAt],
      ])
    })

    test('waits for the previous change of the same match, and delays no other match and no fan', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const [slow, quick, fan] = [await world.match(), await world.match(), await newFan(world)]
      receiver.behave(({ body }) =>
        body.data.matchId === slow ? new Response('not yet', { status: 500 }) : undefined,
      )
      for (const revision of [2, 3]) {
        await change(slow, revision)
        await change(quick, revision)
        await happen(world, fan)
      }
      await drain(world, dispatcher)
      expect(heard().filter(line => line.startsWith(slow))).toEqual([`${slow} 1`])
      expect(heard().filter(line => line.startsWith(quick))).toEqual([`${quick} 1`, `${quick} 2`])
      receiver.behave(undefined)
      receiver.received.length = 0
      world.clock.advance(6_000)
      await drain(world, dispatcher)
      expect(heard()).toEqual([`${slow} 1`, `${slow} 2`])
      expect((await deliveriesOf(world, id)).map(({ state }) => state)).toEqual(Array(6).fill('delivered'))
    })

    test('is sent again by a replay, each match in order', async () => {
      const { id } = await addReceiver(world, receiver, ['match.updated'])
      const [one, two] = [await world.match(), await world.match()]
      const since = world.clock.now()
      for (const revision of [2, 3, 4]) for (const match of [one, two]) await change(match, revision)
      await drain(world, dispatcher)
      const first = receiver.received.map(({ text }) => text)
      receiver.received.length = 0
      expect(await replayDeliveries(world.db, id, since)).toBe(6)
      await drain(world, dispatcher)
      for (const match of [one, two])
        expect(heard().filter(line => line.startsWith(match))).toEqual([1, 2, 3].map(n => `${match} ${n}`))
      expect(receiver.received.map(({ text }) => text).toSorted()).toEqual(first.toSorted())
    })

    test('of concurrent reports has its own sequence, without a gap and in the order of revisions', async () => {
      await addReceiver(world, receiver, ['match.updated'])
      const matches = [await world.match(), await world.match()]
      const reports = matches.flatMap(match =>
        upTo(12).map(n => change(match, n + 1).catch(error => expect(error.code).toBe('stale_revision'))),
      )
      await Promise.all([...reports, distributeAll(world), distributeAll(world)])
      await distributeAll(world)
      for (const match of matches) {
        const own = (await rows()).filter(({ matchId }) => matchId === match)
        expect(own.map(({ sequence }) => sequence)).toEqual(upTo(own.length))
        const revisions = own.map(({ data }) => JSON.parse(data).revision)
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
        expect(revisions.at(-1)).toBe(13)
        expect(own.map(({ position }) => position)).toEqual(
          own.map(({ position }) => position).toSorted((a, b) => a - b),
        )
      }
      expect(await positions()).toEqual(upTo((await rows()).length))
    })

    test('shares the positions with events of fans, which the sink reads in their order and without a gap', async () => {
      await world.db.write(openSink)
      const [matchId, fan] = [await world.match(), await newFan(world)]
      const read: number[] = []
      const readOn = async () => {
        const page = await readEventsFrom(world.db.read, read.at(-1) ?? 0, 7)
        read.push(...page.map(({ position }) => position))
      }
      const recording = (async () => {
        for (let n = 0; n < 30; n++) {
          await Promise.all([change(matchId, n + 2), happen(world, fan)])
          await distributeAll(world)
        }
      })()
      while (read.length < 60) {
        await readOn()
        await giveWay()
      }
      await recording
      expect(read).toEqual(upTo(60))
      const lanes = (await readEventsFrom(world.db.read, 0, 100)).flatMap(({ event }) =>
        event ? laneOf(event) : [],
      )
      expect(lanes.filter(lane => lane === `match:${matchId}`)).toHaveLength(30)
      expect(await readSinkBacklog(world.db.read)).toMatchObject({ events: 60 })
    })

    test('waits in any number for the distribution, which leaves out no fan, and counts in the backlog', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const [matchId, fan] = [await world.match(), await newFan(world)]
      const since = world.clock.now()
      // It would distribute the first ones at once.
      await dispatcher.stop()
      await world.db.write(async tx => {
        for (let n = 0; n < BATCH + 5; n++) await updateMatch(tx, matchId, goals(n + 2, n % 100))
      })
      await happen(world, fan)
      expect(await readAwaiting(world.db.read)).toEqual({ pending: BATCH + 6, since })
      expect((await readBacklogs(world.db.read)).get(id)).toEqual({ pending: BATCH + 6, since })
      await distributeAll(world)
      expect(await positions()).toEqual(upTo(BATCH + 6))
      expect(await readAwaiting(world.db.read)).toEqual({ pending: 0, since: null })
      expect(await deliveriesOf(world, id, fan)).toHaveLength(1)
      expect(await deliveriesOf(world, id, `match:${matchId}`)).toHaveLength(BATCH + 5)
    })

    test('cannot be listened to by a rule or a quest, whose catalogue entry is refused', () => {
      const eventType = 'match.updated'
      const message = 'must not be match.updated, which rules and quests cannot listen to'
      expect(ruleKind.faults?.(ruleEntry({ eventType }))).toEqual([{ pointer: '/eventType', message }])
      const quest = {
        ...{ id: 'q', title: 'Q', description: 'Q', kind: 'quest' as const, period: 'once' as const },
        steps: [{ id: 'step', eventType, target: 1 }],
      }
      expect(questKind.faults?.(quest)).toEqual([{ pointer: '/steps/0/eventType', message }])
    })
  },
  { worldPer: 'test' },
)
