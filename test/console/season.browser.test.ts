/** The page Season in Chromium, with a seeded club: looks, keyboard, files, roles, and its states without data. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { options } from '../scripts/seed/sixty-fans.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const LOOKS = [
  ['desktop light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['desktop dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['phone light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['phone dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const

describe.skipIf(noBrowser !== null)(noBrowser ? `The console (skipped: ${noBrowser})` : 'The console', () => {
  onEngine(sqliteEngine, 'the page Season', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(async () => {
      pages = servePages(world)
      await seedDatabase(world.db, { ...options, fans: 120, crowd: 2_000, instant: world.clock.now() })
    })
    afterAll(() => pages.stop())

    const isDrawn = (page: Page) => page.locator('.u-over').first().waitFor()
    async function openAs(role: Parameters<typeof pages.open>[2], path = '/season', look = {}) {
      const browser = await openBrowser(look)
      const page = await pages.open(browser.context, path, role)
      return { browser, page }
    }

    test.each(LOOKS)('has no serious accessibility problem, and fits the screen (%s)', async (name, look) => {
      const { browser, page } = await openAs('owner', '/season', look)
      await isDrawn(page)
      await takeScreenshot(page, `season-${name.replaceAll(/\W+/g, '-')}`, { fullPage: true })
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        look.viewport.width,
      )
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test.each(LOOKS)('has no number over another one in the chart of balances (%s)', async (_, look) => {
      const { browser, page } = await openAs('owner', '/season', look)
      await isDrawn(page)
      const chart = page.getByRole('figure', { name: 'Fans by their points' })
      await chart.locator('.drawn-mark-name').first().waitFor()
      // Letters fill their boxes but for two pixels above and below.
      const boxes = await page.evaluate<
        { text: string; left: number; right: number; top: number; bottom: number }[]
      >(`
        [...document.querySelectorAll('.drawn-mark-name, .drawn-bar-value')].map(number => {
          const { left, right, top, bottom } = number.getBoundingClientRect()
          return { text: number.textContent, left, right, top: top + 2, bottom: bottom - 2 }
        })`)
      expect(boxes.length).toBeGreaterThan(20)
      const touching = boxes.flatMap((one, nth) =>
        boxes
          .slice(nth + 1)
          .filter(
            other =>
              one.left < other.right &&
              other.left < one.right &&
              one.top < other.bottom &&
              other.top < one.bottom,
          )
          .map(other => `${one.text} ${other.text}`),
      )
      expect(touching).toEqual([])
      // The numbers of bars are drawn after the lines, which end at them.
      const last = await chart.locator('svg.drawing > :last-child').getAttribute('class')
      expect(last).toContain('drawn-bar-value')
      await browser.close()
    })

    test('says what each chart means, and has its table, by keyboard', async () => {
      const { browser, page } = await openAs('owner')
      await isDrawn(page)
      await page.getByText(/^Of [\d,]+ fans who joined in the weeks of these 90 days/).waitFor()
      await page.getByText(/If all were used, they would cost the club €/).waitFor()
      const chart = page.getByRole('figure', { name: 'Steps of fans who joined in the period' })
      await chart.getByRole('button', { name: /^Show as table/ }).press('Enter')
      expect(await chart.getByRole('row').count()).toBe(7)
      expect(await chart.getByRole('rowheader').first().textContent()).toBe('Signed in')
      const first = chart.getByRole('cell').first()
      const before = await first.textContent()
      await page.getByRole('button', { name: '1 year' }).click()
      await page.waitForURL(/days=365/)
      await page.getByText(/^Of [\d,]+ fans who joined in the weeks of these 365 days/).waitFor()
      await page.getByRole('combobox', { name: 'Which fans' }).selectOption({ index: 1 })
      await page.waitForURL(/segment=team/)
      await waitUntil('the figures of the team', async () => (await first.textContent()) !== before)
      await browser.close()
    })

    test('saves tables as CSV and pictures as PNG', async () => {
      const { browser, page } = await openAs('owner')
      await isDrawn(page)
      for (const label of [
        'Steps of fans who joined in the period',
        'Points issued, spent and ended a day',
      ]) {
        const chart = page.getByRole('figure', { name: label })
        for (const [kind, start] of [
          ['CSV', '\ufeff'],
          ['PNG', '\u0089PNG'],
        ] as const) {
          const [file] = await Promise.all([
            page.waitForEvent('download'),
            chart.getByRole('button', { name: `Download ${kind}: ${label}` }).click(),
          ])
          expect(file.suggestedFilename()).toEndWith(`.${kind.toLowerCase()}`)
          const bytes = await Bun.file(await file.path()).bytes()
          const text = kind === 'CSV' ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : ''
          if (kind === 'CSV') expect(text).toStartWith(start)
          else {
            expect(String.fromCharCode(...bytes.slice(0, 4))).toBe(start)
            expect(bytes.length).toBeGreaterThan(5_000)
          }
        }
      }
      await browser.close()
    })

    test('shows what fans did with each sponsor by day, for a file without fans', async () => {
      const { browser, page } = await openAs('owner', '/season?results=sponsor')
      await isDrawn(page)
      const which = page.getByRole('combobox', { name: 'Which sponsor' })
      await which.selectOption('northlight-energy')
      await page.getByText(/^Fans did [\d,]+ things with what Northlight Energy supported/).waitFor()
      await page.waitForURL(/sponsor=northlight-energy/)
      const label = 'Actions of fans with Northlight Energy by kind'
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Download CSV: ${label}` }).click(),
      ])
      const [head, ...days] = (await Bun.file(await file.path()).text()).trim().split('\r\n')
      expect(head).toMatch(/^\ufeff?Day,Rewards claimed,.*Packs and products bought/)
      expect(days).toHaveLength(90)
      for (const day of days) expect(day).toMatch(/^[^,]+(,\d+)+$/)
      const results = page.getByRole('figure', { name: 'Sponsors by actions of fans' })
      await results.scrollIntoViewIfNeeded()
      await takeScreenshot(page, 'season-sponsors', { fullPage: true })
      await results.getByRole('button', { name: /^Show as table/ }).click()
      const row = results.getByRole('row').filter({ hasText: 'Northlight Energy' })
      expect(await row.getByRole('cell').allTextContents()).toHaveLength(7)
      await browser.close()
    })

    test('shows no money to a role that does not see it', async () => {
      const { browser, page } = await openAs('editor')
      await isDrawn(page)
      await page.getByText('Your role does not see money').waitFor()
      expect(await page.getByText(/would cost the club|Paid/).count()).toBe(0)
      await page.getByRole('button', { name: 'Packs', exact: true }).click()
      expect(await page.getByRole('columnheader', { name: 'Paid' }).count()).toBe(0)
      expect(await page.getByRole('heading', { name: 'Webhooks' }).count()).toBe(0)
      await browser.close()
    })

    test('fails with a retry, and is empty before anything is counted', async () => {
      const { browser, page } = await openAs('owner', '/')
      await page.route('**/api/season*', route => route.fulfill({ status: 500, body: '{}' }))
      await page.getByRole('link', { name: 'Season', exact: true }).click()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
      await page.unroute('**/api/season*')
      const swept = await world.db.read.select().from(world.db.tables.seasonSweep)
      await world.db.write(tx => tx.delete(tx.tables.seasonSweep))
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Nothing is counted yet').waitFor()
      await takeScreenshot(page, 'season-empty')
      expect(await findSerious(page)).toEqual([])
      await world.db.write(tx => tx.insert(tx.tables.seasonSweep).values(swept))
      await browser.close()
    })
  })
})
