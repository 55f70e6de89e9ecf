/** The example app where the network is full: codes that the device has seen are there, with their age; nothing else is. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { productKind } from '../../src/play/shop/product-kind.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `The example app without a network (skipped: ${noBrowser})`
  : 'The example app without a network'

/** Fans with points. */
const [FAN, OTHER] = [6, 5]
const voucher = {
  ...{ id: 'test-voucher', name: 'Test voucher', description: 'From the club.', category: 'club' },
  ...({ kind: 'voucher', price: { amount: 1, currency: 'POINTS' } } as const),
  variants: [{ id: 'one', name: 'One', stock: 50 }],
}
const STORED = 'matchday passes'
const AS_OF = /^As of \d/

interface Reward {
  id: string
  claimable: boolean
  redemptionCode: string | null
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(db => db.write(async tx => void (await productKind.upsert(tx, voucher))))

  const readKept = (page: Page) =>
    page.evaluate<string | null>(`localStorage.getItem(${JSON.stringify(STORED)})`)

  async function send<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(demo.origin + path, {
      method,
      headers: {
        authorization: `Bearer ${await demo.readToken(page)}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }

  /** A reward that was used, and a voucher that was bought, neither of which a page has shown. */
  async function getCodes(page: Page) {
    const { rewards } = await send<{ rewards: Reward[] }>(page, 'GET', '/api/rewards')
    const reward = rewards.find(({ claimable }) => claimable)
    if (!reward) throw new Error('the fan can claim nothing')
    await send(page, 'POST', '/api/rewards/claim', { rewardId: reward.id })
    await send(page, 'POST', '/api/rewards/redeem', { rewardId: reward.id })
    const after = await send<{ rewards: Reward[] }>(page, 'GET', '/api/rewards')
    const code = after.rewards.find(({ id }) => id === reward.id)?.redemptionCode
    if (!code) throw new Error('the reward has no code')
    const cart = { lines: [{ productId: voucher.id, quantity: 1 }] }
    const { id: orderId } = await send<{ id: string }>(page, 'POST', '/api/checkout', cart)
    await send(page, 'PUT', '/api/checkout', { orderId })
    return { reward: { ...reward, code }, orderId }
  }

  test(
    'codes and vouchers that were seen open from the shell with their age, and the rest says that it cannot be read',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, FAN)
      await page.getByTestId('points').waitFor()
      const { reward, orderId } = await getCodes(page)
      await page.getByRole('link', { name: 'Your codes' }).first().click()
      await page.getByText('Test voucher').first().waitFor()
      await page.getByText(reward.code).first().waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.evaluate('navigator.serviceWorker.ready')
      await page.evaluate('caches.keys()')

      await page.context().setOffline(true)
      await page.goto(`${demo.origin}/demo`)
      await page.getByText('You are offline.').waitFor()
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
      expect(await page.getByTestId('points').count()).toBe(0)
      await page.getByRole('status').getByRole('link', { name: 'Your codes' }).click()
      const shown = page.locator('.passes li').filter({ hasText: reward.code })
      await shown.getByText(AS_OF).waitFor()
      await shown.locator('summary').click()
      await shown.getByRole('img', { name: /^QR code of/ }).waitFor()
      expect(await page.getByText('Test voucher').count()).toBeGreaterThan(0)
      await takeScreenshot(page, 'demo-offline-codes', { fullPage: true })

      // Its own screen, and that of the order.
      await page.goto(`${demo.origin}/demo/rewards/${reward.id}`)
      await page.getByText(reward.code).first().waitFor()
      await page.getByText(AS_OF).waitFor()
      await page.goto(`${demo.origin}/demo/orders/${orderId}`)
      await page.getByText('Test voucher').first().waitFor()
      await page.getByText(AS_OF).first().waitFor()

      await page.context().setOffline(false)
      await page.getByText('Paid and delivered.').waitFor()
      await page.getByText('You are offline.').waitFor({ state: 'detached' })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a screen that was open before the network failed shows the age of what it has',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, FAN)
      await page.getByTestId('points').waitFor()
      await demo.open(page, 'Matches')
      await page.getByRole('heading', { name: 'Matches', exact: true }).waitFor()
      await page.context().setOffline(true)
      await demo.open(page, 'Home')
      await page.getByTestId('points').waitFor()
      await page.getByText(AS_OF).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'codes are deleted when the session ends: by signing out, also offline, in another tab, or with the account',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, OTHER)
      await page.getByTestId('points').waitFor()
      const { reward } = await getCodes(page)
      const keep = async () => {
        await page.goto(`${demo.origin}/demo/rewards/${reward.id}`)
        await page.getByText(reward.code).first().waitFor()
        expect(await readKept(page)).toContain(reward.code)
      }
      const expectGone = async () => {
        await page.getByRole('button', { name: 'Sign in' }).waitFor()
        expect(await readKept(page)).toBeNull()
        await page.goto(`${demo.origin}/demo`)
        await page.getByRole('button', { name: 'Sign in' }).waitFor()
        expect(await page.getByText(reward.code).count()).toBe(0)
      }

      await keep()
      await page.goto(`${demo.origin}/demo/profile`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await expectGone()

      await demo.signIn(page, OTHER)
      await keep()
      await page.goto(`${demo.origin}/demo/profile`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(await readKept(page)).toBeNull()
      await page.context().setOffline(false)
      await expectGone()

      await demo.signIn(page, OTHER)
      await keep()
      await page.evaluate(`localStorage.removeItem('matchday session')`)
      await page.goto(`${demo.origin}/demo`)
      await expectGone()

      await demo.signIn(page, OTHER)
      await keep()
      const other = await page.context().newPage()
      await other.goto(`${demo.origin}/demo/profile`)
      await other.getByRole('button', { name: 'Sign out' }).click()
      await expectGone()

      await demo.signIn(page, OTHER)
      await keep()
      // A response that comes after the end.
      const held = Promise.withResolvers<void>()
      await page.route('**/api/rewards?*', async route => {
        const response = await route.fetch()
        await held.promise
        await route.fulfill({ response })
      })
      const asked = page.waitForRequest('**/api/rewards?*')
      await page.goto(`${demo.origin}/demo/rewards`)
      await asked
      await page.getByRole('link', { name: 'You' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      const answered = page.waitForResponse('**/api/rewards?*')
      held.resolve()
      await (await answered).finished()
      await page.unrouteAll({ behavior: 'wait' })
      await expectGone()

      await demo.signIn(page, OTHER)
      await keep()
      await page.goto(`${demo.origin}/demo/profile/delete`)
      await page.getByRole('textbox', { name: 'Type DELETE to continue' }).fill('DELETE')
      await page.getByRole('button', { name: 'Sign in again and delete' }).click()
      await demo.chooseFan(page, OTHER)
      await expectGone()
    },
    BROWSER_TIMEOUT_MS,
  )
})
