/** The shop in the example app: cart, address, payment in money and in points, and the way of an order. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { changeLine } from '../../src/play/shop/change-line.ts'
import { productKind } from '../../src/play/shop/product-kind.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `The shop of the example app (skipped: ${noBrowser})`
  : 'The shop of the example app'

/** A fan with points, and one without. */
const [WITH_POINTS, WITHOUT_POINTS] = [6, 14]
const common = { description: 'From the club.', category: 'club', kind: 'physical' } as const
const products = [
  {
    ...{ ...common, id: 'test-scarf', name: 'Test scarf', maxPerFan: 2, shipsTo: ['GB', 'PT'] },
    price: { amount: 1900, currency: 'EUR' },
    variants: [
      { id: 'long', name: '180 cm', stock: 0 },
      { id: 'short', name: '140 cm', stock: 5 },
    ],
  },
  {
    ...{ ...common, id: 'test-mug', name: 'Test mug' },
    price: { amount: 10, currency: 'POINTS' },
    variants: [{ id: 'one', name: 'One', stock: 5 }],
  },
]

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(db =>
    db.write(async tx => {
      for (const product of products) await productKind.upsert(tx, product)
    }),
  )

  const addToCart = async (page: Page, name: string) => {
    await demo.open(page, 'Shop')
    await page.getByRole('link', { name: new RegExp(name) }).click()
    await page.getByRole('button', { name: `Add to the cart: ${name}` }).click()
    await page.getByText('1 in your cart').waitFor()
  }

  const isWide = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  const check = async (page: Page, name: string) => {
    expect(await findSerious(page)).toEqual([])
    expect(await isWide(page)).toBe(false)
    await takeScreenshot(page, `demo-shop-${name}`, { fullPage: true })
  }

  test(
    'an order in money: the address is checked, a declined card is reported, and the parcel can be followed',
    async () => {
      const page = await demo.visit({ viewport: { width: 320, height: 700 } })
      await demo.signIn(page, WITHOUT_POINTS)
      await demo.open(page, 'Shop')
      await page.getByRole('link', { name: /Test scarf/ }).waitFor()
      await check(page, 'list')
      await addToCart(page, 'Test scarf')
      expect(await page.getByRole('button', { name: '140 cm' }).getAttribute('aria-pressed')).toBe('true')
      await check(page, 'product')

      await page.getByRole('link', { name: 'Cart (1)' }).click()
      await page.getByLabel('Quantity of Test scarf').selectOption('2')
      await page.getByRole('textbox', { name: 'Name' }).fill('Ana Ruiz')
      await page.getByRole('textbox', { name: 'Street and number' }).fill('Rua do Cais 12')
      await page.getByRole('textbox', { name: 'City' }).fill('Porto')
      await page.getByRole('combobox', { name: 'Country' }).selectOption({ label: 'Portugal' })
      await page.getByRole('textbox', { name: 'Postal code' }).fill('nowhere')
      await check(page, 'cart')
      await page.getByRole('button', { name: 'Order for €38.00' }).click()
      await page.getByText('Check this field: it does not fit the country.').waitFor()
      expect(await page.getByRole('textbox', { name: 'Postal code' }).getAttribute('aria-invalid')).toBe(
        'true',
      )
      await page.getByRole('textbox', { name: 'Postal code' }).fill('4050-123')
      await page.getByRole('button', { name: 'Order for €38.00' }).dblclick()

      await page.getByText('Reserved for you, and not paid yet.').waitFor()
      const orderId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      await page.getByRole('button', { name: 'Try a card that is declined' }).click()
      await page.getByRole('alert').getByText('The payment was declined.').waitFor()
      await check(page, 'order')
      await page.getByRole('button', { name: 'Pay €38.00' }).dblclick()
      await page.getByText('Paid. The club prepares your order.').waitFor()
      await page.getByText('In preparation').waitFor()

      await demo.db.write(tx => changeLine(tx, orderId, 1, { state: 'ready' }))
      const shipped = { state: 'shipped', carrier: 'CTT', tracking: 'RR123456785PT' } as const
      await demo.db.write(tx => changeLine(tx, orderId, 1, shipped))
      // Without a reload: the stream tells.
      await page.getByText('CTT · RR123456785PT').waitFor()
      await check(page, 'shipped')

      await page.getByRole('link', { name: 'Back' }).click()
      await page.getByRole('link', { name: /^2 items · €38\.00/ }).waitFor()
      expect(await page.getByRole('listitem').count()).toBe(1)
      await check(page, 'orders')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an order in points is paid from the balance; one that is cancelled says so; the cart is empty afterwards',
    async () => {
      const page = await demo.visit({ colorScheme: 'dark' })
      await demo.signIn(page, WITH_POINTS)
      const order = async () => {
        await addToCart(page, 'Test mug')
        await page.getByRole('link', { name: 'Cart (1)' }).click()
        // The last address is there again, if there was one.
        await page.getByRole('textbox', { name: 'Name' }).fill('Ana Ruiz')
        await page.getByRole('textbox', { name: 'Street and number' }).fill('Rua do Cais 12')
        await page.getByRole('textbox', { name: 'City' }).fill('Porto')
        await page.getByRole('textbox', { name: 'Postal code' }).fill('4050-123')
        await page.getByRole('combobox', { name: 'Country' }).selectOption('PT')
        await page.getByRole('button', { name: 'Order for 10 points' }).click()
        await page.getByText('Reserved for you, and not paid yet.').waitFor()
      }
      await order()
      await page.getByRole('button', { name: 'Cancel the order' }).click()
      await page.getByText('You cancelled this order. Nothing was charged.').waitFor()
      await order()
      await page.getByRole('button', { name: 'Pay 10 points' }).click()
      await page.getByText('Paid. The club prepares your order.').waitFor()
      await check(page, 'paid-dark')
      await demo.open(page, 'Shop')
      await page.getByRole('link', { name: 'Cart', exact: true }).click()
      await page.getByText('Your cart is empty.').waitFor()
      await check(page, 'empty-dark')
    },
    BROWSER_TIMEOUT_MS,
  )
})
