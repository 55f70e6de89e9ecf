/** Live Activities: they start, follow a match and end with it, and never show an earlier state after a later one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createPushDispatcher } from '../../../src/delivery/push/dispatcher.ts'
import { sweepPushes } from '../../../src/delivery/push/enqueue.ts'
import { showMatches } from '../../../src/fan/messages/live-activities.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { serveApple } from '../../delivery/push/apple-double.ts'
import { deliveriesOf, devicesOf, putDevice, removeDevice } from '../../delivery/push/push-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { addMatch, HOUR } from '../../play/predictions/match-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { knownFan } from './messages-world.ts'

const MINUTE = 60_000
let made = 0

onEachEngine('A Live Activity', world => {
  let apple: Awaited<ReturnType<typeof serveApple>>
  let dispatcher: ReturnType<typeof createPushDispatcher>
  beforeAll(async () => {
    apple = await serveApple()
    const pushSenders = { live_activity: apple.sender(() => world.clock.now()) }
    dispatcher = createPushDispatcher({ ...world.deps, pushSenders, giveWay: () => Promise.resolve() })
  })
  afterAll(async () => {
    await dispatcher.stop()
    apple.close()
  })

  async function showing(matchId: string | undefined, fan?: Awaited<ReturnType<typeof knownFan>>) {
    const of = fan ?? (await knownFan(world))
    const token = String(++made).padStart(8, '0')
    const deviceId = `phone-${made}`
    const device = { kind: 'live_activity', token, ...(matchId === undefined ? {} : { matchId }) }
    expectStatus(201, await putDevice(of, deviceId, device))
    return { fan: of, id: of.id, token, deviceId, got: () => shownTo(token) }
  }
  /** As events and scores. */
  const shownTo = (token: string) =>
    apple.to(token).map(({ body }) => {
      const { event, 'content-state': of } = JSON.parse(body).aps
      return `${event} ${of.homeScore}:${of.awayScore}`
    })
  const show = () => showMatches({ db: world.db })
  /** Sends all that is due. */
  const settle = (userId: string) =>
    waitUntil('no push waits', async () => {
      await dispatcher.poll()
      return (await deliveriesOf(world, userId)).every(({ state }) => state !== 'pending')
    })
  async function tell(userId: string) {
    world.clock.advance(MINUTE)
    const queued = await show()
    await settle(userId)
    return queued
  }

  test('follows the scores with the minute, and ends with the match, as its device does', async () => {
    const { matchId, report, finish } = await addMatch(world)
    const { id, fan, token, got } = await showing(matchId)
    await settle(id)
    world.clock.advance(HOUR + 12 * MINUTE)
    for (const homeScore of [1, 2]) {
      await report({ status: 'live', homeScore, awayScore: 0 })
      expect(await tell(id)).toBe(1)
      expect(await show()).toBe(0)
    }
    expect((await deliveriesOf(world, id)).map(({ state }) => state)).toEqual(['sent'])
    await finish(2, 1)
    await tell(id)
    expect(got()).toEqual(['update null:null', 'update 1:0', 'update 2:0', 'end 2:1'])
    const [, goal, , end] = apple.to(token).map(({ body }) => JSON.parse(body).aps)
    expect(goal['content-state']).toMatchObject({ status: 'live', minute: 13 })
    expect(end['content-state']).toMatchObject({ status: 'finished', minute: null })
    expect(end['dismissal-date']).toBe(Math.floor(world.clock.ms / 1_000) + 3_600)
    expect(await devicesOf(fan)).toEqual([])
    expect(await show()).toBe(0)
  })

  test('shows the newest state after several changes, also of those during an attempt', async () => {
    const { matchId, report } = await addMatch(world)
    const { id, token, got } = await showing(matchId)
    await settle(id)
    const { promise, resolve } = Promise.withResolvers<void>()
    apple.answers.set(token, promise)
    const goal = async (homeScore: number) => {
      // Within the lease of the attempt.
      world.clock.advance(1_000)
      await report({ status: 'live', homeScore, awayScore: 0 })
    }
    await goal(1)
    await show()
    await dispatcher.poll()
    await waitUntil('the attempt', () => got().length === 2)
    for (const homeScore of [2, 3]) {
      await goal(homeScore)
      await show()
      await dispatcher.poll()
    }
    expect(got()).toHaveLength(2)
    resolve()
    apple.answers.delete(token)
    await settle(id)
    expect(got()).toEqual(['update null:null', 'update 1:0', 'update 3:0'])
  })

  test('repeats a failed attempt with the state of then', async () => {
    const { matchId, report } = await addMatch(world)
    const { id, token, got } = await showing(matchId)
    await settle(id)
    apple.answers.set(token, [503, 'ServiceUnavailable'])
    await report({ status: 'live', homeScore: 1, awayScore: 0 })
    world.clock.advance(MINUTE)
    await show()
    await dispatcher.poll()
    await waitUntil('the attempt', async () => (await deliveriesOf(world, id))[0]?.attempts === 1)
    apple.answers.delete(token)
    await report({ status: 'live', homeScore: 1, awayScore: 1 })
    await tell(id)
    expect(got().slice(1)).toEqual(['update 1:0', 'update 1:1'])
  })

  test('starts once for fans of both teams, without those who show the match', async () => {
    const { matchId, report } = await addMatch(world)
    const of = async (favoriteTeamId: string | undefined, locale = 'en') =>
      await showing(undefined, await knownFan(world, { favoriteTeamId, locale }))
    const { matches } = world.db.tables
    const sides = (await world.db.read.select().from(matches)).find(({ id }) => id === matchId)
    const [home, away, other] = [
      await of(sides?.homeTeamId),
      await of(sides?.awayTeamId, 'pt'),
      await of(await world.team()),
    ]
    const shows = await of(sides?.homeTeamId)
    await showing(matchId, shows.fan)
    await report({ status: 'live', homeScore: 0, awayScore: 0 })
    for (const { id } of [home, away, other, shows]) await tell(id)
    expect([home.got(), away.got(), other.got(), shows.got()]).toEqual([['start 0:0'], ['start 0:0'], [], []])
    const { aps } = JSON.parse(apple.to(away.token)[0]?.body ?? '{}')
    expect(aps.alert).toEqual({
      title: `${sides?.homeTeamId} – ${sides?.awayTeamId}`,
      body: 'A partida começou.',
      sound: 'default',
    })
    expect(aps.attributes.matchId).toBe(matchId)
    await report({ status: 'live', homeScore: 1, awayScore: 0 })
    await tell(home.id)
    expect(home.got()).toEqual(['start 0:0'])
  })

  test('starts neither in a category that is off nor in quiet hours', async () => {
    const { matchId, report } = await addMatch(world)
    const { matches } = world.db.tables
    const match = (await world.db.read.select().from(matches)).find(({ id }) => id === matchId)
    const fanOf = () => knownFan(world, { favoriteTeamId: match?.homeTeamId })
    const [off, quiet] = [await showing(undefined, await fanOf()), await showing(undefined, await fanOf())]
    expectStatus(200, await off.fan.patch('/api/user/notifications', { match: { push: false } }))
    const hour = world.clock.now().getUTCHours()
    const at = (of: number) => `${String((of + 24) % 24).padStart(2, '0')}:00`
    const hours = { quiet: { from: at(hour), to: at(hour + 3) }, timeZone: 'UTC' }
    expectStatus(200, await quiet.fan.patch('/api/user/notifications', hours))
    // Who has opened it sees it in quiet hours too.
    const opened = await showing(matchId, quiet.fan)
    await report({ status: 'live', homeScore: 0, awayScore: 0 })
    await tell(off.id)
    await waitUntil('the update', () => opened.got().length > 0)
    expect(off.got()).toEqual([])
    expect((await deliveriesOf(world, off.id)).map(({ reason }) => reason)).toEqual(['switched_off'])
    expect(quiet.got()).toEqual([])
  })

  test('shows nothing to suspended and erased fans, and on devices that are removed or gone', async () => {
    const { matchId, report } = await addMatch(world)
    const all = [
      await showing(matchId),
      await showing(matchId),
      await showing(matchId),
      await showing(matchId),
    ] as const
    const [suspended, erased, removed, gone] = all
    for (const { id } of all) await settle(id)
    const decision = { fanId: suspended.id, kind: 'suspend', reason: 'spam', decidedBy: 'Ana' } as const
    const until = new Date(world.clock.ms + 10 * HOUR)
    await world.db.write(tx => recordDecision(tx, { ...decision, until }))
    await report({ status: 'live', homeScore: 0, awayScore: 0 })
    apple.answers.set(gone.token, [410, 'Unregistered'])
    world.clock.advance(MINUTE)
    const pause = (pausedUntil: Date | null) =>
      world.db.write(tx => tx.update(tx.tables.pushServices).set({ pausedUntil }))
    // Between queueing and sending.
    await pause(new Date(world.clock.ms + HOUR))
    await show()
    expect((await erased.fan.send('/api/user', { method: 'DELETE' })).status).toBeLessThan(300)
    await removeDevice(removed.fan, removed.deviceId)
    await pause(null)
    await settle(suspended.id)
    await settle(gone.id)
    const { length: before } = gone.got()
    await report({ status: 'live', homeScore: 1, awayScore: 0 })
    await tell(suspended.id)
    for (const { got } of [suspended, erased, removed]) expect(got()).toEqual(['update null:null'])
    expect(gone.got()).toHaveLength(before)
    expect(await devicesOf(gone.fan)).toEqual([])
  })

  test.each(['postponed', 'cancelled'])('ends with a match that is %s', async status => {
    const { matchId, report } = await addMatch(world)
    const { id, got, fan } = await showing(matchId)
    await settle(id)
    await report({ status })
    await tell(id)
    expect(got().at(-1)).toBe('end null:null')
    expect(await devicesOf(fan)).toEqual([])
  })

  test('that is registered after the match ends at once', async () => {
    const { matchId, finish } = await addMatch(world)
    world.clock.advance(3 * HOUR)
    await finish(1, 1)
    const { id, got, fan } = await showing(matchId)
    await settle(id)
    expect([got(), await devicesOf(fan)]).toEqual([['end 1:1'], []])
  })

  test('of two days ago is deleted', async () => {
    const { matchId } = await addMatch(world)
    const { fan, id } = await showing(matchId)
    await settle(id)
    world.clock.advance(49 * HOUR)
    await sweepPushes(world.db)
    expect(await devicesOf(fan)).toEqual([])
  })
})
