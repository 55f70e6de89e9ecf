/** Pictures in the form of an entry: chosen or dropped, cropped to the ratio of the kind, and shown from this origin. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { entryKinds, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { png } from '../../club/pictures/picture-bytes.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Pictures (skipped: ${noBrowser})` : 'Pictures', () => {
  onEngine(sqliteEngine, 'in the form of an entry', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    const sizeOf = async (url: string) => {
      const { pictureFiles } = world.db.tables
      const rows = await world.db.read.select().from(pictureFiles)
      const { width, height } = rows.find(({ id }) => url.includes(id)) ?? { width: 0, height: 1 }
      return { width, height }
    }

    test.each([
      ['desktop', { width: 1440, height: 900 }, 'light'],
      ['phone', { width: 390, height: 844 }, 'dark'],
    ] as const)('a file is cropped to the ratio of its kind on a %s', async (name, viewport, colorScheme) => {
      const id = `pictured-${name}`
      const entry = { id, title: 'Cup', description: 'A cup.', itemType: 'voucher', pointsRequired: 1 }
      await world.db.write(tx => writeRecord(tx, { kind: 'reward', entry }))
      const browser = await openBrowser({ viewport, colorScheme })
      const { complaints, hosts, close } = browser
      const page = await pages.open(browser.context, `/catalogue/reward/entry/${id}`, 'editor')
      const bytes = png({ width: 300, height: 300, shade: 90 })
      await page
        .getByLabel(/^Upload/)
        .setInputFiles({ name: 'cup.png', mimeType: 'image/png', buffer: Buffer.from(bytes) })
      const dialog = page.getByRole('dialog')
      const frame = dialog.getByRole('group', { name: 'The part that is shown' })
      await frame.focus()
      await frame.press('ArrowDown')
      await dialog.getByRole('slider', { name: 'Zoom' }).fill('2')
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await takeScreenshot(page, `catalogue-crop-${name}`)
      await dialog.getByRole('button', { name: 'Use this part' }).click()
      await dialog.waitFor({ state: 'detached' })
      const address = page.getByPlaceholder('https://…')
      expect(await sizeOf(await address.inputValue())).toEqual({ width: 150, height: 94 })
      // From this origin, and drawn.
      const shown = page.locator('img.picture-shown')
      expect(await shown.getAttribute('src')).toStartWith('/api/pictures/')
      await waitUntil('the picture is drawn', () =>
        page.evaluate<boolean>("document.querySelector('img.picture-shown').naturalWidth === 150"),
      )
      // The file that is cropped is read from the page.
      expect([...hosts].filter(host => host !== '')).toEqual(['localhost'])
      await takeScreenshot(page, `catalogue-pictured-${name}`)
      await page.getByRole('button', { name: 'Remove picture' }).click()
      expect(await address.inputValue()).toBe('')
      expect(complaints).toEqual([])
      await close()
    })

    test('a dropped file of the right ratio is uploaded at once, and Cancel uploads nothing', async () => {
      const entry = { id: 'dropped', name: 'Dropped FC', shortName: 'DRO' }
      await world.db.write(tx => writeRecord(tx, { kind: 'team', entry }))
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/catalogue/team/entry/dropped', 'editor')
      const drop = async (width: number, shade: number) => {
        const content = Buffer.from(png({ width, height: 60, shade })).toString('base64')
        const dataTransfer = await page.evaluateHandle(`(() => {
            const bytes = Uint8Array.from(atob('${content}'), one => one.charCodeAt(0))
            const data = new DataTransfer()
            data.items.add(new File([bytes], 'crest.png', { type: 'image/png' }))
            return data
          })()`)
        await page.locator('.picture').dispatchEvent('drop', { dataTransfer })
      }
      await page.locator('.picture').waitFor()
      await drop(120, 12)
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      const address = page.getByPlaceholder('https://…')
      expect(await address.inputValue()).toBe('')
      await drop(60, 13)
      await waitUntil('the address is that of the file', async () =>
        (await address.inputValue()).startsWith('/uploads/'),
      )
      await page.getByRole('button', { name: 'Review and save' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('A crest')
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('No changes').waitFor()
      const [saved] = await entryKinds.team.read(world.db.read, ['dropped'])
      expect(saved?.crestUrl).toMatch(/^\/uploads\//)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })
  })
})
