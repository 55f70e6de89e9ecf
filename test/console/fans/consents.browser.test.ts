/** Consents of a fan in Chromium: the tab, and a withdrawal that the fan has sent. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { documentKind } from '../../../src/club/documents/document-kind.ts'
import { storeAge } from '../../../src/identity/users/age.ts'
import { unique } from '../../economy/rules/rules-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const LOOKS = [
  ['desktop', 'light', { width: 1440, height: 900 }],
  ['narrow', 'dark', { width: 390, height: 844 }],
] as const

const title = noBrowser ? `Consents of a fan (skipped: ${noBrowser})` : 'Consents of a fan'

describe.skipIf(noBrowser !== null)(title, () => {
  onEngine(sqliteEngine, 'consents in the browser', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    test.each(LOOKS)('are shown, and withdrawn with a reason (%s)', async (name, colorScheme, viewport) => {
      const [fan, purpose] = [await namedFan(world), unique('marketing')]
      const document = { id: purpose, version: '2026-07', purpose, text: 'I agree.' }
      await world.db.write(tx => documentKind.upsert(tx, document))
      const granted = { [purpose]: { granted: true, version: '2026-07' } }
      expectStatus(200, await fan.put('/api/user/consents', granted))
      await world.db.write(tx =>
        storeAge(tx, fan.id, {
          ageBand: '13_15',
          source: 'school',
          assuredAt: tx.now(),
          guardianConsent: true,
        }),
      )
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, `/fans/${fan.id}?tab=consents`, 'support')
      const check = async (state: string) => {
        expect(await findSerious(page)).toEqual([])
        expect(
          await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
        ).toBe(false)
        await takeScreenshot(page, `fan-consents-${state}-${name}`, { fullPage: true })
      }
      await page.getByText('13 to 15').first().waitFor()
      await page
        .getByRole('table', { name: 'Changes of the age' })
        .getByText('school')
        .first()
        .waitFor({ state: 'attached' })
      await check('granted')
      await page.getByRole('button', { name: 'Actions' }).press('Enter')
      await page.getByRole('button', { name: 'Withdraw a consent' }).press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('Letter of 3 August.')
      await dialog.getByRole('button', { name: 'Withdraw the consent' }).press('Enter')
      await page.getByText('The consent was withdrawn.').waitFor()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Does not agree').first().waitFor()
      await check('withdrawn')
      expect(browser.complaints).toEqual([])
      await browser.close()
    })
  })
})
