/** Campaigns of messages in the console: preview, start by one person or two, stop, report, audit log. */
import { expect, test } from 'bun:test'
import type { ConsoleDeps } from '../../src/operate/console/deps.ts'
import { titlesOf } from '../fan/messages/messages-world.ts'
import { addCampaign, fanIn, run } from '../operate/admin/campaigns/campaigns-world.ts'
import { expectStatus } from '../play/packs/packs-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

const reason = 'Tickets for the derby.'

onEachEngine('Campaigns in the console', world => {
  const { as } = consoleOf(world)
  const { as: asTwo } = consoleOf(world, () => {
    const { console } = world.config
    if (!console) throw new Error('the console is on in tests')
    // Guarantee of the cast: the configuration of tests with another member.
    return {
      config: { ...world.config, console: { ...console, twoPerson: ['campaigns'] } } as ConsoleDeps['config'],
    }
  })

  test('are previewed, started and counted by editors, and seen by support', async () => {
    const fan = await fanIn(world, 'NO')
    const campaign = await addCampaign(world, 'NO')
    const path = `/api/campaigns/${campaign.id}`
    const preview = expectStatus(200, await as('support').get(`${path}/preview`))
    expect(preview).toMatchObject({ fans: 1, samples: [{ language: 'any', fans: 1, title: campaign.title }] })
    const { version } = preview
    expect((await as('support').post(`${path}/start`, { version, reason })).status).toBe(403)
    const stale = await as('editor').post(`${path}/start`, { version: 'another', reason })
    expect([stale.status, stale.body.code]).toEqual([409, 'campaign_changed'])
    expect(expectStatus(200, await as('editor').post(`${path}/start`, { version, reason }))).toMatchObject({
      state: 'scheduled',
      fans: null,
    })
    const again = await as('editor').post(`${path}/start`, { version, reason })
    expect([again.status, again.body.code]).toEqual([409, 'campaign_started'])
    expect(await run(world)).toBe(1)
    expect(await titlesOf(fan)).toEqual([campaign.title])
    expect(expectStatus(200, await as('finance').get(path))).toMatchObject({ state: 'finished', sent: 1 })
    const { campaigns } = expectStatus(200, await as('support').get('/api/campaigns'))
    expect(campaigns).toContainEqual(expect.objectContaining({ id: campaign.id, state: 'finished', fans: 1 }))
    const unknown = await as('support').get('/api/campaigns/unknown')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'campaign_not_found'])
    const rows = await world.db.read.select().from(world.db.tables.consoleAudit)
    expect(rows.filter(({ subjectId }) => subjectId === campaign.id)).toMatchObject([
      {
        operation: 'startCampaign',
        subjectKind: 'notification',
        reason,
        detail: JSON.stringify({ version }),
      },
    ])
  })

  test('are started by two people where the club says so, as they were previewed, and stopped by one', async () => {
    const fan = await fanIn(world, 'SE')
    const campaign = await addCampaign(world, 'SE', { at: new Date(world.clock.ms + 60_000).toISOString() })
    const path = `/api/campaigns/${campaign.id}`
    const ask = async () => {
      const { version } = (await asTwo('editor', 'Ada').get(`${path}/preview`)).body
      return asTwo('editor', 'Ada').post(`${path}/start`, { version, reason })
    }
    const { body: asked, status } = await ask()
    expect([status, asked.code]).toEqual([202, 'approval_required'])
    const confirm = (approvalId: string) =>
      asTwo('owner', 'Grace').post(`/api/approvals/${approvalId}/confirm`, {})
    // What the second person confirms is what the first one saw.
    await campaign.edit({ title: 'Another' })
    expect((await confirm(asked.approvalId)).body).toMatchObject({ code: 'campaign_changed' })
    expect(await campaign.report()).toMatchObject({ state: 'draft' })
    const { body: second } = await ask()
    expect((await confirm(second.approvalId)).body.result).toMatchObject({ state: 'scheduled' })
    expect(await campaign.report()).toMatchObject({ state: 'scheduled' })
    expect(expectStatus(200, await asTwo('editor', 'Ada').post(`${path}/stop`, { reason })).state).toBe(
      'stopped',
    )
    world.clock.advance(60_000)
    expect([await run(world), await titlesOf(fan)]).toEqual([0, []])
  })
})
