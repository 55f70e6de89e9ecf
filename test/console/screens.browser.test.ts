/**
 * Every area of the console, and a page of each kind behind it, in Chromium: without a barrier of any impact, without scrolling
 * sideways, with Arabic and long names in the data, and with nothing in it. A new area is in it by itself.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../club/catalogue/full-catalogue.ts'
import { namedFan } from '../identity/relations/relations-world.ts'
import { addStock, buyWithMoney } from '../play/shop/orders-world.ts'
import { findAny } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { findHiddenTabs } from '../support/strips.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const ARABIC = 'رابطة مشجعي نادي الميناء العريق'
const LOOKS = [
  ['desktop', 'light', { width: 1440, height: 900 }],
  ['phone', 'dark', { width: 390, height: 844 }],
] as const

/** Texts from right to left in tables whose first letter is not in its cell. */
const CUT_AT_START = `[...document.querySelectorAll('td bdi')].flatMap(element => {
  const first = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
  if (!first || !/^[\\u0600-\\u06ff]/.test(first.textContent)) return []
  const range = document.createRange()
  range.setStart(first, 0)
  range.setEnd(first, 1)
  const [letter, cell] = [range.getBoundingClientRect(), element.closest('td').getBoundingClientRect()]
  return letter.left < cell.left || letter.right > cell.right ? [element.textContent] : []
})`

/** Cells in which a time, a badge or an amount is cut: unlike a name, the rest of it cannot be guessed. */
const CUT_VALUES = `[...document.querySelectorAll('td:has(> :is(time, .badge)), td.end')].flatMap(cell =>
  cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + 1 ? [cell.textContent] : [])`

const skipped = noBrowser !== null
const title = skipped ? `Screens (skipped: ${noBrowser})` : 'Screens'

describe.skipIf(skipped)(title, () => {
  describe.each(['with nothing in it', 'with Arabic names'])('the console %s', content => {
    onEngine(sqliteEngine, 'in the browser', world => {
      let pages: ReturnType<typeof servePages>
      /** Behind the areas. */
      const paths: string[] = []
      beforeAll(async () => {
        pages = servePages(world)
        if (content === 'with nothing in it') return
        await world.db.write(async tx => {
          for (const record of fullCatalogue('screens')) await writeRecord(tx, record)
        })
        const fan = await namedFan(world)
        await fan.patch('/api/user/profile', { displayName: ARABIC, bio: ARABIC })
        const reporter = await namedFan(world)
        const report = { subject: { kind: 'fan', id: fan.handle }, reason: 'spam', note: ARABIC }
        expect((await reporter.post('/api/reports', report)).status).toBe(201)
        const order = await buyWithMoney(fan, await addStock(world, 5, { name: { en: 'Mug', ar: ARABIC } }))
        paths.push(
          `/fans/${fan.id}`,
          `/fans/${fan.id}?tab=record`,
          `/orders/${order.id}`,
          '/match-day/screens-derby',
        )
        paths.push('/catalogue/reward/entry/screens-scarf', '/catalogue/quest/entry/screens-z-first')
        for (const kind of ['reward', 'quest', 'team', 'sponsor', 'membership', 'segment'])
          paths.push(`/catalogue/${kind}`)
      })
      afterAll(() => pages.stop())

      test.each(['ltr', 'rtl'])('shows the chosen tab of a strip on a phone (%s)', async dir => {
        const browser = await openBrowser({ viewport: { width: 390, height: 844 } })
        await browser.context.addInitScript(`document.documentElement.dir = '${dir}'`)
        for (const path of ['/catalogue/notification', ...paths.filter(one => one.includes('?tab='))]) {
          const page = await pages.open(browser.context, path, 'owner')
          await page.locator('.kinds [aria-current], [role=tab][aria-selected=true]').first().waitFor()
          expect([path, await findHiddenTabs(page)]).toEqual([path, []])
          expect(await page.evaluate('scrollY')).toBe(0)
          await page.close()
        }
        await browser.close()
      })

      test('has the form of a new entry of each kind', async () => {
        const browser = await openBrowser()
        const list = await pages.open(browser.context, '/catalogue/reward', 'owner')
        await list.locator('.kinds a').first().waitFor()
        const kinds = await list.evaluate<string[]>(
          `[...document.querySelectorAll('.kinds a')].map(link => link.getAttribute('href'))`,
        )
        expect(kinds.length).toBeGreaterThan(15)
        for (const path of kinds.filter(one => one !== '/catalogue/settings')) {
          await list.goto(`${pages.origin}${path}/new`)
          await list.getByRole('heading', { level: 1, name: /^New / }).waitFor()
          await list.locator('form').first().waitFor()
        }
        expect(browser.complaints).toEqual([])
        await browser.close()
      })

      test.each(LOOKS)('has no barrier and fits (%s)', async (name, colorScheme, viewport) => {
        const browser = await openBrowser({ viewport, colorScheme })
        const found: Record<string, unknown> = {}
        // Wide, since a phone has only some areas in its bar.
        const home = await pages.open(browser.context, '/', 'owner')
        await home.setViewportSize({ width: 1440, height: 900 })
        await home.getByRole('heading', { level: 1 }).waitFor()
        const areas = await home.evaluate<string[]>(
          `[...document.querySelectorAll('nav a')].map(link => link.getAttribute('href'))`,
        )
        await home.close()
        expect(areas.length).toBeGreaterThan(10)
        for (const path of new Set([...areas, ...paths])) {
          const page = await pages.open(browser.context, path, 'owner')
          await page.getByRole('heading', { level: 1 }).waitFor()
          expect(await page.getByText('There is nothing at this address').count(), path).toBe(0)
          const loading = page.locator('.skeleton, [aria-busy=true]')
          await waitUntil(`${path} is read`, async () => (await loading.count()) === 0)
          await takeScreenshot(page, `screen${path.replaceAll('/', '-')}-${content.split(' ')[1]}-${name}`)
          const width = await page.evaluate<number>('document.documentElement.scrollWidth')
          const barriers = await findAny(page)
          const cut = await page.evaluate<string[]>(`[...${CUT_AT_START}, ...${CUT_VALUES}]`)
          const hidden = await findHiddenTabs(page)
          if (barriers.length > 0 || cut.length > 0 || hidden.length > 0 || width > viewport.width)
            found[path] = { barriers, cut, hidden, width }
          await page.close()
        }
        expect(found).toEqual({})
        expect(browser.complaints).toEqual([])
        await browser.close()
      })
    })
  })
})
