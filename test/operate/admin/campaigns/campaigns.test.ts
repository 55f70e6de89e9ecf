/** Campaigns: who gets them, when, once, what a stop does, and what is counted. */
import { afterAll, expect, spyOn, test } from 'bun:test'
import { createPushDispatcher } from '../../../../src/delivery/push/dispatcher.ts'
import { eraseUser } from '../../../../src/fan/account/erase-user.ts'
import { listCampaignSummaries } from '../../../../src/operate/admin/campaigns/report.ts'
import { sweepCampaigns } from '../../../../src/operate/admin/campaigns/run.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { newSubscription, putDevice, servePushes } from '../../../delivery/push/push-world.ts'
import { inboxOf, titlesOf } from '../../../fan/messages/messages-world.ts'
import { liveIn } from '../../../play/eligibility/eligibility-world.ts'
import { expectStatus } from '../../../play/packs/packs-world.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'
import { addCampaign, fanIn, fansIn, run, runWith } from './campaigns-world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

onEachEngine('A campaign', world => {
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      error => error.code,
    )

  test('reaches each fan of its segment once, and nobody who comes or goes after its begin', async () => {
    const fans = await fansIn(world, 'NO', 7)
    const other = await fanIn(world, 'SE')
    const campaign = await addCampaign(world, 'NO')
    expect(await run(world)).toBe(0)
    await campaign.start()
    const [gone, late] = [fans[6], await fanIn(world, 'SE')]
    if (!gone) throw new Error('there are seven fans')
    const sent = await runWith(world, 1, async () => {
      await liveIn(gone, 'SE')
      await liveIn(late, 'NO')
    })
    expect(sent).toBe(7)
    expect(await run(world)).toBe(0)
    for (const fan of fans) expect(await titlesOf(fan)).toEqual([campaign.title])
    for (const fan of [other, late]) expect(await titlesOf(fan)).toEqual([])
    expect(await campaign.report()).toMatchObject({ state: 'finished', fans: 7, queued: 0, sent: 7, left: 0 })
    expect(await refusal(campaign.start())).toBe('campaign_finished')
    expect(await refusal(campaign.stop())).toBe('campaign_not_running')
  })

  test('waits for its instant, and then says what it said when it was started', async () => {
    const fan = await fanIn(world, 'DK')
    const at = new Date(world.clock.ms + 2 * HOUR).toISOString()
    const campaign = await addCampaign(world, 'DK', { at })
    await campaign.start()
    expect(await refusal(campaign.start())).toBe('campaign_started')
    await campaign.edit({ title: 'Another' })
    await campaign.editSegment({ when: [{ fact: 'country', op: 'eq', value: 'FI' }] })
    expect(await run(world)).toBe(0)
    expect(await campaign.report()).toMatchObject({ state: 'scheduled', fans: null, beginsAt: at })
    world.clock.advance(2 * HOUR)
    expect(await run(world)).toBe(1)
    expect(await titlesOf(fan)).toEqual([campaign.title])
  })

  test('reaches each fan at the local time of the fan', async () => {
    const [tokyo, london, club] = await fansIn(world, 'JP', 3)
    if (!tokyo || !london || !club) throw new Error('there are three fans')
    for (const [fan, timeZone] of [
      [tokyo, 'Asia/Tokyo'],
      [london, 'America/New_York'],
    ] as const)
      expectStatus(200, await fan.patch('/api/user/notifications', { timeZone }))
    const day = new Date(world.clock.ms + 2 * DAY).toISOString().slice(0, 10)
    const campaign = await addCampaign(world, 'JP', { at: `${day}T12:00` })
    await campaign.start()
    const to = (iso: string) => world.clock.advance(Date.parse(iso) - world.clock.ms)
    to(`${day}T02:59:00Z`)
    expect(await run(world)).toBe(0)
    to(`${day}T03:00:00Z`)
    expect(await run(world)).toBe(1)
    expect(await titlesOf(tokyo)).toEqual([campaign.title])
    expect(await campaign.report()).toMatchObject({ state: 'running', fans: 3, queued: 2, sent: 1 })
    to(`${day}T12:00:00Z`)
    expect(await run(world)).toBe(1)
    expect(await titlesOf(club)).toEqual([campaign.title])
    to(`${day}T17:00:00Z`)
    expect(await run(world)).toBe(1)
    expect(await titlesOf(london)).toEqual([campaign.title])
    expect(await campaign.report()).toMatchObject({ state: 'finished', queued: 0, sent: 3 })
  })

  test('stops between two batches, and continues for those who wait', async () => {
    const fans = await fansIn(world, 'IS', 7)
    const campaign = await addCampaign(world, 'IS')
    await campaign.start()
    expect(await runWith(world, 2, campaign.stop)).toBe(3)
    expect(await run(world)).toBe(0)
    expect(await campaign.report()).toMatchObject({ state: 'stopped', fans: 7, queued: 4, sent: 3 })
    await campaign.edit({ title: 'Corrected' })
    await campaign.start()
    expect(await run(world)).toBe(4)
    const titles = await Promise.all(fans.map(titlesOf))
    expect(titles.flat().toSorted()).toEqual([
      ...Array(4).fill('Corrected'),
      ...Array(3).fill(campaign.title),
    ])
    expect(titles.every(({ length }) => length === 1)).toBe(true)
  })

  test('that was started is listed, reported and stopped also if its notification has an event type now', async () => {
    const [fan] = await fansIn(world, 'FO', 1)
    if (!fan) throw new Error('there is a fan')
    const at = new Date(world.clock.ms + 2 * HOUR).toISOString()
    const campaign = await addCampaign(world, 'FO', { at })
    await campaign.start()
    await campaign.edit({ at: null, eventType: 'shop.purchase', title: 'Another' })
    const shown = { id: campaign.id, state: 'scheduled', at, title: campaign.title, active: false }
    expect(await listCampaignSummaries(world.db.read)).toContainEqual(expect.objectContaining(shown))
    expect(await campaign.report()).toMatchObject(shown)
    expect(await refusal(campaign.start())).toBe('campaign_not_found')
    await campaign.stop()
    world.clock.advance(2 * HOUR)
    expect(await run(world)).toBe(0)
    expect(await titlesOf(fan)).toEqual([])
    expect(await campaign.report()).toMatchObject({ state: 'stopped', active: false })
    await campaign.edit({ at, title: 'Again' })
    await campaign.start()
    expect(await run(world)).toBe(1)
    expect(await titlesOf(fan)).toEqual(['Again'])
    await campaign.edit({ at: null, eventType: 'shop.purchase' })
    expect(await campaign.report()).toMatchObject({ state: 'finished', fans: 1, sent: 1 })
  })

  test('leaves out who does not want it, and asks for the consent to marketing', async () => {
    const [wants, none] = await fansIn(world, 'EE', 2)
    if (!wants || !none) throw new Error('there are two fans')
    expectStatus(200, await none.patch('/api/user/notifications', { rewards: { inbox: false } }))
    const campaign = await addCampaign(world, 'EE')
    await campaign.start()
    expect(await run(world)).toBe(1)
    expect(await campaign.report()).toMatchObject({ fans: 2, sent: 1, skipped: 1 })
    const marketing = await addCampaign(world, 'EE', { category: 'marketing' })
    await marketing.start()
    expect(await run(world)).toBe(0)
    expect(await marketing.report()).toMatchObject({ state: 'finished', fans: 2, sent: 0, skipped: 2 })
  })

  test('forgets a fan who is erased, and reaches a fan who was merged once', async () => {
    const [erased, from, into, rest] = await fansIn(world, 'LV', 4)
    if (!erased || !from || !into || !rest) throw new Error('there are four fans')
    const campaign = await addCampaign(world, 'LV', { at: '2020-01-01T00:00:00Z' })
    await campaign.start()
    const subjectOf = ({ subject }: { subject: string }) => ({
      provider: world.config.identity.name,
      subject,
    })
    const sent = await runWith(world, 1, async () => {
      await world.db.write(tx => eraseUser(tx, subjectOf(erased)))
      const merge = { from: from.id, into: into.id, mergedBy: 'Ana', reason: null }
      await world.db.write(tx => mergeFans(tx, merge))
    })
    expect(sent).toBe(2)
    for (const fan of [into, rest]) expect(await titlesOf(fan)).toEqual([campaign.title])
    expect(await campaign.report()).toMatchObject({ fans: 4, queued: 0, sent: 2, skipped: 0, left: 2 })
  })

  test('previews how many fans get it in each language, and what they read', async () => {
    for (const locale of ['pt-BR', 'pt', 'fr', null])
      await fanIn(world, 'PT', locale === null ? {} : { locale })
    const campaign = await addCampaign(world, 'PT', {
      title: { en: 'Tickets', pt: 'Ingressos' },
      body: { en: 'On sale', pt: 'À venda' },
      url: '/shop',
    })
    const preview = await campaign.preview()
    expect(preview).toEqual({
      version: expect.any(String),
      fans: 4,
      samples: [
        { language: 'en', fans: 2, title: 'Tickets', body: 'On sale', url: '/shop', imageUrl: null },
        { language: 'pt', fans: 2, title: 'Ingressos', body: 'À venda', url: '/shop', imageUrl: null },
      ],
    })
    await campaign.edit({ body: 'Sold out' })
    expect(await refusal(campaign.start(preview.version))).toBe('campaign_changed')
    await campaign.editSegment({ active: false })
    expect((await campaign.preview()).fans).toBe(0)
    expect(await refusal(campaign.start())).toBe('campaign_inactive')
  })

  test('is kept for 90 days with its fans, then with its counts', async () => {
    await fanIn(world, 'MT')
    const campaign = await addCampaign(world, 'MT')
    await campaign.start()
    expect(await run(world)).toBe(1)
    const { messageCampaignFans } = world.db.tables
    const kept = async () =>
      (await world.db.read.select().from(messageCampaignFans)).filter(
        ({ campaignId }) => campaignId === campaign.id,
      ).length
    await sweepCampaigns(world.db)
    expect(await kept()).toBe(1)
    spyOn(world.db.read, 'now').mockReturnValueOnce(new Date(world.clock.ms + 91 * DAY))
    await sweepCampaigns(world.db)
    expect([await kept(), (await campaign.report()).sent]).toEqual([0, 1])
  })
})

onEachEngine('The pushes of a campaign', world => {
  const service = servePushes()
  let dispatcher: ReturnType<typeof createPushDispatcher> | undefined
  afterAll(async () => {
    await dispatcher?.stop()
    await service.stop()
  })

  test('are counted, with who read and opened it, and wait while it is stopped', async () => {
    const fans = await fansIn(world, 'GR', 4)
    for (const [index, fan] of fans.entries()) {
      const { subscription } = newSubscription(`${service.url}${index}`)
      expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
    }
    const campaign = await addCampaign(world, 'GR', { push: true, url: '/shop' })
    await campaign.start()
    expect(await runWith(world, 2, campaign.stop)).toBe(3)
    // From now on: another one would send before the stop.
    const sender = createPushDispatcher({ ...world.deps, giveWay: () => Promise.resolve() })
    dispatcher = sender
    const devices = async () => (await campaign.report()).devices
    const untilDevices = (what: string, expected: object) =>
      waitUntil(what, async () => {
        await sender.poll()
        return Bun.deepEquals({ ...NONE, ...expected }, await devices())
      })
    await untilDevices('the pushes are held back', { held: 3 })
    expect(service.got).toEqual([])
    service.answers.set('/0', () => new Response(null, { status: 410 }))
    await campaign.start()
    expect(await run(world)).toBe(1)
    await untilDevices('the pushes are sent', { sent: 3, gone: 1 })
    expect(service.got).toHaveLength(4)
    const [reader, clicker] = [fans[1], fans[2]]
    if (!reader || !clicker) throw new Error('there are four fans')
    const read = async (fan: Fan, more: object) => {
      const [message] = (await inboxOf(fan)).messages
      expectStatus(200, await fan.post('/api/user/inbox/read', { ids: [message?.id], ...more }))
    }
    await read(reader, {})
    await read(clicker, { clicked: true })
    await read(clicker, { clicked: true })
    expect(await campaign.report()).toMatchObject({ state: 'finished', sent: 4, read: 2, clicked: 1 })
    expectStatus(
      422,
      await reader.post('/api/user/inbox/read', { until: '2030-01-01T00:00:00Z', clicked: true }),
    )
  })
})

const NONE = { queued: 0, held: 0, sent: 0, gone: 0, failed: 0, skipped: 0 }
