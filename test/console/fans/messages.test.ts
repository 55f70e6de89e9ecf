/** Messages of a fan in the console: which were sent, and why others were not. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createPushDispatcher } from '../../../src/delivery/push/dispatcher.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { newSubscription, putDevice, servePushes } from '../../delivery/push/push-world.ts'
import { addNotification, happens, knownFan } from '../../fan/messages/messages-world.ts'
import { addCampaign, fanIn, run } from '../../operate/admin/campaigns/campaigns-world.ts'
import { liveIn } from '../../play/eligibility/eligibility-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { overrideSettings } from '../../support/settings.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

type Known = Awaited<ReturnType<typeof knownFan>>
let made = 0

onEachEngine('Messages of a fan in the console', world => {
  const { as } = consoleOf(world)
  let service: ReturnType<typeof servePushes>
  let dispatcher: ReturnType<typeof createPushDispatcher>
  beforeAll(async () => {
    service = servePushes()
    dispatcher = createPushDispatcher({ ...world.deps, giveWay: () => Promise.resolve() })
    await addNotification(world, { id: 'bought', push: true, body: 'You bought {{/item}}.' })
  })
  afterAll(async () => {
    await dispatcher.stop()
    await service.stop()
  })
  const read = async ({ id }: Known, role: 'support' | 'moderator' = 'support') =>
    expectStatus(200, await as(role).get(`/api/fans/${id}/messages`))
  async function subscribe(fan: Known) {
    const path = `/${++made}`
    const { subscription } = newSubscription(`${service.url}${made}`)
    expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
    return path
  }
  const buy = (fan: Known) => happens(world, fan.id, { item: 'a scarf' })
  /** The pushes of the newest message, once none is being sent. */
  const pushesOf = (fan: Known) =>
    waitUntil('its pushes', async () => {
      await dispatcher.poll()
      const { pushes } = (await read(fan)).messages[0]
      return pushes.every(({ words }: { words: string }) => words !== 'It is being sent.') && pushes
    })

  test('say when they were sent, and that a fan without a device has none', async () => {
    const fan = await knownFan(world)
    await buy(fan)
    const before = await read(fan)
    expect(before.now).toContain('The fan has no device.')
    expect(before.messages).toMatchObject([{ notificationId: 'bought', inbox: 'shown', pushes: [] }])
    await subscribe(fan)
    await buy(fan)
    expect(await pushesOf(fan)).toMatchObject([{ state: 'sent', words: expect.stringMatching(/^Sent 20/) }])
    expect((await read(fan)).now).toEqual(['Category marketing: switched off for devices and the inbox.'])
  })

  test.each([
    [
      'the category is off',
      (fan: Known) => fan.patch('/api/user/notifications', { rewards: { push: false } }),
      'skipped',
      /switched off/,
    ],
    [
      'the fan is suspended',
      async (fan: Known) => {
        const decision = { fanId: fan.id, kind: 'suspend', reason: 'spam', decidedBy: 'Ana' } as const
        await world.db.write(tx => recordDecision(tx, { ...decision, until: new Date(world.clock.ms + 1e7) }))
      },
      'skipped',
      /suspended/,
    ],
    [
      'it is quiet',
      (fan: Known) => {
        const hour = world.clock.now().getUTCHours()
        const at = (of: number) => `${String(of % 24).padStart(2, '0')}:00`
        return fan.patch('/api/user/notifications', {
          quiet: { from: at(hour), to: at(hour + 2) },
          timeZone: 'UTC',
        })
      },
      'pending',
      /^Quiet hours of the fan hold it until 20/,
    ],
  ] as const)('say why devices get none: %s', async (_, prepare, state, words) => {
    const fan = await knownFan(world)
    await subscribe(fan)
    await prepare(fan)
    await buy(fan)
    expect(await pushesOf(fan)).toMatchObject([{ state, words: expect.stringMatching(words) }])
    expect((await read(fan)).now.length).toBeGreaterThan(1 - Number(state === 'skipped'))
  })

  test('say that the limit of a day is reached, and what a service refuses', async () => {
    const fan = await knownFan(world)
    const path = await subscribe(fan)
    service.answers.set(path, () => new Response(null, { status: 403 }))
    const restore = overrideSettings(world.db, { pushesPerDay: 1 })
    try {
      await buy(fan)
      expect(await pushesOf(fan)).toMatchObject([
        {
          state: 'failed',
          words: 'The service refuses the configuration or the message. The last answer was 403.',
        },
      ])
      world.clock.advance(1_000)
      await buy(fan)
      expect(await pushesOf(fan)).toMatchObject([
        { state: 'skipped', words: 'The limit of a day was reached.' },
      ])
      expect((await read(fan)).now[0]).toContain('limit of a day')
    } finally {
      restore()
    }
  })

  test('say of campaigns: sent, not wanted, stopped, and not in the segment when it began', async () => {
    const [fan, without] = [await fanIn(world, 'PT'), await fanIn(world, 'PT')]
    expectStatus(
      200,
      await without.patch('/api/user/notifications', { rewards: { push: false, inbox: false } }),
    )
    const later = await knownFan(world)
    const campaign = await addCampaign(world, 'PT', { push: true })
    await campaign.start()
    await run(world)
    await liveIn(later, 'PT')
    const wordsOf = async (of: Known, id = campaign.id) =>
      (await read(of)).campaigns.find((one: { id: string }) => one.id === id)?.words
    expect(await wordsOf(fan)).toBe('The fan got it.')
    expect(await wordsOf(without)).toContain('switched off')
    expect(await wordsOf(later)).toContain('not in its segment at')
    const stopped = await addCampaign(world, 'PT', { at: '2020-01-01T00:00' })
    await stopped.start()
    await stopped.stop()
    expect(await wordsOf(fan, stopped.id)).toStartWith('The campaign is stopped. Its fans are not fixed yet')
  })

  test('say of an event why there is none: a missing member, a condition, a category', async () => {
    const type = 'gate.scan'
    const of = (id: string, more: object) => addNotification(world, { id, eventType: type, ...more })
    await of('a-missing', { body: 'Gate {{/gate}}' })
    await of('b-unmet', { when: [{ path: '/item', op: 'eq', value: 'x' }] })
    await of('c-off', { category: 'social' })
    await of('d-written', {})
    const fan = await knownFan(world)
    expectStatus(200, await fan.patch('/api/user/notifications', { social: { push: false, inbox: false } }))
    await happens(world, fan.id, { item: 'y' }, type)
    const { items } = expectStatus(200, await as('support').get(`/api/fans/${fan.id}/timeline?kind=events`))
    const event = items.flatMap(
      (one: { event: { eventId: string; source: string } | null }) => one.event ?? [],
    )[0]
    const query = new URLSearchParams({ source: event.source, eventId: event.eventId })
    const { messages } = expectStatus(200, await as('support').get(`/api/fans/${fan.id}/event?${query}`))
    expect(messages).toEqual([
      { notificationId: 'a-missing', written: false, words: expect.stringContaining('no value at /gate') },
      { notificationId: 'b-unmet', written: false, words: 'The condition on /item is not met.' },
      { notificationId: 'c-off', written: false, words: expect.stringContaining('switched off') },
      { notificationId: 'd-written', written: true, words: 'It wrote a message.' },
    ])
  })

  test('of an unknown fan are not found', async () => {
    expectStatus(404, await as('support').get('/api/fans/nobody/messages'))
  })
})
