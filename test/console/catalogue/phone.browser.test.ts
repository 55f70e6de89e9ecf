/** The preview of an entry on a phone: by the components of the example app, in each language, light and dark. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { kindNames, type RecordKind, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Preview (skipped: ${noBrowser})` : 'Preview', () => {
  onEngine(sqliteEngine, 'on a phone', world => {
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
        await frame.locator('.tile-text > strong').getByText('Scarf').waitFor()
        await page.getByRole('textbox', { name: 'Title', exact: true }).fill('A warm scarf')
        await frame.getByText('A warm scarf').waitFor()
        await page.getByRole('tab', { name: /^Arabic/ }).click()
        await frame.locator('.tile-text > strong').getByText('وشاح').waitFor()
        await frame.locator('html[dir=rtl]').waitFor()
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

    const entryOf = (kind: RecordKind) => {
      const found = fullCatalogue('phone').find(
        record => record.kind === kind && (!('active' in record.entry) || record.entry.active !== false),
      )
      return found ? `/catalogue/${kind}/entry/${found.entry.id}` : `/catalogue/${kind}`
    }

    /** What fans see of the entry of each kind, in the frame. A new kind needs its line, or a reason in the console. */
    const drawn: Partial<Record<RecordKind, (string | RegExp)[]>> = {
      team: ['Harbour', 'هاربور'],
      player: ['Scarf', 'وشاح'],
      season: [/Scarf/, /وشاح/],
      sponsor: ['Scarf', 'وشاح'],
      document: ['Scarf', 'وشاح'],
      account: [/Early entry/, /وشاح/],
      membership: ['Scarf', 'وشاح'],
      reward: ['Scarf', 'وشاح'],
      pack: ['Scarf', 'وشاح'],
      competition: ['Cup', 'Cup'],
      match: ['Harbour', 'هاربور'],
      quest: ['Scarf', 'وشاح'],
      set: ['The final', 'final'],
      question: ['Scarf', 'وشاح'],
      division: ['Silver', 'Silver'],
      campaign: [/point/, /نقط/],
      product: ['Scarf', 'وشاح'],
      notification: ['[amount]', '[amount]'],
    }
    const unseen: RecordKind[] = ['segment', 'rule', 'settings']

    test('every kind of the catalogue has a preview, or says why fans see nothing', () => {
      // Guarantee of the cast: the names of the constant.
      const known = [...(Object.keys(drawn) as RecordKind[]), ...unseen]
      expect(known.toSorted()).toEqual([...kindNames].toSorted())
    })

    test.each([
      ['desktop', { width: 1440, height: 900 }, 'light'],
      ['phone', { width: 390, height: 844 }, 'dark'],
    ] as const)('draws each kind in two languages, on a %s', async (name, viewport, colorScheme) => {
      const browser = await openBrowser({ viewport, colorScheme })
      let page: Awaited<ReturnType<typeof pages.open>> | null = null
      for (const kind of kindNames) {
        const path = entryOf(kind)
        // A role that does not write sees the reason of a segment in the place of its fans.
        page ??= await pages.open(browser.context, path, 'support')
        await page.goto(pages.origin + path)
        const preview = page.getByRole('complementary', { name: 'Preview on a phone' })
        const [en, ar] = drawn[kind] ?? []
        if (en === undefined || ar === undefined) {
          await preview.getByText(/Fans do not see/).waitFor()
          expect([kind, await preview.locator('iframe').count()]).toEqual([kind, 0])
          continue
        }
        const frame = page.frameLocator('iframe')
        await frame.getByText(en).first().waitFor()
        if (colorScheme === 'dark') await preview.getByRole('button', { name: 'Dark' }).click()
        await takeScreenshot(preview, `preview-${kind}-${name}`)
        await page.getByRole('tab', { name: /^Arabic/ }).click()
        await frame.getByText(ar).first().waitFor()
        await frame.locator('html[dir=rtl]').waitFor()
        await takeScreenshot(preview, `preview-${kind}-${name}-ar`)
        expect([
          kind,
          await frame.locator('html').evaluate('document.documentElement.scrollWidth <= innerWidth'),
        ]).toEqual([kind, true])
      }
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('names what the draft names, and nothing of a sponsor who is switched off', async () => {
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/catalogue/reward/entry/phone-scarf', 'editor')
      const frame = page.frameLocator('iframe')
      await frame.getByText('Presented by').waitFor()
      await page.getByRole('combobox', { name: 'Sponsor', exact: true }).selectOption({ label: 'Energy' })
      await frame.getByText('Presented by').waitFor({ state: 'detached' })
      await page.getByRole('combobox', { name: 'Sponsor', exact: true }).selectOption({ label: 'Scarf' })
      await frame.getByText('Presented by').waitFor()
      await page.getByRole('combobox', { name: 'Sponsor', exact: true }).selectOption({ label: 'None' })
      await frame.getByText('Presented by').waitFor({ state: 'detached' })
      await page.goto(`${pages.origin}/catalogue/question/entry/phone-quiz`)
      await frame.locator('.answer-text').getByText('Scarf').waitFor()
      await page.goto(`${pages.origin}/catalogue/question/entry/phone-player`)
      // Of the team: the name of its only active player.
      await frame.locator('.answer-text').getByText('Scarf').waitFor()
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('the frame is for this origin alone', async () => {
      const { headers } = await fetch(`${pages.origin}/preview.html`)
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
      const console = await fetch(`${pages.origin}/catalogue`)
      expect(console.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(console.headers.get('x-frame-options')).toBe('DENY')
    })
  })
})
