/** `bun run campaigns` as a command. */
import { expect, test } from 'bun:test'
import { titlesOf } from '../fan/messages/messages-world.ts'
import { addCampaign, fanIn, run } from '../operate/admin/campaigns/campaigns-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run campaigns', world => {
    const command = (...parameters: string[]) =>
      runScript('campaigns', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })

    test('previews, starts, stops and reports a campaign', async () => {
      const fan = await fanIn(world, 'NO', { locale: 'pt' })
      const campaign = await addCampaign(world, 'NO', {
        title: { en: 'Tickets', pt: 'Ingressos' },
        url: '/shop',
      })
      const { id } = campaign
      const preview = await command('preview', id)
      expect([preview.code, preview.out]).toEqual([
        0,
        '1 fans\nen: 0 fans\n  Tickets\n  Body\n  /shop\npt: 1 fans\n  Ingressos\n  Body\n  /shop\n',
      ])
      const planned = await command('start', id, '--dry-run')
      expect(planned.out).toStartWith(`It would be started.\n${id}: draft`)
      expect((await campaign.report()).state).toBe('draft')
      expect((await command('start', id)).out).toStartWith(`${id}: scheduled, at 2020-01-01T00:00:00Z`)
      expect((await command('stop', id)).out).toStartWith(`${id}: stopped`)
      const refused = await command('stop', id)
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('not running')])
      expect((await command('start', id)).code).toBe(0)
      expect(await run(world)).toBe(1)
      expect(await titlesOf(fan)).toEqual(['Ingressos'])
      expect((await command('report', id)).out).toBe(
        [
          `${id}: finished, at 2020-01-01T00:00:00Z`,
          '  1 fans: 0 wait, 1 got it, 0 do not want it, 0 were erased or merged',
          '  0 have read it, 0 have opened its link',
          '  devices: 0 wait, 0 held back, 0 sent, 0 gone, 0 failed, 0 skipped\n',
        ].join('\n'),
      )
      expect(JSON.parse((await command('report', id, '--json')).out)).toMatchObject({ campaign: id, sent: 1 })
      expect((await command('report', id, '--dry-run')).code).toBe(2)
      const unknown = await command('report', 'unknown')
      expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('no such campaign')])
    })
  })
}
