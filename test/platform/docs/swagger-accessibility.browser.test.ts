/** Swagger UI under axe and at a glance: every state of the page in light and dark, on a desktop and on a phone. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { findSerious } from '../../support/axe.ts'
import {
  BROWSER_TIMEOUT_MS,
  noBrowser,
  openBrowser,
  takeScreenshot,
  type WatchedBrowser,
} from '../../support/browser.ts'
import { openAuthorize, openDocs, operationBlock, type Site, startSite } from './swagger-page.ts'

const title = noBrowser ? `Swagger UI (skipped: ${noBrowser})` : 'Swagger UI'
const SCREEN = 900
/** Pixels; the longest operation of those below, with its example in full, needs 3,513 on a desktop. */
const TALLEST = 4 * SCREEN
const LONG_OPERATIONS = ['completeOnboarding', 'claimReward', 'completePurchase', 'updateProfile']

/** Each state has as many elements in either scheme and at either width. */
const looks = [
  { colorScheme: 'light', width: 390, whole: true },
  { colorScheme: 'dark', width: 1280, whole: false },
] as const

describe.skipIf(noBrowser !== null)(title, () => {
  let site: Site
  beforeAll(async () => {
    site = await startSite()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => site.stop(), BROWSER_TIMEOUT_MS)

  test.each(looks)(
    'has no serious barrier in $colorScheme at a width of $width: page, operation and Authorize dialog',
    async ({ colorScheme, width, whole }) => {
      const browser = await openBrowser({ colorScheme, viewport: { width, height: SCREEN } })
      try {
        const page = await browser.context.newPage()
        await openDocs(page, site.origin, { whole })
        const shoot = (name: string) => takeScreenshot(page, `docs-${name}-${colorScheme}-${width}`)
        await shoot('page')
        expect(await findSerious(page)).toEqual([])
        const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(scrolled).toBeLessThanOrEqual(width)

        const claim = operationBlock(page, 'claimReward')
        await claim.locator('.opblock-summary-control').click()
        await claim.locator('.shared-problems summary').click()
        await claim.scrollIntoViewIfNeeded()
        await shoot('operation')
        // The rest of the page is as before.
        expect(await findSerious(page, '.opblock.is-open')).toEqual([])

        const teams = operationBlock(page, 'listTeams')
        await teams.locator('.opblock-summary-control').click()
        await teams.locator('.execute').click()
        await teams.locator('.live-responses-table .download-contents').waitFor()
        expect(await findSerious(page, '#operations-Teams-listTeams')).toEqual([])

        const dialog = await openAuthorize(page)
        expect(await dialog.getAttribute('role')).toBe('dialog')
        // The first way to authorize is the one in sight, and its field has the focus.
        expect(await page.locator(':focus').getAttribute('id')).toBe('client_id_authorizationCode')
        expect(await page.evaluate("document.querySelector('.modal-ux-content').scrollTop")).toBe(0)
        await shoot('authorize')
        expect(await findSerious(page, '.modal-ux')).toEqual([])
        expect(browser.complaints).toEqual([])
      } finally {
        await browser.close()
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  describe('on a desktop', () => {
    let browser: WatchedBrowser
    let page: Page
    beforeAll(async () => {
      browser = await openBrowser()
      page = await browser.context.newPage()
      await openDocs(page, site.origin)
    }, BROWSER_TIMEOUT_MS)
    afterAll(() => browser.close(), BROWSER_TIMEOUT_MS)

    test.each(LONG_OPERATIONS)(
      'shows the opened operation %s on less than four screens',
      async operationId => {
        const block = operationBlock(page, operationId)
        await block.locator('.opblock-summary-control').click()
        await block.locator('details.shared-problems').waitFor()
        await takeScreenshot(block, `docs-opened-${operationId}`)
        expect((await block.boundingBox())?.height).toBeLessThan(TALLEST)
      },
      BROWSER_TIMEOUT_MS,
    )
  })
})
