/** Packs for money in the example app, with the sandbox gateway: waiting, declined, paid, cancelled, expired. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `Payments in the example app (skipped: ${noBrowser})`
  : 'Payments in the example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  /** A fan at the start of a purchase of the pack for €4.99. Returns the id of the purchase. */
  async function startPurchase(page: Page, fan: number): Promise<string> {
    await demo.signIn(page, fan)
    await demo.open(page, 'Packs')
    await page.getByRole('link', { name: /^Legends/ }).click()
    await page.getByRole('button', { name: /^Buy Legends.* for €4\.99$/ }).dblclick()
    await page.getByText(/^Held for you for 1[45]:\d\d$/).waitFor()
    return new URL(page.url()).pathname.split('/').at(-1) ?? ''
  }

  const countPurchases = async (page: Page) => {
    const headers = { authorization: `Bearer ${await demo.readToken(page)}` }
    const response = await fetch(`${demo.origin}/api/packs/purchases`, { headers })
    return ((await response.json()) as { purchases: { status: string }[] }).purchases.map(
      ({ status }) => status,
    )
  }

  test.each(['light', 'dark'] as const)(
    'a double click starts one purchase, a declined card is reported, and the paid pack is opened and verified (%s)',
    async colorScheme => {
      const page = await demo.visit({ colorScheme })
      await startPurchase(page, colorScheme === 'light' ? 12 : 13)
      expect(await countPurchases(page)).toEqual(['pending'])
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-payment-${colorScheme}`, { fullPage: true })

      await page.getByRole('button', { name: 'Try a card that is declined' }).click()
      await page.getByRole('alert').getByText('The payment was declined.').waitFor()
      await takeScreenshot(page, `demo-payment-declined-${colorScheme}`)
      // The purchase is found again, in the list and at its own address.
      await demo.open(page, 'Packs')
      await page.getByRole('link', { name: /^Pay for Legends/ }).click()
      await page.reload()
      const held = Promise.withResolvers<void>()
      await page.route('**/api/packs/purchase', async route => {
        await held.promise
        await route.continue()
      })
      await page.getByRole('button', { name: 'Pay €4.99' }).dblclick()
      await page.getByRole('button', { name: 'Waiting for the payment…' }).waitFor()
      held.resolve()
      await page.getByText('Paid. Your pack is ready.').waitFor()
      expect(await countPurchases(page)).toEqual(['completed'])
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-payment-paid-${colorScheme}`)
      await page.getByRole('link', { name: /^Open Legends/ }).click()
      await page.getByRole('button', { name: /^Open Legends/ }).click()
      await page.getByText('Draw verified in this browser').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a cancelled purchase and one that has expired say so, and lead back to the pack',
    async () => {
      const page = await demo.visit()
      await startPurchase(page, 14)
      await page.getByRole('button', { name: 'Cancel the purchase' }).press('Enter')
      await page.getByText('You cancelled this purchase.').waitFor()
      await page.getByRole('link', { name: 'Back to the pack' }).press('Enter')
      await page.getByRole('button', { name: /^Buy Legends/ }).press('Enter')
      await page.getByText(/^Held for you/).waitFor()
      const purchaseId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await demo.db.write(tx => {
        const { packPurchases } = tx.tables
        return tx
          .update(packPurchases)
          .set({ expiresAt: new Date(Date.now() - 1000) })
          .where(eq(packPurchases.id, purchaseId))
      })
      await page.getByRole('button', { name: 'Cancel the purchase' }).press('Enter')
      await page.getByText('The time to pay is over.').waitFor()
      await takeScreenshot(page, 'demo-payment-expired')
      await page.goto(`${demo.origin}/demo/packs/purchases/none`)
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a payment whose confirmation is lost is confirmed again, with the same payment',
    async () => {
      const page = await demo.visit()
      await startPurchase(page, 15)
      const references: unknown[] = []
      await page.route('**/api/packs/purchase', async route => {
        references.push(route.request().postDataJSON().paymentReference)
        await route.abort('connectionreset')
      })
      await page.getByRole('button', { name: 'Pay €4.99' }).press('Enter')
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
      await page.unroute('**/api/packs/purchase')
      const completed = page.waitForRequest(request => request.method() === 'PUT')
      await page.getByRole('button', { name: 'Pay €4.99' }).press('Enter')
      references.push((await completed).postDataJSON().paymentReference)
      await page.getByText('Paid. Your pack is ready.').waitFor()
      expect(new Set(references).size).toBe(1)
    },
    BROWSER_TIMEOUT_MS,
  )
})
