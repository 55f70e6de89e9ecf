/** The preview of an entry on a phone: by the components of the example app, in each language, light and dark. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { engines } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Preview (skipped: ${noBrowser})` : 'Preview', () => {
  for (const engine of engines)
    onEngine(engine, 'on a phone', world => {
      let pages: ReturnType<typeof servePages>
      beforeAll(async () => {
        pages = servePages(world)
        await world.db.write(async tx => {
          for (const record of fullCatalogue('phone')) await writeRecord(tx, record)
        })
      })
      afterAll(() => pages.stop())

      test.each([
        ['desktop', { width: 1440, height: 900 }, 'light'],
        ['phone', { width: 390, height: 844 }, 'dark'],
      ] as const)(
        'follows the draft, its language and the colours, on a %s',
        async (name, viewport, colorScheme) => {
          const browser = await openBrowser({ viewport, colorScheme })
          const page = await pages.open(browser.context, '/catalogue/reward/entry/phone-scarf', 'editor')
          const frame = page.frameLocator('iframe')
          await frame.getByText('Scarf', { exact: true }).waitFor()
          await page.getByRole('textbox', { name: 'Title', exact: true }).fill('A warm scarf')
          await frame.getByText('A warm scarf').waitFor()
          await page.getByRole('tab', { name: /^Arabic/ }).click()
          await frame.getByText('وشاح').waitFor()
          expect(await frame.locator('html').getAttribute('dir')).toBe('rtl')
          // A text that is missing is shown in its default language.
          await frame.getByText('One scarf.').waitFor()
          const scheme = () =>
            frame.locator('html').evaluate('getComputedStyle(document.documentElement).colorScheme')
          await page.getByRole('button', { name: 'Dark' }).press('Enter')
          await frame.locator('html[style*="dark"]').waitFor()
          await page.getByRole('button', { name: 'Light' }).click()
          await frame.locator('html[style*="light"]').waitFor()
          expect(await scheme()).toBe('light')
          expect(await findSerious(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
          await takeScreenshot(page, `catalogue-phone-${name}`)
          expect([...browser.hosts].filter(host => host !== '')).toEqual(['localhost'])
          expect(browser.complaints).toEqual([])
          await browser.close()
        },
      )

      test.each([
        ['pack', 'phone-single'],
        ['product', 'phone-shirt'],
        ['quest', 'phone-z-first'],
        ['team', 'phone-harbour'],
      ])('shows a %s', async (kind, id) => {
        const browser = await openBrowser()
        const page = await pages.open(browser.context, `/catalogue/${kind}/entry/${id}`, 'support')
        await page.frameLocator('iframe').locator('strong').first().waitFor()
        expect(browser.complaints).toEqual([])
        await browser.close()
      })

      test('the frame is for this origin alone, and other kinds have none', async () => {
        const browser = await openBrowser()
        const page = await pages.open(browser.context, '/catalogue/season/entry/phone-now', 'editor')
        await page.getByText('No changes').waitFor()
        expect(await page.locator('iframe').count()).toBe(0)
        const { headers } = await fetch(`${pages.origin}/preview.html`)
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
        expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
        const console = await fetch(`${pages.origin}/catalogue`)
        expect(console.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        expect(console.headers.get('x-frame-options')).toBe('DENY')
        await browser.close()
      })
    })
})
