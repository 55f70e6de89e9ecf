/** The form of an entry in a browser: languages as tabs, errors in words, money, choices, order, and the Enter key. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { entryKinds, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Form (skipped: ${noBrowser})` : 'Form', () => {
  onEngine(sqliteEngine, 'The form of an entry', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(async () => {
      pages = servePages(world)
      await world.db.write(async tx => {
        for (const record of fullCatalogue('form')) await writeRecord(tx, record)
      })
    })
    afterAll(() => pages.stop())

    async function open(path: string, look: Parameters<typeof openBrowser>[0] = {}) {
      const browser = await openBrowser(look)
      const page = await pages.open(browser.context, path, 'editor')
      const save = async (button: string, reason: string) => {
        await page.getByRole('button', { name: button }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
        await dialog.getByRole('button', { name: 'Save', exact: true }).click()
        await dialog.waitFor({ state: 'detached' })
      }
      return { page, save, ...browser }
    }

    test.each([
      ['desktop', { width: 1440, height: 900 }, 'light', 'fr', 'French'],
      ['phone', { width: 390, height: 844 }, 'dark', 'it', 'Italian'],
    ] as const)(
      'a tab for each language counts what is missing, on a %s',
      async (name, viewport, colorScheme, tag, language) => {
        const id = `spoken-${name}`
        const entry = { id, title: 'Cup', description: 'A cup.', itemType: 'voucher', pointsRequired: 1 }
        await world.db.write(tx => writeRecord(tx, { kind: 'reward', entry }))
        const { page, save, complaints, close } = await open(`/catalogue/reward/entry/${id}`, {
          viewport,
          colorScheme,
        })
        await page.getByRole('tab', { name: 'English complete' }).waitFor()
        await page.getByRole('tab', { name: 'Arabic 2 missing' }).click()
        const title = page.getByRole('textbox', { name: 'Title', exact: true })
        expect(await title.getAttribute('placeholder')).toBe('Cup')
        expect([await title.getAttribute('lang'), await title.getAttribute('dir')]).toEqual(['ar', 'rtl'])
        await title.fill('كأس')
        await page.getByRole('tab', { name: 'Arabic 1 missing' }).waitFor()
        await page.getByRole('button', { name: 'Language' }).click()
        await page.getByRole('dialog').getByRole('combobox').selectOption(tag)
        await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
        await page.getByRole('tab', { name: `${language} 2 missing`, selected: true }).waitFor()
        await title.fill('Coupe')
        // What is emptied is as if it was never written.
        await page.getByRole('textbox', { name: 'Description', exact: true }).fill('Une')
        await page.getByRole('textbox', { name: 'Description', exact: true }).fill('')
        expect(await findSerious(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        await takeScreenshot(page, `catalogue-languages-${name}`)
        await save('Review and save', 'Two languages')
        await page.getByText('No changes').waitFor()
        const [saved] = await entryKinds.reward.read(world.db.read, [id])
        expect(saved).toMatchObject({
          title: { en: 'Cup', ar: 'كأس', [tag]: 'Coupe' },
          description: 'A cup.',
        })
        expect(complaints).toEqual([])
        await close()
      },
    )

    test('errors name the field and the language, and lead to it', async () => {
      const { page, complaints, close } = await open('/catalogue/product/entry/form-shirt?view=json')
      const { entry } = (await entryKinds.product.read(world.db.read, ['form-shirt'])).map(found => ({
        entry: { ...found, description: { en: 'A shirt.', pt: 'x'.repeat(2_001) }, category: '' },
      }))[0] ?? { entry: null }
      await page.getByRole('textbox', { name: 'Entry' }).fill(JSON.stringify(entry))
      await page.getByRole('tab', { name: 'Form' }).click()
      await page.getByRole('tab', { name: /^English/ }).click()
      await page.getByRole('button', { name: 'Review and save' }).click()
      const alert = page.getByRole('alert')
      await alert.getByText('Correct these 2 fields:').waitFor()
      const text = (await alert.textContent()) ?? ''
      expect(text).toContain('Description in Portuguese: At most 2,000 characters fit, and these are 2,001.')
      expect(text).toContain('Category: Fill this in.')
      expect(text).not.toContain('/entry')
      // The first error is shown in its language.
      await page.getByRole('tab', { name: /^Portuguese/, selected: true }).waitFor()
      await page.getByRole('tab', { name: /^Arabic/ }).click()
      await alert.getByRole('button', { name: 'Description in Portuguese' }).click()
      await page.getByRole('tab', { name: /^Portuguese/, selected: true }).waitFor()
      const description = page.getByRole('textbox', { name: 'Description', exact: true })
      expect(await description.getAttribute('aria-invalid')).toBe('true')
      await page.locator('[data-pointer="/entry/description/pt"]:focus').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'catalogue-errors')
      expect(complaints).toEqual([])
      await close()
    })

    test('Enter sends no half of a form: it goes to what is missing', async () => {
      const { page, close } = await open('/catalogue/reward/new')
      const planned: string[] = []
      page.on('request', request => void planned.push(new URL(request.url()).pathname))
      await page.getByRole('textbox', { name: 'Id', exact: true }).fill('entered')
      await page.getByRole('textbox', { name: 'Id', exact: true }).press('Enter')
      const title = page.getByRole('textbox', { name: 'Title', exact: true })
      expect(await page.locator(':focus').getAttribute('data-pointer')).toBe('/entry/title/en')
      await title.fill('Entered')
      await page.getByRole('textbox', { name: 'Description', exact: true }).fill('With a key.')
      await page.getByRole('combobox', { name: 'Item type' }).selectOption('voucher')
      await title.press('Enter')
      expect(planned.filter(path => path.endsWith('/plan'))).toEqual([])
      expect(await page.getByRole('dialog').count()).toBe(0)
      await close()
    })

    test('a price is written as money, in a currency by choice', async () => {
      const { page, save, complaints, close } = await open('/catalogue/pack/entry/form-single')
      const amount = page.getByRole('textbox', { name: 'Amount' })
      expect(await amount.inputValue()).toBe('2.99')
      await amount.fill('79')
      await page.getByText('Fans see €79.00.').waitFor()
      await amount.fill('7,5')
      await page.getByText('Fans see €7.50.').waitFor()
      await page.getByRole('combobox', { name: 'Currency' }).selectOption('GBP')
      await page.getByText('Fans see £7.50.').waitFor()
      await amount.fill('7.505')
      await page.getByText('Write an amount such as 12.50.').waitFor()
      await amount.fill('79.00')
      await takeScreenshot(page, 'catalogue-price')
      expect(await findSerious(page)).toEqual([])
      await save('Review and save', 'In pounds')
      await page.getByText('No changes').waitFor()
      const [saved] = await entryKinds.pack.read(world.db.read, ['form-single'])
      expect(saved?.price).toEqual({ amount: 7_900, currency: 'GBP' })
      await page.getByRole('combobox', { name: 'Currency' }).selectOption('POINTS')
      expect(await page.getByRole('spinbutton', { name: 'Amount' }).inputValue()).toBe('79')
      expect(complaints).toEqual([])
      await close()
    })

    test('a tax rate is one number, or one for each country', async () => {
      const { page, save, complaints, close } = await open('/catalogue/product/entry/form-shirt', {
        viewport: { width: 390, height: 844 },
      })
      const stated = async () => (await entryKinds.product.read(world.db.read, ['form-shirt']))[0]?.taxRate
      const tax = page.getByRole('group', { name: 'Tax rate', exact: true })
      await tax.getByRole('button', { name: 'Remove Portugal' }).click()
      await tax.getByRole('spinbutton', { name: 'Rate', exact: true }).fill('0.21')
      await tax.getByRole('combobox', { name: 'Another rate for' }).selectOption('DE')
      expect(await tax.getByRole('combobox', { name: 'Another rate for' }).inputValue()).toBe('')
      await tax.getByRole('spinbutton', { name: 'Rate of Germany' }).fill('0.19')
      await takeScreenshot(tax, 'catalogue-tax-rate')
      expect(await findSerious(page)).toEqual([])
      await save('Review and save', 'Rates')
      await page.getByText('No changes').waitFor()
      expect(await stated()).toEqual({ DE: 0.19, default: 0.21 })
      await tax.getByRole('button', { name: 'Remove Germany' }).click()
      await save('Review and save', 'One rate')
      await page.getByText('No changes').waitFor()
      expect(await stated()).toBe(0.21)
      expect(complaints).toEqual([])
      await close()
    })

    test('times are those of the club, whose zone is named, and a new price is in its currency', async () => {
      const entry = { id: 'club', timeZone: 'Europe/Madrid', currency: 'EUR' }
      await world.db.write(tx => writeRecord(tx, { kind: 'settings', entry }))
      const { page, complaints, close } = await open('/catalogue/pack/new')
      expect(await page.getByRole('combobox', { name: 'Currency' }).inputValue()).toBe('EUR')
      await page.getByRole('textbox', { name: 'Amount' }).fill('79')
      await page.getByText('Fans see €79.00.').waitFor()
      const starts = page.getByLabel('Starts')
      await starts.fill('2027-07-01T20:00')
      await starts.blur()
      await page.getByText('In Europe/Madrid (CEST), the time zone of the club.').waitFor()
      await page.getByRole('tab', { name: 'JSON' }).click()
      expect(await page.getByRole('textbox', { name: 'Entry' }).inputValue()).toContain(
        '"startsAt": "2027-07-01T18:00:00.000Z"',
      )
      expect(complaints).toEqual([])
      await close()
    })

    test('options of a question are rows, and what names something else is chosen', async () => {
      const id = 'form-asked'
      const entry: Parameters<typeof entryKinds.question.upsert>[1] = {
        ...{ id, kind: 'poll', title: 'Which?', changeable: true },
        options: [
          { id: 'old', text: { en: 'The old one', ar: 'القديم' } },
          { id: 'new', text: 'The new one' },
        ],
        ...{ opensAt: '2027-01-01T00:00:00Z', closesAt: '2027-01-02T00:00:00Z' },
      }
      await world.db.write(tx => writeRecord(tx, { kind: 'question', entry }))
      const { page, save, complaints, close } = await open(`/catalogue/question/entry/${id}`)
      const options = page.getByRole('group', { name: /^Options \d/ })
      await options.getByText('The new one').click()
      await page.getByRole('tab', { name: /^Arabic/ }).click()
      await options.getByRole('textbox', { name: 'Text', exact: true }).fill('الجديد')
      await options.getByRole('button', { name: 'Move option 2 up' }).click()
      await options.getByRole('button', { name: 'Add option' }).click()
      await options.getByRole('textbox', { name: 'Id', exact: true }).last().fill('neither')
      await page.getByRole('tab', { name: /^English/ }).click()
      await options.getByRole('textbox', { name: 'Text', exact: true }).last().fill('Neither')
      expect(await options.getByText('An https address').count()).toBeGreaterThan(0)
      const correct = page.getByRole('combobox', { name: 'Correct answer' })
      expect(await correct.locator('option').allTextContents()).toEqual([
        ...['None', 'The new one', 'The old one', 'Neither', 'Another…'],
      ])
      await correct.selectOption('neither')
      await page.getByRole('checkbox', { name: 'Has requirements' }).check()
      await page.getByRole('combobox', { name: 'Minimum age' }).selectOption('16')
      await page.getByRole('button', { name: 'Add country' }).first().click()
      await page.getByRole('combobox', { name: 'Country 1' }).selectOption('Portugal')
      await page.getByRole('combobox', { name: 'Collectible' }).selectOption('form-final')
      expect(await page.getByRole('textbox', { name: 'Options' }).count()).toBe(0)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'catalogue-options', { fullPage: true })
      await save('Review and save', 'A third option')
      await page.getByText('No changes').waitFor()
      const [saved] = await entryKinds.question.read(world.db.read, [id])
      expect(saved).toMatchObject({
        options: [
          { id: 'new', text: { en: 'The new one', ar: 'الجديد' } },
          { id: 'old', text: { en: 'The old one', ar: 'القديم' } },
          { id: 'neither', text: 'Neither' },
        ],
        correct: 'neither',
        requires: { minAge: 16, countries: ['PT'], collectibleId: 'form-final' },
      })
      await page.getByRole('combobox', { name: 'By' }).selectOption('Scale')
      await page.getByRole('spinbutton', { name: 'Scale' }).fill('3')
      expect(await page.getByRole('combobox', { name: 'Correct answer' }).count()).toBe(0)
      expect(complaints).toEqual([])
      await close()
    })

    test('rows of a list move by their handle, with the pointer and with arrow keys', async () => {
      const { page, save, complaints, close } = await open('/catalogue/product/entry/form-shirt')
      const handles = page.getByRole('button', { name: /^Move variant/ })
      const drag = (nth: number) =>
        page.getByRole('button', { name: new RegExp(`^Move variant ${nth}: drag`) })
      await handles.first().waitFor()
      const summaries = () => page.locator('ol.rows summary').allTextContents()
      expect(await summaries()).toEqual(['XL · 4 units', 'Medium'])
      await drag(1).press('ArrowDown')
      expect(await summaries()).toEqual(['Medium', 'XL · 4 units'])
      await page.locator('[aria-label^="Move variant 2"]:focus').waitFor()
      await drag(2).press('ArrowUp')
      expect(await summaries()).toEqual(['XL · 4 units', 'Medium'])
      await drag(1).scrollIntoViewIfNeeded()
      const [from, to] = [await drag(1).boundingBox(), await drag(2).boundingBox()]
      if (!from || !to) throw new Error('the handles are not drawn')
      await page.mouse.move(from.x + 5, from.y + 5)
      await page.mouse.down()
      await page.mouse.move(to.x + 5, to.y + 8, { steps: 4 })
      await page.mouse.up()
      expect(await summaries()).toEqual(['Medium', 'XL · 4 units'])
      await save('Review and save', 'In another order')
      await page.getByText('No changes').waitFor()
      const [saved] = await entryKinds.product.read(world.db.read, ['form-shirt'])
      expect(saved?.variants.map(({ id }) => id)).toEqual(['m', 'xl'])
      expect(complaints).toEqual([])
      await close()
    })
  })
})
