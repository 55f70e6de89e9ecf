/** Messages of events: templates, languages, conditions, preferences; in the unit of work of the event. */
import { expect, test } from 'bun:test'
import { BUILT_IN } from '../../../src/club/notifications/built-in.ts'
import { notificationKind } from '../../../src/club/notifications/notification-kind.ts'
import { listNotifications } from '../../../src/club/notifications/notifications.ts'
import { faultIn } from '../../../src/club/notifications/template.ts'
import { segmentKind } from '../../../src/club/segments/segment-kind.ts'
import { recordEvent, writeEvents } from '../../../src/economy/events/record-event.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { judge } from '../../../src/fan/messages/judge.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { onEachEngine } from '../../support/world.ts'
import { addNotification, happens, inboxOf, knownFan, titlesOf } from './messages-world.ts'

onEachEngine('Messages of events', world => {
  test('have the values of the event, in the language of the fan at the time', async () => {
    await addNotification(world, {
      id: 'bought',
      title: { en: 'Thank you for {{/items/0/name}}', 'pt-BR': 'Obrigado por {{/items/0/name}}' },
      body: { en: '{{/amount}} cents', 'pt-BR': '{{/amount}} centavos' },
      url: '/orders/{{/order}}',
    })
    const [fan, other] = [await knownFan(world), await knownFan(world, { locale: 'pt-BR' })]
    const data = { items: [{ name: 'a <b>scarf</b>\n{{/amount}}' }], amount: 0, order: 'A/1?' }
    for (const { id } of [fan, other]) await happens(world, id, data)
    await other.patch('/api/user/profile', { locale: 'en' })
    const [message] = (await inboxOf(fan)).messages
    expect(message).toMatchObject({
      title: 'Thank you for a <b>scarf</b> {{/amount}}',
      body: '0 cents',
      url: '/orders/A%2F1%3F',
      category: 'rewards',
      createdAt: world.clock.now().toISOString(),
      readAt: null,
    })
    expect(await titlesOf(other)).toEqual(['Obrigado por a <b>scarf</b> {{/amount}}'])
    await addNotification(world, { id: 'bought', active: false })
    await happens(world, fan.id, data)
    expect(await titlesOf(fan)).toHaveLength(1)
  })

  test('are cut between characters, without a link that is too long', async () => {
    const type = 'chant.sung'
    const long = { title: '{{/a}}{{/a}}', body: '{{/a}}'.repeat(9), url: '/c?{{/a}}' }
    await addNotification(world, { id: 'cut', eventType: type, ...long })
    await addNotification(world, { id: 'longer', eventType: type, url: `/c?${'{{/a}}'.repeat(9)}` })
    const fan = await knownFan(world)
    await happens(world, fan.id, { a: `x${'🎉'.repeat(200)}` }, type)
    const { messages } = await inboxOf(fan)
    const value = `x${'🎉'.repeat(99)}`
    const longer = messages.find(({ title }) => title === 'Bought')
    const cut = messages.find(one => one !== longer)
    expect(cut).toMatchObject({ title: `${value}…`, url: `/c?${encodeURIComponent(value)}` })
    expect(cut?.body).toHaveLength(999)
    expect(cut?.body).toBe(cut?.body.toWellFormed() ?? '')
    expect(longer).toMatchObject({ title: 'Bought', url: null })
  })

  test('are left out and counted if the event lacks a member', async () => {
    const decided: string[] = []
    const stop = world.db.read.spine.messages.decided.listen(({ outcome, count }) => {
      decided.push(`${outcome} ${count}`)
    })
    await addNotification(world, { id: 'exact', eventType: 'gate.passed', body: 'At gate {{/gate}}.' })
    const fan = await knownFan(world)
    for (const data of [{}, { gate: null }, { gate: { id: 7 } }, { gate: [7] }, { gate: 7 }])
      await happens(world, fan.id, data, 'gate.passed')
    stop()
    expect((await inboxOf(fan)).messages.map(({ body }) => body)).toEqual(['At gate 7.'])
    expect(decided).toEqual([...Array<string>(4).fill('missing 1'), 'written 1'])
  })

  test('are written if the conditions are met and the fan is in the segment', async () => {
    const of = { name: 'Here', when: [{ fact: 'country', op: 'eq' as const, value: 'PT' }] }
    await world.db.write(tx => segmentKind.upsert(tx, { id: 'here', ...of }))
    await addNotification(world, {
      id: 'local',
      eventType: 'desk.visited',
      segment: 'here',
      when: [{ path: '/desk', op: 'eq', value: 'north' }],
    })
    const [fan, other] = [await knownFan(world, { country: 'PT' }), await knownFan(world)]
    for (const { id } of [fan, other])
      for (const desk of ['north', 'south']) await happens(world, id, { desk }, 'desk.visited')
    expect([await titlesOf(fan), await titlesOf(other)]).toEqual([['Bought'], []])
  })

  test('follow the preferences: not in the inbox, or not at all', async () => {
    await addNotification(world, { id: 'news', eventType: 'news.sent', category: 'social', push: true })
    await addNotification(world, { id: 'offer', eventType: 'news.sent', category: 'marketing', push: true })
    const fan = await knownFan(world)
    const rows = async () => {
      const { messages } = world.db.tables
      return (await world.db.read.select().from(messages)).filter(({ userId }) => userId === fan.id)
    }
    await fan.patch('/api/user/notifications', { social: { inbox: false } })
    await happens(world, fan.id, {}, 'news.sent')
    // A device may get it.
    expect(await inboxOf(fan)).toEqual({ messages: [], unread: 0, nextCursor: null })
    expect((await rows()).map(({ notificationId }) => notificationId)).toEqual(['news'])
    await fan.patch('/api/user/notifications', { social: { push: false } })
    await happens(world, fan.id, {}, 'news.sent')
    expect(await rows()).toHaveLength(1)
  })

  test('are one for each event, and none of a unit of work that fails', async () => {
    await addNotification(world, { id: 'once', eventType: 'stand.entered' })
    const fan = await knownFan(world)
    const event = {
      ...{ source: 'gate', eventId: 'entered-1', userId: fan.id, type: 'stand.entered', data: {} },
      occurredAt: world.clock.now(),
    }
    const failed = world.db.write(async tx => {
      await writeEvents(tx, [event])
      throw new Error('rolled back')
    })
    expect(await failed.catch(({ message }) => message)).toBe('rolled back')
    expect(await titlesOf(fan)).toEqual([])
    await Promise.all([1, 2, 3].map(() => world.db.write(tx => writeEvents(tx, [event]))))
    expect(await titlesOf(fan)).toEqual(['Bought'])
    const [message] = (await inboxOf(fan)).messages
    await fan.send(`/api/user/inbox/${message?.id}`, { method: 'DELETE' })
    await world.db.write(tx => writeEvents(tx, [event]))
    expect(await titlesOf(fan)).toEqual([])
  })

  test('of a digest are one in each window', async () => {
    await addNotification(world, { id: 'digest', eventType: 'feed.liked', digest: 60 })
    const fan = await knownFan(world)
    const hour = 3_600_000
    world.clock.advance(hour - (world.clock.ms % hour))
    for (const minutes of [0, 30, 29, 1, 10]) {
      world.clock.advance(minutes * 60_000)
      await happens(world, fan.id, {}, 'feed.liked')
    }
    expect(await titlesOf(fan)).toHaveLength(2)
  })

  test('are built in, and each can be changed and switched off', async () => {
    const [fan, other] = [await knownFan(world, { locale: 'ar' }), await knownFan(world)]
    const offered = { tradeId: '01981e2c-7c1f-7000-8000-000000000001', give: 1, want: 1 }
    const offer = (userId: string, role: 'from' | 'to') =>
      world.db.write(tx => recordEvent(tx, { userId, type: 'trade.offered', data: { ...offered, role } }))
    await offer(fan.id, 'to')
    await offer(other.id, 'from')
    expect([await titlesOf(fan), await titlesOf(other)]).toEqual([['عرض تبادل جديد'], []])
    const stored = (await listNotifications(world.db.read)).find(({ id }) => id === 'trade-offer')
    expect(stored?.isBuiltIn).toBe(true)
    await addNotification(world, { id: 'trade-offer', eventType: 'trade.offered', title: 'Changed' })
    await offer(other.id, 'from')
    expect(await titlesOf(other)).toEqual(['Changed'])
    await addNotification(world, { id: 'trade-offer', eventType: 'trade.offered', active: false })
    await offer(other.id, 'to')
    expect(await titlesOf(other)).toEqual(['Changed'])
  })

  test('of an erased fan are deleted, and those of a merged fan move', async () => {
    await addNotification(world, { id: 'kept', eventType: 'card.used' })
    const [from, into] = [await knownFan(world), await knownFan(world)]
    await happens(world, from.id, {}, 'card.used')
    await world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'ana', reason: null }))
    expect(await titlesOf(into)).toEqual(['Bought'])
    await world.db.write(tx => eraseUser(tx, { id: into.id }))
    const { messages } = world.db.tables
    const rows = await world.db.read.select().from(messages)
    expect(rows.filter(({ userId }) => [from.id, into.id].includes(userId))).toEqual([])
  })
})

test('built-in notifications are valid, in three languages, and lack no member of their events', async () => {
  expect(BUILT_IN.map(({ id }) => id).toSorted()).toEqual([
    ...['appeal-decided', 'league-result', 'match-open', 'membership-ending', 'not-tipped', 'order-refunded'],
    ...['order-shipped', 'points-ending', 'reward-waiting', 'sanction', 'tier-at-risk', 'trade-offer'],
  ])
  for (const entry of BUILT_IN) {
    expect([entry.id, notificationKind.faults(entry)]).toEqual([entry.id, []])
    for (const text of [entry.title, entry.body ?? ''])
      expect([entry.id, Object.keys(text)]).toEqual([entry.id, ['en', 'pt', 'ar']])
  }
})

test('templates have pointers only', () => {
  expect([faultIn('{{/a}} and {{/b/0}}'), faultIn('{a}'), faultIn('100 %')]).toEqual([null, null, null])
  for (const wrong of ['{{name}}', '{{ /a }}', '{{/a}', '{{/a|upper}} {{', '{{}}', '{{/a~2}}'])
    expect([wrong, typeof faultIn(wrong)]).toEqual([wrong, 'string'])
  const texts = { title: 'A', body: 'B', url: null, imageUrl: null, when: [], isBuiltIn: false }
  const of = (body: string) => ({ ...texts, id: 'x', category: 'social' as const, body })
  expect(judge(of('{{/__proto__/a}} {{/length}}'), { a: 1 }, null)).toEqual({
    outcome: 'missing',
    pointer: '/__proto__/a',
  })
})
