/** The example app as a fan uses it: on a phone, in a real browser, against the API and the mock provider. */
import { describe, expect, test } from 'bun:test'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, screenshotPath } from '../support/browser.ts'
import { PHONE, useDemo } from '../support/demo.ts'
import { sqliteEngine } from '../support/engines.ts'

const title = noBrowser ? `The example app (skipped: ${noBrowser})` : 'The example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  test.each(['light', 'dark'] as const)(
    'a new fan joins, buys a pack, verifies its draw and sees the rewards (%s)',
    async colorScheme => {
      const page = await demo.visit({ colorScheme })
      expect(await findSerious(page)).toEqual([])
      await demo.signIn(page, colorScheme === 'light' ? 20 : 21)
      await page.getByRole('button', { name: 'Join and get your first points' }).click()
      await page.getByTestId('points').getByText('100').waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.screenshot({ path: screenshotPath(`demo-home-${colorScheme}`) })

      await page.getByRole('button', { name: 'Packs' }).click()
      await page.getByRole('button', { name: /buy and open Starter pack/ }).click()
      await page.getByText('Draw verified in this browser').waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.screenshot({ path: screenshotPath(`demo-packs-${colorScheme}`) })

      await page.getByRole('button', { name: 'Rewards' }).click()
      await page.getByRole('listitem').first().waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.screenshot({ path: screenshotPath(`demo-rewards-${colorScheme}`) })
      // Nothing is wider than the phone.
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a claimed reward is redeemed by keyboard alone, its code is shown, and a quest is completed and claimed',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 22)
      await page.getByRole('button', { name: 'Join and get your first points' }).press('Enter')
      await page.getByTestId('points').getByText('100').waitFor()
      await page.getByRole('button', { name: 'Rewards' }).press('Enter')
      await page
        .getByRole('button', { name: /^Claim / })
        .first()
        .press('Enter')
      await page
        .getByRole('button', { name: /^Redeem / })
        .first()
        .press('Enter')
      expect((await page.locator('code').first().textContent())?.length).toBeGreaterThan(8)
      // The claim has completed a quest.
      await page.getByRole('button', { name: 'Quests' }).press('Enter')
      await page.getByRole('button', { name: 'Claim Something for nothing' }).press('Enter')
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Something for nothing' })
        .getByText('claimed')
        .waitFor()
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'points that arrive elsewhere appear without a reload',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 19)
      await page.getByTestId('points').getByText('0').waitFor()
      const response = await fetch(`${demo.origin}/api/user/onboarding`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await demo.readToken(page)}` },
      })
      expect(response.status).toBe(200)
      await page.getByTestId('points').getByText('100').waitFor()
      await page.getByRole('button', { name: 'Join and get' }).waitFor({ state: 'detached' })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a token that is about to expire is refreshed once, and the fan stays signed in',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 23)
      const session = (): Promise<{ refreshToken: string }> =>
        page.evaluate(() => JSON.parse(sessionStorage.getItem('matchday session') ?? '{}'))
      const before = await session()
      // In the next document: this one may be reading with its token.
      await page.addInitScript(() => {
        const stored = JSON.parse(sessionStorage.getItem('matchday session') ?? '{}')
        sessionStorage.setItem('matchday session', JSON.stringify({ ...stored, expiresAt: new Date(0) }))
      })
      const refreshes: string[] = []
      page.on('request', request => {
        if (request.url().endsWith('/refresh')) refreshes.push(request.url())
      })
      await page.reload()
      await page.getByTestId('points').waitFor()
      expect(refreshes).toHaveLength(1)
      expect((await session()).refreshToken).not.toBe(before.refreshToken)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a sign-in that did not start in this tab is refused',
    async () => {
      const page = await demo.visit()
      await page.goto(`${demo.origin}/demo?code=stolen&state=x`)
      expect(await page.getByRole('alert').textContent()).toContain('did not start here')
      expect(page.url()).toBe(`${demo.origin}/demo`)
    },
    BROWSER_TIMEOUT_MS,
  )
})

test('without DEMO_FOLDER, as in production, there is no /demo', async () => {
  const { createWorld } = await import('../support/world.ts')
  const world = await createWorld(sqliteEngine)
  expect((await world.anonymous.get('/demo')).status).toBe(404)
  await world.close()
})
