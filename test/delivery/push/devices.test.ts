/** Devices of fans: registering, moving, removing, and what becomes of the pushes that wait for them. */
import { expect, test } from 'bun:test'
import { MAX_DEVICES } from '../../../src/delivery/push/devices.ts'
import { enqueuePushes, type Push } from '../../../src/delivery/push/enqueue.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { expectStatus, refusal } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  deliveriesOf,
  devicesOf,
  knownFan,
  newSubscription,
  pushOf,
  putDevice,
  removeDevice,
} from './push-world.ts'

const SECOND = 1_000
const withKey = (key: Buffer) => {
  const { subscription } = newSubscription()
  return { ...subscription, keys: { ...subscription.keys, p256dh: key.toString('base64url') } }
}

onEachEngine('Devices of a fan', world => {
  const queue = (...pushes: Push[]) => world.db.write(tx => enqueuePushes(tx, pushes))
  const idsOf = async (fan: Parameters<typeof devicesOf>[0]) =>
    (await devicesOf(fan)).map(({ deviceId }) => deviceId)

  test('are registered, registered again, listed and removed', async () => {
    const fan = await world.fan()
    const at = world.clock.now().toISOString()
    const phone = { deviceId: 'phone', kind: 'fcm', matchId: null, createdAt: at, lastUsedAt: at }
    expect(await putDevice(fan, 'phone', { kind: 'fcm', token: 'one' })).toMatchObject({
      status: 201,
      body: phone,
    })
    world.clock.advance(SECOND)
    const again = { ...phone, lastUsedAt: world.clock.now().toISOString() }
    expect(await putDevice(fan, 'phone', { kind: 'fcm', token: 'two' })).toMatchObject({
      status: 200,
      body: again,
    })
    const { subscription } = newSubscription()
    expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
    const matchId = await world.match({ id: `match-${crypto.randomUUID()}` })
    const activity = { kind: 'live_activity', token: 'ab12', matchId }
    expectStatus(201, await putDevice(fan, 'activity', activity))
    const { devices, vapidPublicKey } = expectStatus(200, await fan.get('/api/user/devices'))
    expect(devices).toMatchObject([
      again,
      { deviceId: 'activity', kind: 'live_activity', matchId },
      { deviceId: 'browser', kind: 'webpush' },
    ])
    expect(Buffer.from(vapidPublicKey, 'base64url')).toHaveLength(65)
    expect((await removeDevice(fan, 'activity')).status).toBe(204)
    expect((await removeDevice(fan, 'activity')).status).toBe(204)
    expect(await idsOf(fan)).toEqual(['phone', 'browser'])
  })

  test.each([
    ['/token', { kind: 'fcm' }],
    ['/token', { kind: 'webpush', token: 'x', subscription: newSubscription().subscription }],
    ['/token', { kind: 'apns', token: 'zz' }],
    ['/token', { kind: 'live_activity', token: 'abc' }],
    ['/matchId', { kind: 'live_activity', token: 'ab', matchId: 'nope' }],
    ['/subscription', { kind: 'webpush' }],
    ['/subscription', { kind: 'apns', token: 'ab', subscription: newSubscription().subscription }],
    ['/matchId', { kind: 'apns', token: 'ab', matchId: 'lisbon-porto' }],
    [
      '/subscription/endpoint',
      { kind: 'webpush', subscription: newSubscription('ftp://push.example').subscription },
    ],
    [
      '/subscription/endpoint',
      { kind: 'webpush', subscription: newSubscription('https://me:secret@push.example').subscription },
    ],
    ['/subscription/keys/p256dh', { kind: 'webpush', subscription: withKey(Buffer.alloc(65, 4)) }],
    ['/subscription/keys/p256dh', { kind: 'webpush', subscription: withKey(Buffer.alloc(65)) }],
  ])('refuses at %s what a device of the kind does not have', async (pointer, input) => {
    const answer = await putDevice(await world.fan(), 'phone', input)
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer }] } })
  })

  test('a token has one fan: the last one to register it', async () => {
    const [ada, bob] = [await knownFan(world), await knownFan(world)]
    const token = { kind: 'apns', token: ada.id.replaceAll('-', '') }
    expectStatus(201, await putDevice(ada, 'phone', token))
    await queue(pushOf(ada.id))
    expectStatus(201, await putDevice(bob, 'phone', token))
    expect([await idsOf(ada), await idsOf(bob)]).toEqual([[], ['phone']])
    expect(await deliveriesOf(world, ada.id)).toEqual([])
    // Under another name of the same fan too.
    expectStatus(201, await putDevice(bob, 'renamed', token))
    expect(await idsOf(bob)).toEqual(['renamed'])
  })

  test('fans who register a token at once: one of them has it', async () => {
    const fans = await Promise.all(Array.from({ length: 6 }, () => world.fan()))
    const token = { kind: 'fcm', token: `raced${fans[0]?.subject}` }
    const answers = await Promise.all(fans.map(fan => putDevice(fan, 'phone', token)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect((await Promise.all(fans.map(idsOf))).flat()).toEqual(['phone'])
  })

  test('beyond the limit, the one that was used least recently goes', async () => {
    const fan = await world.fan()
    for (let n = 0; n < MAX_DEVICES; n++) {
      world.clock.advance(SECOND)
      expectStatus(201, await putDevice(fan, `d${n}`, { kind: 'fcm', token: `${fan.subject}${n}` }))
    }
    world.clock.advance(SECOND)
    expectStatus(200, await putDevice(fan, 'd0', { kind: 'fcm', token: `${fan.subject}0` }))
    world.clock.advance(SECOND)
    expectStatus(201, await putDevice(fan, 'one-more', { kind: 'fcm', token: `${fan.subject}more` }))
    const left = await idsOf(fan)
    expect(left).toHaveLength(MAX_DEVICES)
    expect([left.includes('d0'), left.includes('d1'), left.includes('one-more')]).toEqual([true, false, true])
  })

  test('are stored encrypted', async () => {
    const fan = await knownFan(world)
    const token = `readable${fan.id}`
    expectStatus(201, await putDevice(fan, 'phone', { kind: 'fcm', token }))
    const rows = await world.db.read.select().from(world.db.tables.devices)
    expect(JSON.stringify(rows)).not.toContain(token)
    const [{ tokenHash = '', encryptedToken = '' } = {}] = rows.filter(({ userId }) => userId === fan.id)
    expect(world.deps.deviceEncryption.decrypt(encryptedToken, tokenHash)).toBe(token)
  })

  test('get each message once, in order, and nothing is written without a device', async () => {
    const [fan, other] = [await knownFan(world), await knownFan(world)]
    for (const id of ['a', 'b']) await putDevice(fan, id, { kind: 'fcm', token: `${fan.id}${id}` })
    const [first, second] = [pushOf(fan.id, { notBefore: new Date(world.clock.ms + SECOND) }), pushOf(fan.id)]
    expect(await queue(first, second, pushOf(other.id))).toBe(4)
    expect(await queue(first, second)).toBe(0)
    const rows = await deliveriesOf(world, fan.id)
    expect(rows.map(({ messageId, deviceId }) => [messageId, deviceId])).toEqual([
      [first.messageId, 'a'],
      [first.messageId, 'b'],
      [second.messageId, 'a'],
      [second.messageId, 'b'],
    ])
    expect(rows[0]).toMatchObject({ dueAt: first.notBefore, state: 'pending', bulk: false })
    expect(await deliveriesOf(world, other.id)).toEqual([])
  })

  test('what waits goes with a device, and with another token of it', async () => {
    const fan = await knownFan(world)
    for (const id of ['a', 'b']) await putDevice(fan, id, { kind: 'fcm', token: `${fan.id}${id}` })
    await queue(pushOf(fan.id))
    await putDevice(fan, 'a', { kind: 'fcm', token: `${fan.id}a` })
    expect(await deliveriesOf(world, fan.id)).toHaveLength(2)
    await putDevice(fan, 'a', { kind: 'fcm', token: `${fan.id}other` })
    expect((await deliveriesOf(world, fan.id)).map(({ deviceId }) => deviceId)).toEqual(['b'])
    await removeDevice(fan, 'b')
    expect(await deliveriesOf(world, fan.id)).toEqual([])
  })

  test('are exported without their tokens, move with a merge, and vanish with an erasure', async () => {
    const [from, into] = [await knownFan(world), await knownFan(world)]
    await putDevice(from, 'phone', { kind: 'fcm', token: `${from.id}phone` })
    await putDevice(from, 'both', { kind: 'fcm', token: `${from.id}both` })
    await putDevice(into, 'both', { kind: 'fcm', token: `${into.id}both` })
    await queue(pushOf(from.id))
    await world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Ana', reason: null }))
    expect((await deliveriesOf(world, into.id)).map(({ deviceId }) => deviceId)).toEqual(['both', 'phone'])
    const exported = await exportUser(world.db.read, { id: into.id })
    expect(exported).toMatchObject({
      devices: [{ deviceId: 'both' }, { deviceId: 'phone' }],
      pushes: [
        { deviceId: 'both', state: 'pending' },
        { deviceId: 'phone', state: 'pending' },
      ],
    })
    expect(JSON.stringify(await Array.fromAsync([exported?.profile]))).not.toContain(`${from.id}phone`)
    await world.db.write(tx => eraseUser(tx, { id: into.id }))
    expect(await deliveriesOf(world, into.id)).toEqual([])
    const { devices } = world.db.tables
    expect((await world.db.read.select().from(devices)).filter(({ userId }) => userId === into.id)).toEqual(
      [],
    )
  })

  test('a fan does not see or remove those of another', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    await putDevice(fan, 'phone', { kind: 'fcm', token: fan.subject })
    expect(await idsOf(other)).toEqual([])
    expect((await removeDevice(other, 'phone')).status).toBe(204)
    expect(await idsOf(fan)).toEqual(['phone'])
    expect(refusal(await world.anonymous.get('/api/user/devices'))).toEqual([401, 'unauthenticated'])
  })
})
