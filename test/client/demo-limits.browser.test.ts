/** In the example app: the limit and the pause that fans set, and the withdrawal from an order. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { entryOf, record } from '../play/shop/products-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser ? `Limits in the example app (skipped: ${noBrowser})` : 'Limits in the example app'
const ADDRESS = { name: 'Ana', line1: 'Rua 1', city: 'Porto', postalCode: '4050-123', country: 'PT' }

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(async db => {
    const entry = entryOf({ id: 'mug', price: { amount: 900, currency: 'CHF' } })
    await db.write(tx => writeRecord(tx, record(entry)))
  })

  async function call(page: Page, method: string, path: string, body: object) {
    const authorization = `Bearer ${await demo.readToken(page)}`
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${demo.origin}/api/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  const order = (page: Page) => {
    const lines = [{ productId: 'home-scarf', variantId: 'one-size', quantity: 1 }]
    return call(page, 'POST', 'checkout', { lines, address: ADDRESS })
  }

  test(
    'a stricter limit holds at once, a looser one waits, and a pause stops purchases',
    async () => {
      const page = await demo.visit({ colorScheme: 'dark' })
      await demo.signIn(page, 15)
      await page.goto(`${demo.origin}/demo/profile`)
      await page.getByRole('link', { name: 'Limits and pause' }).click()
      await page.getByText('You have no limit.').waitFor()
      await page.getByLabel('Amount').fill('10.50')
      await page.getByLabel('In each').selectOption('Week')
      await page.getByRole('button', { name: 'Save the limit' }).click()
      await page.getByText('€10.50 a week').waitFor()
      await page.getByText('Spent in this period: €0.00').waitFor()
      expect((await order(page)).body.code).toBe('spending_limit_reached')
      await page.getByRole('button', { name: 'Remove the limit' }).click()
      await page.getByText(/^From .*: You have no limit\.$/).waitFor()
      await page.getByRole('button', { name: 'Pause for a week' }).click()
      await page.getByText(/^You have a pause until/).waitFor()
      expect((await order(page)).body.code).toBe('paused')
      await page.getByRole('button', { name: 'End the pause in 24 hours' }).click()
      await page.getByText(/^You have a pause until/).waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-limits', { fullPage: true })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the form offers the currencies in which the club sells',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 18)
      const offered = () => page.getByLabel('Of').getByRole('option').allTextContents()
      await page.goto(`${demo.origin}/demo/profile/limits`)
      await page.getByLabel('Of').waitFor()
      expect(await offered()).toEqual(['EUR', 'CHF', 'Points'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a limit in a currency without minor units stays what it is',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 17)
      const spending = { amount: 5_000, currency: 'JPY', per: 'day' }
      expect((await call(page, 'PATCH', 'user/limits', { spending })).status).toBe(200)
      await page.goto(`${demo.origin}/demo/profile/limits`)
      await page.getByText('¥5,000 a day').waitFor()
      expect(await page.getByLabel('Amount').inputValue()).toBe('5000')
      await page.getByLabel('Amount').fill('4000')
      await page.getByRole('button', { name: 'Save the limit' }).click()
      await page.getByText('¥4,000 a day').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the receipt of an order is saved, and the order is withdrawn by two buttons and says what was refunded',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 16)
      const orderId = (await order(page)).body.id
      const receipt = await call(page, 'POST', 'sandbox/receipts', { purchaseId: orderId })
      const { paymentReference } = receipt.body
      expect((await call(page, 'PUT', 'checkout', { orderId, paymentReference })).status).toBe(200)
      await page.goto(`${demo.origin}/demo/orders/${orderId}`)
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save the receipt' }).click()
      const file = await saved
      expect(file.suggestedFilename()).toMatch(/^[A-Z0-9-]+\.html$/i)
      expect(await Bun.file(await file.path()).text()).toContain('<html lang="en"')
      await takeScreenshot(page, 'demo-order-receipt')
      await page.getByRole('button', { name: 'Withdraw from contract here' }).click()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-withdrawal')
      await page.getByRole('button', { name: 'Confirm withdrawal' }).click()
      await page
        .getByText('You get your money back.')
        .or(page.getByText('You got your money back.'))
        .waitFor()
      expect(await page.getByRole('button', { name: 'Withdraw from contract here' }).count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )
})
