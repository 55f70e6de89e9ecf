/** Fans among fans in the example app: what one does to another, what the other then sees, and what the club decides. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser ? `Fans in the example app (skipped: ${noBrowser})` : 'Fans in the example app'
const DAY_MS = 86_400_000
const TERMS = '2026-08'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(undefined, { TERMS_VERSION: TERMS })

  async function call<T = unknown>(
    page: Page,
    method: string,
    path: string,
    body?: object,
  ): Promise<T | null> {
    const headers = {
      authorization: `Bearer ${await demo.readToken(page)}`,
      ...(body && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${demo.origin}${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(response.ok).toBe(true)
    // Guarantee of the cast: the API keeps to its document.
    return response.status === 204 ? null : ((await response.json()) as T)
  }
  /** Signs in as a fan who has this handle and is on the leaderboard. */
  async function enter(page: Page, fan: number, handle: string): Promise<void> {
    await demo.signIn(page, fan)
    await call(page, 'POST', '/api/user/onboarding')
    await call(page, 'PUT', '/api/user/terms', { version: TERMS })
    await call(page, 'POST', '/api/user/profile', { handle, displayName: `Fan ${handle}` })
  }
  const open = (page: Page, path: string) => page.goto(`${demo.origin}/demo${path}`)
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const press = (page: Page, name: string) => button(page, name).press('Enter')
  const readKept = (page: Page) => page.evaluate(() => localStorage.getItem('matchday session') ?? '')
  const keep = (page: Page, session: string) =>
    page.evaluate(kept => localStorage.setItem('matchday session', kept), session)

  test(
    'a fan follows, mutes and blocks another from the board, who then does not find the fan, and undoes each',
    async () => {
      const page = await demo.visit()
      await enter(page, 15, 'second_fan')
      await call(page, 'POST', '/api/rewards/claim', { rewardId: 'anthem-ringtone' })
      const other = await readKept(page)
      await page.evaluate(() => localStorage.clear())
      await open(page, '')
      await enter(page, 16, 'first_fan')
      const own = await readKept(page)
      await demo.open(page, 'Leaderboard')
      const row = page.getByRole('link', { name: 'Fan second_fan' })
      await row.or(button(page, 'Show me')).first().waitFor()
      if (!(await row.isVisible())) await press(page, 'Show me')
      await row.press('Enter')
      await page.getByRole('heading', { name: 'Fan second_fan' }).waitFor()
      await press(page, 'Follow')
      await button(page, 'Unfollow').waitFor()
      await press(page, 'Mute')
      await button(page, 'Unmute').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-fan')
      for (const [list, end, again] of [
        ['following', 'Unfollow: Fan second_fan', 'Follow: Fan second_fan'],
        ['mutes', 'Unmute: Fan second_fan', 'Mute: Fan second_fan'],
      ] as const) {
        await open(page, `/profile/${list}`)
        await press(page, end)
        await press(page, again)
        await button(page, end).waitFor()
      }
      await page.getByRole('link', { name: 'Fan second_fan' }).press('Enter')
      await page.getByText('Report', { exact: true }).click()
      await page.getByLabel('What is wrong').selectOption('spam')
      await press(page, 'Send the report')
      await page.getByText('Thank you. The club will look at it.').waitFor()
      await press(page, 'Block')
      await page.getByText('You have blocked this fan.').waitFor()
      // The button that undoes it is the one that was pressed.
      expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Unblock')
      expect(await findSerious(page)).toEqual([])

      await keep(page, other)
      await open(page, '/fans/first_fan')
      await page.getByText('There is no such fan').waitFor()
      await keep(page, own)
      await open(page, '/fans/second_fan')
      await press(page, 'Unblock')
      // A block ends the follow, and not the mute.
      await press(page, 'Follow')
      await button(page, 'Unfollow').waitFor()
      await press(page, 'Unmute')
      await button(page, 'Mute').waitFor()
      await demo.open(page, 'Feed')
      await page.getByText('Claimed Anthem ringtone').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-feed')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a choice of privacy is saved at once, and a refused choice is reverted',
    async () => {
      const page = await demo.visit()
      await enter(page, 17, 'private_fan')
      await open(page, '/profile/privacy')
      const names = page.getByRole('group', { name: 'On leaderboards' })
      await names.getByLabel('Your handle and picture').check()
      await page.getByText('Saved.').waitFor()
      const read = () => call<Record<string, string>>(page, 'GET', '/api/user/privacy')
      expect(await read()).toMatchObject({ leaderboardName: 'handle' })
      await page.route('**/api/user/privacy', route => route.abort())
      await names.getByLabel('Neither').click()
      await page.getByRole('alert').waitFor()
      expect(await names.getByLabel('Your handle and picture').isChecked()).toBe(true)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan accepts the terms where a write requires it, and the write is sent again',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 18)
      await open(page, '/profile')
      await page.getByLabel('Name', { exact: true }).fill('New name')
      await press(page, 'Save')
      await page.getByText('Accept the terms of the club').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-terms', { fullPage: true })
      await press(page, 'Accept and continue')
      await page.getByText('Saved.').waitFor()
      await page.getByRole('heading', { name: 'New name' }).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan who is suspended learns until when and why, also when a write is refused',
    async () => {
      const page = await demo.visit()
      await enter(page, 19, 'suspended_fan')
      const { users } = demo.db.read.tables
      const [fan] = await demo.db.read.select().from(users).where(eq(users.handle, 'suspended_fan'))
      const until = new Date(Date.now() + DAY_MS)
      const HOSTILE = 'Wrote <img src=x onerror="window.hacked = 1"> on 3 May.'
      const decided = { kind: 'suspend', until, reason: 'spam', decidedBy: 'Ana', facts: HOSTILE } as const
      await demo.db.write(tx => recordDecision(tx, { ...decided, fanId: fan?.id ?? '' }))
      await open(page, '/profile')
      const words = /^Your account is suspended until .*\d.* Reason: Spam\./
      await page.getByText(words).first().waitFor()
      await page.getByText(`The club states: ${HOSTILE}`).waitFor()
      expect(await page.evaluate('window.hacked')).toBeUndefined()
      await page.getByLabel('Name', { exact: true }).fill('New name')
      await press(page, 'Save')
      await page.getByRole('alert').getByText(words).waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-suspended')
    },
    BROWSER_TIMEOUT_MS,
  )
})
