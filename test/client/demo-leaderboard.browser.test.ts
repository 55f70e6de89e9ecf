/** The leaderboard of the example app: its boards, the fan's own row, joining and leaving. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { PHONE, useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `The leaderboard of the example app (skipped: ${noBrowser})`
  : 'The leaderboard of the example app'
const FANS = 120
const PAGE = 25

const entryOf = (rank: number) => ({
  rank,
  userId: `fan-${rank}`,
  handle: null,
  displayName: `Fan ${rank}`,
  avatarUrl: null,
  points: 10 * (FANS - rank),
  reachedAt: '2026-08-15T18:30:00.000Z',
})

/** A page that begins after `offset` fans, as the API responds to fan 60. */
const pageAfter = (offset: number) => ({
  board: { id: 'all', period: 'all', startsAt: null, endsAt: null, final: false },
  entries: Array.from({ length: PAGE }, (_, nth) => entryOf(offset + nth + 1)),
  me: entryOf(60),
  total: FANS,
  nextCursor: offset + PAGE < FANS ? String(offset + PAGE) : null,
  previousCursor: offset === 0 ? null : String(Math.max(offset - PAGE, 0)),
})

/** Names of boards and parts of the navigation that the fan's own row covers. */
const findOverlaps = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const own = document.querySelector('.own-rank').getBoundingClientRect()
    return [...document.querySelectorAll('.choice button, .bar')].filter(element => {
      const { top, bottom } = element.getBoundingClientRect()
      return top < Math.min(own.bottom, innerHeight) && own.top < bottom && own.top < innerHeight
    }).map(({ textContent }) => textContent)
  })()`)

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  test(
    'a fan joins, is on the board, sees the other boards, and leaves',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 11)
      await demo.open(page, 'Leaderboard')
      await page.getByRole('button', { name: 'Join the leaderboard' }).press('Enter')
      const own = page.getByRole('listitem').filter({ hasText: 'You' })
      await own.waitFor()
      await page.getByRole('button', { name: 'Predictions' }).press('Enter')
      await page.getByText('No points on this board yet.').or(own).waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.getByRole('button', { name: 'Leave the leaderboard' }).press('Enter')
      await page.getByText('You are not on the leaderboard').waitFor()
      expect(await own.count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan far from the top has a row of their own, and sees the fans around them and before those',
    async () => {
      const page = await demo.visit()
      await page.route('**/api/leaderboard?*', route => {
        const query = new URL(route.request().url()).searchParams
        const offset = query.get('around') === 'me' ? 47 : Number(query.get('cursor') ?? 0)
        return route.fulfill({ json: pageAfter(offset) })
      })
      await demo.signIn(page, 5)
      await demo.open(page, 'Leaderboard')
      const rows = page.getByRole('list').first().getByRole('listitem')
      await rows.filter({ hasText: 'Fan 25' }).waitFor()
      expect(await rows.count()).toBe(PAGE)
      await takeScreenshot(page, 'demo-leaderboard')
      // Narrow, at 200 % on a desktop, and in type of double size on a phone.
      for (const [width, height, size] of [
        [320, 640, '100%'],
        [640, 400, '100%'],
        [390, 844, '200%'],
      ] as const) {
        await page.setViewportSize({ width, height })
        await page.evaluate(`document.documentElement.style.fontSize = '${size}'; scrollTo(0, 0)`)
        expect(await findOverlaps(page)).toEqual([])
        const [name, points] = ['.board .grow', '.board .amount'].map(part => page.locator(part).first())
        const [label, amount] = [await name?.boundingBox(), await points?.boundingBox()]
        if (size === '100%') expect(amount?.y).toBeLessThan((label?.y ?? 0) + (label?.height ?? 0))
        expect(amount?.height).toBeLessThan(size === '100%' ? 30 : 60)
        await takeScreenshot(page, `demo-leaderboard-${width}-${size.slice(0, 3)}`)
      }
      await page.evaluate("document.documentElement.style.fontSize = ''")
      await page.setViewportSize(PHONE)

      await page.getByRole('button', { name: 'Show me' }).press('Enter')
      // The view is in the address.
      await page.waitForURL('**/demo/leaderboard?part=around')
      await page.reload()
      await rows.filter({ hasText: 'Fan 60' }).getByText('You', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Show the fans before' }).press('Enter')
      await rows.filter({ hasText: 'Fan 23' }).waitFor()
      expect(await rows.count()).toBe(2 * PAGE)
      expect(await rows.first().textContent()).toContain('Fan 23')
      await page.getByRole('button', { name: 'Show the top' }).press('Enter')
      await rows.filter({ hasText: 'Fan 1' }).first().waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )
})
