/** The frame and the overview in Chromium, against the real API: looks, keyboard, offline, failing, ended sessions, roles. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const DAY_MS = 86_400_000
const HOSTILE = '<img src=x onerror="document.title=1">'
const LOOKS = [
  ['desktop light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['desktop dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['phone light', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['phone dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['320 px', { viewport: { width: 320, height: 640 }, colorScheme: 'light' }],
  // The viewport of a 1280 × 800 screen at 200 %.
  ['200 % zoom', { viewport: { width: 640, height: 400 }, colorScheme: 'dark' }],
] as const

describe.skipIf(noBrowser !== null)(noBrowser ? `The console (skipped: ${noBrowser})` : 'The console', () => {
  onEngine(sqliteEngine, 'the frame and the overview', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(async () => {
      pages = servePages(world)
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', { profile: { displayName: HOSTILE, handle: 'hostile_fan' } })
      const { db, clock } = world
      await db.write(async tx => {
        for (let ago = 1; ago < 90; ago++) {
          const day = new Date(clock.ms - ago * DAY_MS).toISOString().slice(0, 10)
          const counts = {
            newFans: 3,
            onboardings: 2,
            activeFans: 90,
            claims: 4,
            redemptions: 1,
            orders: 5,
            packs: 6,
          }
          const points = { pointsGranted: 1_200, pointsSpent: 300, pointsTaken: 10 }
          await tx.insert(tx.tables.dailyFigures).values({ day, ...counts, ...points })
        }
      })
    })
    afterAll(() => pages.stop())

    const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
    async function openAs(role: Parameters<typeof pages.open>[2], path = '/', look = {}) {
      const browser = await openBrowser(look)
      const page = await pages.open(browser.context, path, role)
      return { browser, page }
    }

    test.each(LOOKS)('has no serious accessibility problem, and fits the screen (%s)', async (name, look) => {
      const { browser, page } = await openAs('owner', '/', look)
      await page.getByText('Live', { exact: true }).waitFor()
      await page.locator('.u-over').first().waitFor()
      await takeScreenshot(page, `overview-${name.replaceAll(/\W+/g, '-')}`, { fullPage: true })
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        look.viewport.width,
      )
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(background).toBe(look.colorScheme === 'dark' ? 'rgb(13, 20, 17)' : 'rgb(246, 248, 245)')
      expect(browser.complaints).toEqual([])
      expect([...browser.hosts]).toEqual(['localhost'])
      await browser.close()
    })

    test('shows figures that change without a reload, in the chart and in the table behind it', async () => {
      const { browser, page } = await openAs('editor')
      await page.getByText('Live', { exact: true }).waitFor()
      const figure = page.locator('.figure', { hasText: 'Onboardings' }).locator('.figure-value')
      const before = Number(await figure.textContent())
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      world.clock.advance(5_000)
      await page
        .locator('.figure', { hasText: 'Onboardings' })
        .locator('.figure-value', { hasText: String(before + 1) })
        .waitFor()
      const chart = page.getByRole('figure', { name: /^New fans/ })
      await chart.getByRole('button', { name: /^Show as table/ }).press('Enter')
      const newest = chart.getByRole('row').last()
      expect(await newest.textContent()).toContain('15 Aug, so far')
      expect(await newest.getByRole('cell').last().textContent()).toBe(String(before + 1))
      await page.getByRole('button', { name: '7 days' }).click()
      await page.waitForURL(/days=7/)
      await page.reload()
      expect(await page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe('true')
      await browser.close()
    })

    test('is walked by keyboard alone: skip link, areas, search, a fan, and back', async () => {
      const { browser, page } = await openAs('support')
      await heading(page, 'Overview')
      // What Tab reaches after the skip link comes with the figures.
      await page.locator('main').locator('a, button').first().waitFor()
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Skip to the content')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
      await page.keyboard.press('Control+k')
      const search = page.getByRole('combobox', { name: 'Search fans and pages' })
      await search.waitFor()
      await page.keyboard.type('hostile')
      await page.getByRole('option', { name: /@hostile_fan/ }).waitFor()
      expect(await findSerious(page)).toEqual([])
      expect(await page.getByRole('option').first().textContent()).toContain(HOSTILE)
      await page.keyboard.press('Escape')
      await search.waitFor({ state: 'detached' })
      await page.keyboard.press('Control+k')
      await page.keyboard.type('des')
      await page.getByRole('option', { name: 'Desk' }).waitFor()
      await page.keyboard.press('Enter')
      await heading(page, 'Desk')
      // An effect after the first rendering sets it.
      await page.waitForFunction("document.title === 'Desk · Matchday console'")
      await page.goBack()
      await heading(page, 'Overview')
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('shows each role the areas that it may open, and says so at the address of another', async () => {
      const { browser, page } = await openAs('editor', '/webhooks')
      await page.getByText('Your role does not open this page').waitFor()
      expect(await findSerious(page)).toEqual([])
      const areas = page.getByRole('navigation', { name: 'Areas' })
      expect(await areas.getByRole('link', { name: 'Catalogue' }).count()).toBe(1)
      expect(await areas.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
      await page.goto(`${pages.origin}/nowhere`)
      await page.getByText('There is nothing at this address').waitFor()
      await browser.close()
    })

    test('on a phone the other areas are in a menu', async () => {
      const { browser, page } = await openAs('owner', '/', LOOKS[2][1])
      await heading(page, 'Overview')
      await page.getByRole('button', { name: 'More' }).click()
      const menu = page.getByRole('dialog', { name: 'All areas' })
      await menu.getByRole('link', { name: 'Server keys' }).waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'menu-phone')
      await menu.getByRole('link', { name: 'Audit log' }).click()
      await menu.waitFor({ state: 'detached' })
      await heading(page, 'Audit log')
      await browser.close()
    })

    test('keeps the colours and the zone that the person chose', async () => {
      const { browser, page } = await openAs('owner')
      const open = async () => {
        await page.getByRole('button', { name: /account and settings/ }).click()
        return page.getByRole('dialog', { name: 'Account and settings' })
      }
      const dialog = await open()
      await dialog.getByRole('button', { name: 'Dark' }).click()
      await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo')
      expect(await findSerious(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.reload()
      await heading(page, 'Overview')
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(13, 20, 17)')
      expect(await (await open()).getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo')
      await browser.close()
    })

    test('an ended session leads to the sign-in, which comes back to the page', async () => {
      const { browser, page } = await openAs('owner', '/?days=7')
      await page.getByText('Live', { exact: true }).waitFor()
      await world.db.write(async tx => {
        await tx.update(tx.tables.consoleSessions).set({ endedAt: tx.now() })
      })
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
      expect(await page.locator('.figure:visible').count()).toBe(0)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'session-ended')
      const again = await pages.open(browser.context, '/desk', 'owner')
      await heading(again, 'Desk')
      await page.getByRole('button', { name: 'I have opened the link' }).click()
      await heading(page, 'Overview')
      expect(page.url()).toContain('days=7')
      await browser.close()
    })

    test('an ended session keeps what was typed for the same person, and for nobody else', async () => {
      const { browser, page } = await openAs('owner', '/audit')
      const typed = page.getByLabel('Person', { exact: true })
      const endSessions = () =>
        world.db.write(async tx => {
          await tx.update(tx.tables.consoleSessions).set({ endedAt: tx.now() })
        })
      const isOver = async () => {
        await page.evaluate(`dispatchEvent(new Event('online'))`)
        await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
      }
      await page.getByRole('button', { name: 'Filter' }).click()
      await typed.fill('link:Ada Lovelace')
      await endSessions()
      await isOver()
      expect(await typed.isVisible()).toBe(false)
      await page.keyboard.press('Control+k')
      await page.keyboard.press('Escape')
      const retry = page.getByRole('button', { name: 'I have opened the link' })
      await retry.click()
      await page.getByText('Nobody is signed in yet.').waitFor()
      await pages.open(browser.context, '/desk', 'owner')
      await retry.click()
      await typed.waitFor()
      expect(await typed.inputValue()).toBe('link:Ada Lovelace')
      await page.getByRole('dialog').getByRole('button', { name: 'Show' }).click()
      await page.waitForURL(/filter=/)

      await page.getByRole('button', { name: 'Filter (1)' }).click()
      await endSessions()
      await isOver()
      await pages.open(browser.context, '/desk', 'owner', 'Grace')
      await retry.click()
      await page.getByRole('button', { name: /Grace.*account and settings/s }).waitFor()
      expect(await typed.count()).toBe(0)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('signing out ends the session on the server', async () => {
      const { browser, page } = await openAs('owner')
      await page.getByRole('button', { name: /account and settings/ }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
      await browser.close()
    })

    test('offline it says so and keeps what is shown; when the network is back it continues', async () => {
      const { browser, page } = await openAs('owner')
      await page.getByText('Live', { exact: true }).waitFor()
      await browser.context.setOffline(true)
      await page.getByText('You are offline.').waitFor()
      expect(await page.locator('.figure').count()).toBeGreaterThan(5)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'overview-offline')
      await browser.context.setOffline(false)
      await page.getByText('You are offline.').waitFor({ state: 'detached' })
      await page.getByText('Live', { exact: true }).waitFor()
      await browser.close()
    })

    test('a failure says what failed and its request, and goes away by a retry', async () => {
      const browser = await openBrowser()
      let fails = true
      await browser.context.route('**/api/overview?*', route =>
        fails
          ? route.fulfill({
              ...{ status: 500, contentType: 'application/problem+json' },
              json: {
                status: 500,
                code: 'internal_error',
                title: 'Failed',
                detail: 'It failed.',
                requestId: 'req-7',
              },
            })
          : route.continue(),
      )
      const page = await pages.open(browser.context, '/', 'owner')
      await page.getByRole('alert').getByText('It failed.').waitFor()
      await page.getByText('req-7').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'overview-failed')
      fails = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await browser.close()
    })
  })
})
