/** What a fan agrees to, an invitation, and a code of a campaign, in the example app. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { campaignKind } from '../../src/play/codes/campaign-kind.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `Consents and codes of the example app (skipped: ${noBrowser})`
  : 'Consents and codes of the example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(db =>
    db.write(async tx => {
      const gives = { points: 50 }
      await campaignKind.upsert(tx, { id: 'scarf', name: 'Scarf', kind: 'shared', code: 'SCARF-2026', gives })
    }),
  )

  const isWide = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  async function check(page: Page, name: string) {
    expect(await findSerious(page)).toEqual([])
    expect(await isWide(page)).toBe(false)
    await takeScreenshot(page, `demo-consents-${name}`, { fullPage: true })
  }

  /** Purposes that the fan agrees to. */
  async function agreed(page: Page): Promise<string[]> {
    const headers = { authorization: `Bearer ${await demo.readToken(page)}` }
    const response = await fetch(`${demo.origin}/api/user/consents`, { headers })
    // Guarantee of the cast: the API keeps to its document.
    const { consents } = (await response.json()) as { consents: { granted: boolean; purpose: string }[] }
    return consents.flatMap(({ granted, purpose }) => (granted ? [purpose] : []))
  }

  test(
    'a fan agrees to what they choose when they join, with the code of a friend, and withdraws it',
    async () => {
      const friend = await demo.visit()
      await demo.signIn(friend, 20)
      await friend.goto(`${demo.origin}/demo/profile/invite`)
      const shown = friend.locator('.invite > code')
      await shown.waitFor()
      const code = await shown.textContent()
      await check(friend, 'invite')
      await friend.evaluate(() => localStorage.clear())

      await friend.goto(`${demo.origin}/demo/?invite=${code}`)
      await demo.signIn(friend, 21)
      const field = friend.getByLabel('Code of a friend (optional)')
      await field.waitFor()
      expect(await field.inputValue()).toBe(code ?? '')
      const news = friend.getByRole('checkbox', { name: /news and offers/ })
      expect(await news.isChecked()).toBe(false)
      await check(friend, 'join')
      await news.check()
      await friend.getByRole('button', { name: 'Join and get your first points' }).press('Enter')
      await field.waitFor({ state: 'detached' })
      expect(await agreed(friend)).toEqual(['marketing'])

      await friend.goto(`${demo.origin}/demo/profile/consents`)
      await friend.getByRole('checkbox', { name: /news and offers/ }).waitFor()
      await check(friend, 'settings')
      const withdrawn = friend.waitForResponse(response => response.request().method() === 'PUT')
      await friend.getByRole('checkbox', { name: /news and offers/ }).uncheck()
      await withdrawn
      expect(await agreed(friend)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan who could not join changes what they agree to',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 19)
      const invitedBy = page.getByLabel('Code of a friend (optional)')
      const news = page.getByRole('checkbox', { name: /news and offers/ })
      const join = page.getByRole('button', { name: 'Join and get your first points' })
      const refusal = { type: 'about:blank', title: 'Refused', status: 403, code: 'suspended' }
      const onboarding = '**/api/user/onboarding'
      await page.route(onboarding, route =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 403, contentType: 'application/problem+json', json: refusal })
          : route.fallback(),
      )
      await news.check()
      await join.press('Enter')
      await page.getByRole('alert').waitFor()
      expect(await agreed(page)).toEqual(['marketing'])
      await page.unroute(onboarding)
      await news.uncheck()
      await join.press('Enter')
      await invitedBy.waitFor({ state: 'detached' })
      expect(await agreed(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan redeems a code in any spelling, and is told about one that nobody knows',
    async () => {
      const page = await demo.visit({ viewport: { width: 320, height: 700 } })
      await demo.signIn(page, 22)
      await page.goto(`${demo.origin}/demo/codes`)
      const field = page.getByLabel('Enter a code')
      await field.fill('nobody-knows-it')
      await field.press('Enter')
      await page.getByText('We do not know this code. Check it, then try again.').waitFor()
      await field.fill('scarf 2026')
      await field.press('Enter')
      await page.getByText('You got 50 points.').waitFor()
      await check(page, 'code')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the screens are usable in Arabic, wide and dark',
    async () => {
      const page = await demo.visit({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' })
      await demo.signIn(page, 23)
      for (const screen of ['', '/profile/invite', '/profile/consents', '/codes']) {
        await page.goto(`${demo.origin}/demo${screen}?lang=ar`)
        await page.locator('.consents, .invite > code, input[name=code]').first().waitFor()
        await check(page, `ar${screen.replaceAll('/', '-')}`)
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
