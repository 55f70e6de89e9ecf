/** The page of withdrawals in a real browser: both steps and the receipt, in light and dark, at any width, in both directions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { realSources } from '../../../src/core/sources.ts'
import { expectReadable } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser } from '../../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, startApi } from '../../support/processes.ts'

const title = noBrowser ? `the page of withdrawals (skipped: ${noBrowser})` : 'the page of withdrawals'
const LONG = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'
const EMAIL = 'a.rather.long.address.of.a.fan@a-rather-long-domain.example.com'
const ORDERS = ['en', 'pt', 'pt-BR', 'ar'] as const
const BUTTONS = {
  en: ['Withdraw from contract here', 'Confirm withdrawal'],
  pt: ['Retratar-se do contrato aqui', 'Confirmar a retratação'],
  'pt-BR': ['Desistir do contrato aqui', 'Confirmar a desistência'],
  ar: ['الانسحاب من العقد هنا', 'تأكيد الانسحاب'],
} as const

const orderOf = (lang: string) => `order-${lang.toLowerCase()}-01981e2c-7c1f-7000-8000-000000000012`

describe.skipIf(noBrowser !== null)(title, () => {
  let temporary: TemporaryDatabase
  let api: RunningApi

  beforeAll(async () => {
    temporary = await sqliteEngine.open(realSources)
    const createdAt = new Date()
    const at = { createdAt, updatedAt: createdAt }
    await temporary.db.write(async tx => {
      const { users, identities, products, productVariants, orders, orderLines } = tx.tables
      await tx.insert(users).values({ id: 'fan', provider: 'test', subject: 'fan', ...at })
      await tx.insert(identities).values({ userId: 'fan', email: EMAIL, emailVerified: true })
      const price = { priceAmount: 1_900, priceCurrency: 'EUR' }
      const texts = { description: '', images: '[]', category: 'c', kind: 'physical', active: true }
      const names = ['Home scarf', LONG, 'وشاح الديربي']
      for (const [n, name] of names.entries()) {
        await tx.insert(products).values({ id: `p${n}`, name, ...texts, ...price, ...at })
        const variant = {
          productId: `p${n}`,
          id: 'one',
          name: 'One',
          position: 0,
          stockSold: 4,
          listed: true,
        }
        await tx.insert(productVariants).values(variant)
      }
      for (const lang of ORDERS) {
        const orderId = orderOf(lang)
        const total = { priceAmount: 5_700, priceCurrency: 'EUR', discountAmount: 0 }
        const times = { createdAt, expiresAt: createdAt, completedAt: createdAt }
        const payment = { paymentReference: `sandbox_${lang}` }
        await tx
          .insert(orders)
          .values({ id: orderId, userId: 'fan', status: 'completed', ...total, ...times, ...payment })
        for (const n of names.keys()) {
          const goods = { productId: `p${n}`, variantId: 'one', quantity: 1, priceAmount: 1_900 }
          const state = n === 1 ? { state: 'shipped', carrier: 'CTT' } : { state: 'none' }
          await tx
            .insert(orderLines)
            .values({ orderId, number: n + 1, ...goods, kind: 'physical', isSold: true, ...state })
        }
      }
    })
    api = await startApi({ DATABASE_URL: temporary.url ?? '', PAYMENT_GATEWAY: 'sandbox' })
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await api.stop()
    await temporary.remove()
  }, BROWSER_TIMEOUT_MS)

  test.each(ORDERS)(
    'in %s is walked by keyboard to its receipt, has no serious barrier and does not scroll sideways',
    async lang => {
      const browser = await openBrowser()
      const [find, confirm] = BUTTONS[lang]
      try {
        const page = await browser.context.newPage()
        const origin = api.origin.replace('127.0.0.1', 'localhost')
        await page.goto(`${origin}/withdraw?lang=${lang}&order=${orderOf(lang)}`)
        expect(await page.locator('html').getAttribute('dir')).toBe(lang === 'ar' ? 'rtl' : null)
        await page.locator('#email').fill('someone@example.com')
        await page.keyboard.press('Enter')
        await page.locator('[role=alert]').waitFor()
        await expectReadable(page, `withdraw-${lang}-wrong`)
        expect(await page.locator('#order').inputValue()).toBe(orderOf(lang))
        await page.locator('#email').fill(EMAIL)
        await page.keyboard.press('Tab')
        expect(await page.evaluate('document.activeElement.textContent')).toBe(find)
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: confirm }).waitFor()
        await expectReadable(page, `withdraw-${lang}-choice`)
        const lines = page.getByRole('checkbox')
        expect(await lines.count()).toBe(3)
        await lines.nth(2).uncheck()
        await page.getByRole('button', { name: confirm }).click()
        await page.locator('[role=status]').waitFor()
        await expectReadable(page, `withdraw-${lang}-receipt`)
        expect(await page.locator('.panel li').count()).toBe(2)
        expect(await page.locator('#print').isVisible()).toBe(true)
        await page.emulateMedia({ media: 'print' })
        expect(await page.locator('#print').isVisible()).toBe(false)
        expect(browser.complaints.filter(complaint => !complaint.includes('404'))).toEqual([])
      } finally {
        await browser.close()
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
