/** Cash in the example app: the wallet, a top-up, and an order that is paid from the balance. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { productKind } from '../../src/play/shop/product-kind.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser ? `Cash in the example app (skipped: ${noBrowser})` : 'Cash in the example app'

const FAN = 14
const product = {
  ...{ id: 'test-voucher', name: 'Test voucher', description: 'From the club.', category: 'club' },
  ...{ kind: 'voucher' as const, delivers: { credit: 1_500 }, price: { amount: 1_500, currency: 'EUR' } },
  variants: [{ id: 'one', name: 'One', stock: 5 }],
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(db => db.write(async tx => void (await productKind.upsert(tx, product))), {
    CASH_CURRENCIES: 'EUR',
  })

  const isWide = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  const check = async (page: Page, name: string) => {
    expect(await findSerious(page)).toEqual([])
    expect(await isWide(page)).toBe(false)
    await takeScreenshot(page, `demo-cash-${name}`, { fullPage: true })
  }

  test(
    'a fan tops up, and pays an order from the balance',
    async () => {
      const page = await demo.visit({ viewport: { width: 320, height: 700 } })
      await demo.signIn(page, FAN)
      await demo.open(page, 'Wallet')
      await page.getByText('€0.00').waitFor()
      await check(page, 'empty')
      await page.getByRole('button', { name: '€20.00' }).dblclick()
      await page.getByText('Topped up').waitFor()
      await page.getByText('Balance €20.00').waitFor()
      expect(await page.getByText('Topped up').count()).toBe(1)

      await demo.open(page, 'Shop')
      await page.getByRole('link', { name: /Test voucher/ }).click()
      await page.getByRole('button', { name: 'Add to the cart: Test voucher' }).click()
      await page.getByText('1 in your cart').waitFor()
      await page.getByRole('link', { name: 'Cart (1)' }).click()
      await page.getByRole('button', { name: 'Order for €15.00' }).click()
      await page.getByText('You have €20.00 with the club.').waitFor()
      await check(page, 'order')
      await page.getByRole('button', { name: 'Pay €15.00 from your balance' }).dblclick()
      await page.locator('.outcome.ready').waitFor()

      await demo.open(page, 'Wallet')
      await page.getByText('Paid in the shop').waitFor()
      await page.getByText('Balance €5.00').waitFor()
      await check(page, 'wallet')
    },
    BROWSER_TIMEOUT_MS,
  )
})
