/** Messages that another fan has caused: devices do not get those of a fan who is muted or blocked when they are sent. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createPushDispatcher } from '../../../src/delivery/push/dispatcher.ts'
import { completeReferral } from '../../../src/fan/referrals/referrals.ts'
import { deliveriesOf, newSubscription, putDevice, servePushes } from '../../delivery/push/push-world.ts'
import { type NamedFan, namedFan, put, remove } from '../../identity/relations/relations-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { accept, drawnItem, offer } from '../../play/trades/trades-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { addNotification, titlesOf } from './messages-world.ts'

let made = 0

onEachEngine('A message that another fan has caused', world => {
  let service: ReturnType<typeof servePushes>
  beforeAll(async () => {
    service = servePushes()
    await addNotification(world, {
      id: 'traded',
      eventType: 'trade.completed',
      category: 'social',
      title: 'Traded',
      push: true,
    })
    await addNotification(world, {
      id: 'invited',
      eventType: 'referral.completed',
      category: 'social',
      title: 'Invited',
      push: true,
    })
  })
  afterAll(() => service.stop())

  async function subscribed(): Promise<NamedFan> {
    const fan = await namedFan(world)
    const { subscription } = newSubscription(`${service.url}${++made}`)
    expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
    return fan
  }
  /** What became of the pushes of the fan. Before, nothing is sent. */
  async function sent(fan: NamedFan, count: number): Promise<string[]> {
    const dispatcher = createPushDispatcher({ ...world.deps, giveWay: () => Promise.resolve() })
    try {
      return await waitUntil('its pushes have ended', async () => {
        world.clock.advance(1_000)
        await dispatcher.poll()
        const rows = await deliveriesOf(world, fan.id)
        return rows.length === count && rows.every(({ endedAt }) => endedAt !== null) && rows.map(stateOf)
      })
    } finally {
      await dispatcher.stop()
    }
  }
  const stateOf = ({ state, reason }: { state: string; reason: string | null }) => reason ?? state
  const offerTo = async (from: NamedFan, to: NamedFan) =>
    expectStatus(201, await offer(from, to.handle, [await drawnItem(world, from)]))
  const mute = async (fan: NamedFan, other: NamedFan) =>
    expect((await put(fan, 'mutes', other.handle)).status).toBe(204)

  test('is sent, with its sender', async () => {
    const [from, to] = [await subscribed(), await subscribed()]
    await offerTo(from, to)
    expect(await deliveriesOf(world, to.id)).toMatchObject([{ senderId: from.id }])
    expect(await sent(to, 1)).toEqual(['sent'])
  })

  test('is only in the inbox if the fan has muted the other: an offer, and a completed trade', async () => {
    const [from, to] = [await subscribed(), await subscribed()]
    await mute(to, from)
    const trade = await offerTo(from, to)
    expectStatus(200, await accept(to, trade))
    expect(await sent(to, 2)).toEqual(['sender_blocked', 'sender_blocked'])
    expect(await titlesOf(to)).toEqual(['Traded', 'New trade offer'])
    // The other has muted nobody.
    expect(await sent(from, 1)).toEqual(['sent'])
  })

  test.each(['mutes', 'blocks'] as const)('is not sent if the other is in the %s by then', async relation => {
    const [from, to] = [await subscribed(), await subscribed()]
    await offerTo(from, to)
    expect((await put(to, relation, from.handle)).status).toBe(204)
    expect(await sent(to, 1)).toEqual(['sender_blocked'])
  })

  test('is sent again after the mute has ended', async () => {
    const [from, to] = [await subscribed(), await subscribed()]
    await mute(to, from)
    await offerTo(from, to)
    expect((await remove(to, 'mutes', from.handle)).status).toBe(204)
    expect(await sent(to, 1)).toEqual(['sent'])
  })

  test('is not sent for an invitation either, to the one of the two who has muted the other', async () => {
    const [inviter, invited] = [await subscribed(), await subscribed()]
    const { referrals } = world.db.tables
    await mute(inviter, invited)
    await world.db.write(async tx => {
      await tx.insert(referrals).values({ inviteeId: invited.id, inviterId: inviter.id, invitedAt: tx.now() })
      await completeReferral(tx, invited.id, { source: 'matchday', eventId: 'any' })
    })
    expect([await sent(inviter, 1), await sent(invited, 1)]).toEqual([['sender_blocked'], ['sent']])
  })
})
