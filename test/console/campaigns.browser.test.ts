/** The page of a campaign of messages in a browser, also after its notification has lost its time. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addCampaign, fanIn, run } from '../operate/admin/campaigns/campaigns-world.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Campaigns (skipped: ${noBrowser})` : 'Campaigns', () => {
  onEngine(sqliteEngine, 'The page of a campaign', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    test('shows the run of a notification that has lost its time, and says why there is no preview', async () => {
      await fanIn(world, 'NO')
      const campaign = await addCampaign(world, 'NO')
      await campaign.start()
      expect(await run(world)).toBe(1)
      await campaign.edit({ at: null, eventType: 'order.paid' })
      const { context, close } = await openBrowser()
      const page = await pages.open(context, `/campaigns/${campaign.id}`, 'editor')
      await page.getByRole('heading', { name: campaign.title }).waitFor()
      await page.getByText('in the segment when it began').waitFor()
      await page.getByText('has no time and no preview: it cannot be started.').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await close()
    })
  })
})
