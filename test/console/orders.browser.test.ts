/** Orders in Chromium: packed, shipped and refunded, with an address that a hostile fan wrote. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { expectStatus, patientFan } from '../play/packs/packs-world.ts'
import { ADDRESS, addStock, completeOrder, pay } from '../play/shop/orders-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const HOSTILE = { ...ADDRESS, name: '<img src=x onerror=alert(1)>', line2: 'x'.repeat(100) }

describe.skipIf(noBrowser !== null)(noBrowser ? `Orders (skipped: ${noBrowser})` : 'Orders', () => {
  onEngine(sqliteEngine, 'in the browser', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    test.each([
      ['desktop', 'light', { width: 1440, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)('an order is packed, shipped and refunded (%s)', async (name, colorScheme, viewport) => {
      const fan = await patientFan(world)
      const product = `Scarf of ${name} in green and white, knitted for the oldest supporters of the club`
      const productId = await addStock(world, 5, { name: product })
      const cart = { lines: [{ productId, quantity: 2 }], address: HOSTILE }
      const { id } = expectStatus(201, await fan.post('/api/checkout', cart))
      expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, '/orders', 'finance')
      await page.getByRole('row').filter({ hasText: product }).waitFor()
      await takeScreenshot(page, `orders-${name}`)
      // The ellipsis of a cell takes the place of a whole text that begins after another one.
      const beyond = await page.evaluate<string[]>(`[...document.querySelectorAll('td bdi')]
          .filter(text => text.getBoundingClientRect().right > text.closest('td').getBoundingClientRect().right)
          .map(text => text.textContent)`)
      expect(beyond).toEqual([])
      expect(await findSerious(page)).toEqual([])
      await page.getByRole('button', { name: 'Packing list' }).click()
      await page.getByLabel('Reason').fill('For the warehouse.')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export' }).click(),
      ])
      expect(file.suggestedFilename()).toBe('packing-list-to-pack.csv')
      await page.getByRole('row').filter({ hasText: product }).click()
      await page.getByText(HOSTILE.name).waitFor()
      await page.getByRole('button', { name: 'Packed' }).click()
      await page.getByRole('button', { name: 'Ship …' }).click()
      await page.getByLabel('Carrier').fill('CTT')
      await page.getByLabel('Tracking number').fill('RR123456785PT')
      await takeScreenshot(page, `order-ship-${name}`)
      expect(await findSerious(page)).toEqual([])
      await page.getByRole('button', { name: 'On its way' }).click()
      await page.getByText('RR123456785PT').waitFor()
      await takeScreenshot(page, `order-${name}`, { fullPage: true })
      expect(await findSerious(page)).toEqual([])
      await page.getByRole('button', { name: 'Refund' }).click()
      await page.getByRole('dialog').getByText('stays with the fan').waitFor()
      await page.getByLabel('Reason').fill('The parcel was lost.')
      await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click()
      await page.getByRole('heading', { name: /Refunded/ }).waitFor()
      const { orders } = world.db.tables
      const stored = (await world.db.read.select().from(orders)).find(order => order.id === id)
      expect(stored?.status).toBe('refunded')
      await page.getByRole('link', { name: /^Credit note \d+$/ }).waitFor()
      await takeScreenshot(page, `order-refunded-${name}`, { fullPage: true })
      expect(await findSerious(page)).toEqual([])
      for (const kind of ['Receipt', 'Credit note']) {
        const [printed] = await Promise.all([
          browser.context.waitForEvent('page'),
          page.getByRole('link', { name: new RegExp(`^${kind} \\d+$`) }).click(),
        ])
        await printed.getByRole('heading', { name: new RegExp(`^${kind} \\d+$`) }).waitFor()
        await takeScreenshot(printed, `order-${kind.toLowerCase().replace(' ', '-')}-${name}`)
        expect(await findSerious(printed)).toEqual([])
        const width = await printed.evaluate<number>('document.documentElement.scrollWidth')
        expect(width).toBeLessThanOrEqual(viewport.width)
        await printed.close()
      }
      const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(scrolled).toBeLessThanOrEqual(viewport.width)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test.each([
      ['desktop', 'dark', { width: 1440, height: 900 }],
      ['phone', 'light', { width: 390, height: 844 }],
    ] as const)(
      'several orders are packed with one reason, as a file and a view (%s)',
      async (name, colorScheme, viewport) => {
        const product = `Mug of ${name}`
        const productId = await addStock(world, 9, { name: product })
        const ids: string[] = []
        for (let n = 0; n < 3; n++) {
          const fan = await patientFan(world)
          const cart = { lines: [{ productId, quantity: 1 }], address: ADDRESS }
          const { id } = expectStatus(201, await fan.post('/api/checkout', cart))
          expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
          ids.push(id)
        }
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, '/orders', 'finance')
        const rows = page.getByRole('row').filter({ hasText: product })
        await rows.nth(2).waitFor()
        for (const nth of [0, 1, 2]) await rows.nth(nth).getByRole('checkbox').check()
        await takeScreenshot(page, `orders-picked-${name}`)
        expect(await findSerious(page)).toEqual([])
        // One of them is refused: another person has packed its order meanwhile.
        await page.getByRole('button', { name: 'Mark as packed' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Reason').fill('For the van at noon.')
        await page.route(`**/api/orders/${ids[1]}/lines/**`, route => route.abort(), { times: 1 })
        await dialog.getByRole('button', { name: 'Mark as packed' }).click()
        await dialog.getByText('2 of 3 are done.').waitFor()
        await takeScreenshot(page, `orders-bulk-${name}`)
        expect(await findSerious(page)).toEqual([])
        await dialog.getByRole('button', { name: 'Try the other 1 again' }).click()
        await dialog.getByText('3 of 3 are done.').waitFor()
        await dialog.getByRole('button', { name: 'Close' }).last().click()
        await rows.first().waitFor({ state: 'detached' })
        const { orderLines, consoleAudit } = world.db.tables
        const lines = await world.db.read.select().from(orderLines)
        expect(lines.filter(({ orderId }) => ids.includes(orderId)).map(({ state }) => state)).toEqual(
          ids.map(() => 'ready'),
        )
        const audit = (await world.db.read.select().from(consoleAudit)).filter(row =>
          ids.includes(row.subjectId),
        )
        expect(audit.map(({ reason }) => reason)).toEqual(ids.map(() => 'For the van at noon.'))

        await page.getByLabel('Show').selectOption('to_ship')
        await rows.nth(2).waitFor()
        await page.getByRole('button', { name: 'Save view' }).click()
        await page.getByRole('dialog').getByLabel('Name').fill('The van')
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
        await page.getByLabel('Show').selectOption('all')
        await page.reload()
        await page.getByLabel('Saved views').selectOption('The van')
        await page.waitForURL('**/orders?list=to_ship')
        await rows.nth(2).waitFor()

        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'CSV of Orders' }).click(),
        ])
        expect(file.suggestedFilename()).toBe('orders.csv')
        const csv = await Bun.file(await file.path()).text()
        expect(csv.split('\r\n')[0]).toContain('Products')
        expect(csv.split('\r\n').filter(line => line.includes(product))).toHaveLength(3)
        expect(csv).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d/)
        expect(browser.complaints.filter(text => !text.includes('ERR_FAILED'))).toEqual([])
        await browser.close()
      },
    )
  })
})
