/** The table of a kind in a browser: order, filters, edits of stock and activity in place, and copies. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { entryKinds, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { expectTexts } from '../../support/expect-texts.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Table (skipped: ${noBrowser})` : 'Table', () => {
  onEngine(sqliteEngine, 'The table of the catalogue', world => {
    let pages: ReturnType<typeof servePages>
    const reward = (id: string, pointsRequired: number, stock: number | null) => ({
      ...{ id, title: `Reward ${id}`, description: 'One.', itemType: 'voucher', pointsRequired, stock },
    })
    beforeAll(async () => {
      pages = servePages(world)
      await world.db.write(async tx => {
        for (const record of fullCatalogue('table')) await writeRecord(tx, record)
        for (const entry of [reward('first', 30, 9), reward('second', 10, 4), reward('third', 20, 0)])
          await writeRecord(tx, { kind: 'reward', entry })
      })
    })
    afterAll(() => pages.stop())

    const stored = async (id: string) => (await entryKinds.reward.read(world.db.read, [id]))[0]

    test('sorts by a column, filters by what is left, and keeps both in the address', async () => {
      const { context, complaints, close } = await openBrowser()
      const page = await pages.open(context, '/catalogue/reward?search=Reward', 'editor')
      const titles = page.locator('tbody .entry-name bdi')
      await page.getByRole('button', { name: 'Points' }).click()
      await page.locator('th[aria-sort=ascending]', { hasText: 'Points' }).waitFor()
      await page.getByText('3 in all').waitFor()
      await expectTexts(titles, ['Reward second', 'Reward third', 'Reward first'])
      // By keyboard.
      await page.getByRole('button', { name: 'Points' }).press('Enter')
      await page.locator('th[aria-sort=descending]').waitFor()
      await expectTexts(titles, ['Reward first', 'Reward third', 'Reward second'])
      await page.getByRole('button', { name: 'None left' }).click()
      await page.getByText('1 in all').waitFor()
      await expectTexts(titles, ['Reward third'])
      expect(new URL(page.url()).searchParams.get('left')).toBe('none')
      expect(await findSerious(page)).toEqual([])
      await page.reload()
      await page.getByText('1 in all').waitFor()
      await page.getByRole('searchbox').fill('nothing has this')
      await page.getByText('No entries match').waitFor()
      expect(await findSerious(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
    })

    test.each([
      ['desktop', { width: 1440, height: 900 }, 'light'],
      ['phone', { width: 390, height: 844 }, 'dark'],
    ] as const)('changes the stock in place on a %s, with a reason', async (name, viewport, colorScheme) => {
      const { context, complaints, close } = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(context, '/catalogue/reward?search=Reward', 'editor')
      await page.getByRole('button', { name: 'Change the stock of Reward first' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('spinbutton', { name: 'Units in all' }).fill('12')
      await dialog.getByRole('textbox', { name: 'Reason' }).fill(`More came: ${name}`)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `catalogue-stock-${name}`)
      await dialog.getByRole('button', { name: 'Save the stock' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('12 / 12').first().waitFor()
      expect(await stored('first')).toMatchObject({ stock: 12 })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `catalogue-table-${name}`)
      await world.db.write(tx => writeRecord(tx, { kind: 'reward', entry: reward('first', 30, 9) }))
      expect(complaints).toEqual([])
      await close()
    })

    test('says at its field why a stock is refused, and shows each variant', async () => {
      const { context, complaints, close } = await openBrowser()
      const page = await pages.open(context, '/catalogue/product?search=table-shirt', 'editor')
      await page.getByRole('button', { name: 'Change the stock of' }).click()
      const dialog = page.getByRole('dialog')
      const [xl, medium] = [dialog.getByLabel('Units of XL'), dialog.getByLabel('Units of Medium')]
      expect([await xl.inputValue(), await medium.inputValue()]).toEqual(['4', ''])
      await xl.fill('-1')
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Wrong')
      await dialog.getByRole('button', { name: 'Save the stock' }).click()
      await dialog.getByText('Correct the marked field.').waitFor()
      expect(await xl.getAttribute('aria-invalid')).toBe('true')
      await xl.fill('6')
      await medium.fill('8')
      await dialog.getByRole('button', { name: 'Save the stock' }).click()
      await page.getByText('14 / 14').waitFor()
      expect(complaints).toEqual([])
      await close()
    })

    test.each(['reward', 'pack', 'product'] as const)(
      'names of usual length are whole at 1280 pixels: %s',
      async kind => {
        const title = 'Signed goalkeeper gloves 2026'
        const [like] = fullCatalogue('table').flatMap(one => (one.kind === kind ? [one] : []))
        if (!like) throw new Error(`the catalogue has no ${kind}`)
        const named = like.kind === 'reward' ? { title } : { name: title }
        // An id that no other test searches for. Guarantee of the cast: an entry of the kind with another name.
        const record = { kind, entry: { ...like.entry, ...named, id: 'whole-name' } } as typeof like
        await world.db.write(tx => writeRecord(tx, record))
        const { context, close } = await openBrowser({ viewport: { width: 1280, height: 800 } })
        const page = await pages.open(context, `/catalogue/${kind}?search=gloves`, 'editor')
        const name = page.locator('tbody .entry-name bdi')
        await name.waitFor()
        await takeScreenshot(page, `catalogue-table-1280-${kind}`)
        const [needed, given] = await page.evaluate<[number, number]>(
          "(name => [name.scrollWidth, name.clientWidth])(document.querySelector('tbody .entry-name bdi'))",
        )
        expect(needed).toBeLessThanOrEqual(given)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        await close()
      },
    )

    test('deactivates from the row, and copies an entry that is off at first', async () => {
      await world.db.write(tx =>
        writeRecord(tx, { kind: 'reward', entry: { ...reward('prize', 30, 9), title: 'Prize' } }),
      )
      const { context, complaints, close } = await openBrowser()
      const page = await pages.open(context, '/catalogue/reward?search=Prize', 'editor')
      await page.getByRole('button', { name: 'Deactivate Prize' }).click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Sold elsewhere')
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
      await page.getByRole('button', { name: 'Activate Prize', exact: true }).waitFor()
      expect(await stored('prize')).toMatchObject({ active: false })
      await page.getByRole('link', { name: 'Duplicate Prize' }).click()
      expect(await page.getByRole('textbox', { name: 'Id', exact: true }).inputValue()).toBe('prize-copy')
      await page.getByRole('button', { name: 'Create reward' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('Like the other')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/\/catalogue\/reward\/entry\/prize-copy/)
      expect(await stored('prize-copy')).toMatchObject({ title: 'Prize', stock: 9, active: false })
      expect(complaints).toEqual([])
      await close()
    })

    test('opens with rewards, which have more to show than other kinds', async () => {
      const { context, close } = await openBrowser()
      const page = await pages.open(context, '/catalogue', 'editor')
      await page.getByRole('columnheader', { name: 'Claimed' }).waitFor()
      await page
        .locator('[aria-current=page], [aria-selected=true]')
        .getByText(/^Rewards/)
        .first()
        .waitFor()
      await close()
    })

    test('who may only read sees the table without edits, and a failure can be tried again', async () => {
      const { context, complaints, close } = await openBrowser()
      const page = await pages.open(context, '/catalogue/reward?search=Reward', 'support')
      await page.getByRole('row', { name: /Reward third/ }).waitFor()
      expect(await page.getByRole('button', { name: /Change the stock|Deactivate/ }).count()).toBe(0)
      await page.route('**/api/catalogue/pack?*', route => route.abort())
      await page.getByRole('link', { name: /^Packs/ }).click()
      await page.getByRole('alert').waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.unroute('**/api/catalogue/pack?*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page
        .getByRole('row', { name: /table-starter|Scarf/ })
        .first()
        .waitFor()
      expect(complaints).toEqual([])
      await close()
    })
  })
})
