/** The report of a campaign of codes in a browser: before the first redemption, and with figures by day and by fan. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { listUnused, voidCodes } from '../../../src/play/codes/generate.ts'
import { redeemCode } from '../../../src/play/codes/redeem.ts'
import { addFan } from '../../economy/rules/rules-world.ts'
import { addCampaign, generate } from '../../play/codes/codes-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const DAY = 86_400_000

describe.skipIf(noBrowser !== null)(noBrowser ? `Campaign (skipped: ${noBrowser})` : 'Campaign', () => {
  onEngine(sqliteEngine, 'The report of a campaign', world => {
    let pages: ReturnType<typeof servePages>
    let used = ''
    let unused = ''
    beforeAll(async () => {
      pages = servePages(world)
      unused = await addCampaign(world, { name: 'Not yet printed' })
      used = await addCampaign(world, { name: 'Scratch cards with a long name', perFan: 2, total: 50 })
      const [one, two] = [await addFan(world), await addFan(world)]
      for (const [nth, code] of (await generate(world, used, 5)).slice(0, 3).entries()) {
        const userId = nth === 0 ? one : two
        const caller = { userId, provider: world.config.identity.name, subject: userId, isNew: false }
        await world.db.write(tx => redeemCode(tx, caller, { code }))
        if (nth === 0) world.clock.advance(DAY)
      }
      const [lost = ''] = await listUnused(world.db.read, used, { after: '', size: 1 })
      await world.db.write(tx => voidCodes(tx, used, [lost]))
    })
    afterAll(() => pages.stop())

    test.each([
      ['desktop', { width: 1440, height: 900 }, 'light'],
      ['phone', { width: 320, height: 800 }, 'dark'],
    ] as const)('has its figures, its days and its fans, on a %s', async (name, viewport, colorScheme) => {
      const { context, complaints, close } = await openBrowser({ viewport, colorScheme })
      // Also for staff who cannot change the catalogue.
      const page = await pages.open(context, `/catalogue/campaign/entry/${used}`, 'support')
      await page.getByRole('tab', { name: 'Report' }).click()
      const panel = page.getByRole('tabpanel')
      for (const text of ['who have redeemed a code', 'of 50', 'until the limit', 'of 5, 1 voided'])
        await panel.getByText(text, { exact: true }).waitFor()
      const rowsOf = (label: string) => panel.getByRole('figure', { name: label }).getByRole('row')
      expect(await rowsOf('Redemptions by day').allInnerTexts()).toHaveLength(3)
      const fans = (await rowsOf('Fans by their redemptions').allInnerTexts()).map(row => row.split(/\s+/))
      expect(fans.slice(1)).toEqual([
        ['1', '1'],
        ['2', '1'],
      ])
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await takeScreenshot(page, `catalogue-campaign-${name}`)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('button', { name: 'Download CSV: Redemptions by day' }).click(),
      ])
      const [head, ...days] = (await Bun.file(await file.path()).text()).trimEnd().split('\r\n')
      expect(head).toEndWith('Day,Redemptions,Fans')
      expect(days.map(day => day.split(',').slice(1))).toEqual([
        ['1', '1'],
        ['2', '1'],
      ])
      expect(complaints).toEqual([])
      await close()
    })

    test('says that nobody has redeemed a code, and opens by its address', async () => {
      const { context, complaints, close } = await openBrowser()
      const page = await pages.open(context, `/catalogue/campaign/entry/${unused}?view=report`, 'editor')
      await page.getByText('Nobody has redeemed a code yet').waitFor()
      await page.getByText('without a limit').waitFor()
      expect(await page.getByRole('figure').count()).toBe(0)
      await page.getByRole('tab', { name: 'Form' }).click()
      await page.getByRole('textbox', { name: 'Name' }).first().waitFor()
      expect(complaints).toEqual([])
      await close()
    })
  })
})
