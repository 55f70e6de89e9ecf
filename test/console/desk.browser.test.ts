/** The desk in Chromium: typed, scanned by a camera, offline, and looked at on a phone and on a desktop. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'lean-qr'
import type { Page } from 'playwright-core'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { redeemedCode } from './desk-world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const PHONE = { width: 390, height: 844 }
/** Size of a picture of the camera. */
const FILM = { width: 640, height: 480 }

/** A film of one picture (YUV4MPEG2) that shows a code in the middle of a grey wall. */
function writeFilm(path: string, code: string): void {
  const { width, height } = FILM
  const luma = new Uint8Array(width * height).fill(160)
  const qr = generate(code)
  const cell = 10
  const edge = (qr.size + 8) * cell
  const [left, top] = [(width - edge) >> 1, (height - edge) >> 1]
  for (let y = 0; y < edge; y++)
    for (let x = 0; x < edge; x++) {
      const isDark = qr.get(Math.floor(x / cell) - 4, Math.floor(y / cell) - 4)
      luma[(top + y) * width + left + x] = isDark ? 20 : 235
    }
  const colours = new Uint8Array((width * height) / 2).fill(128)
  const head = `YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420\n`
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, colours])
  writeFileSync(path, Buffer.concat([Buffer.from(head), frame, frame]))
}

/** Time of the film, in seconds: enough for several scans of the picture. */
const FILM_TIME = 'document.querySelector("video").currentTime'

const verdict = (page: Page) => page.locator('.desk-verdict strong')

describe.skipIf(noBrowser !== null)(noBrowser ? `The desk (skipped: ${noBrowser})` : 'The desk', () => {
  onEngine(sqliteEngine, 'the desk in the browser', world => {
    let pages: ReturnType<typeof servePages>
    const folder = mkdtempSync(join(tmpdir(), 'matchday-desk-'))
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(async () => {
      await pages.stop()
      rmSync(folder, { recursive: true })
    })

    test.each([
      ['desktop', 'light', { width: 1280, height: 900 }],
      ['phone', 'dark', PHONE],
      ['narrow', 'light', { width: 320, height: 640 }],
    ] as const)(
      'a typed code is checked and used once, and its state is shown (%s)',
      async (name, colorScheme, viewport) => {
        const browser = await openBrowser({ viewport, colorScheme })
        const { code, fan } = await redeemedCode(world)
        const page = await pages.open(browser.context, '/desk', 'support')
        const input = page.getByLabel('Code', { exact: true })
        await input.fill(code.toLowerCase())
        await input.press('Enter')
        await page.getByText('Valid', { exact: true }).waitFor()
        expect(await page.locator('.desk-facts').textContent()).toContain(`@${fan.handle}`)
        await takeScreenshot(page, `desk-valid-${name}`)
        expect(await findSerious(page)).toEqual([])
        // The eyes and the keyboard stay where the next code is typed.
        expect(await page.evaluate('document.activeElement.id')).toBe('desk-code')
        await page.getByRole('button', { name: 'Use it now' }).click()
        await page.getByText('Hand it out').waitFor()
        await takeScreenshot(page, `desk-used-${name}`)
        expect(await findSerious(page)).toEqual([])
        await input.press('Enter')
        await page.getByText('Already used').waitFor()
        expect(await page.locator('.desk-facts').textContent()).toContain('by you')
        await takeScreenshot(page, `desk-again-${name}`)
        expect(await findSerious(page)).toEqual([])
        const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(scrolled).toBeLessThanOrEqual(viewport.width)
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )

    test('a use by mistake is undone with a reason, and the code is valid again', async () => {
      const browser = await openBrowser({ viewport: PHONE })
      const { code } = await redeemedCode(world)
      const page = await pages.open(browser.context, '/desk', 'support')
      await page.getByLabel('Code', { exact: true }).fill(code)
      await page.getByLabel('Code', { exact: true }).press('Enter')
      await page.getByRole('button', { name: 'Use it now' }).click()
      await page.getByText('Hand it out').waitFor()
      await page.getByRole('button', { name: 'Undo the use' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('The wrong code was scanned.')
      await takeScreenshot(page, 'desk-undo')
      expect(await findSerious(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Undo the use' }).click()
      await page.getByText('Valid', { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Undo the use' }).count()).toBe(0)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('without a response no result is claimed, and trying again uses the code once', async () => {
      const browser = await openBrowser({ viewport: PHONE })
      const { code } = await redeemedCode(world)
      const page = await pages.open(browser.context, '/desk', 'support')
      const input = page.getByLabel('Code', { exact: true })
      await input.fill(code)
      await input.press('Enter')
      const press = page.getByRole('button', { name: 'Use it now' })
      await press.waitFor()
      // The request arrives, and its answer is lost.
      await page.route('**/use', async route => {
        await route.fetch()
        await route.abort()
      })
      await press.click()
      await page.getByText('No answer').waitFor()
      expect(await page.locator('.desk-verdict').textContent()).toContain('may have been used')
      await takeScreenshot(page, 'desk-no-answer')
      await page.unroute('**/use')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Hand it out').waitFor()
      expect(await page.locator('.desk-verdict').textContent()).toContain('used only once')
      await browser.close()
    })

    test('a code that was checked is not used in place of another one that is typed', async () => {
      const browser = await openBrowser({ viewport: PHONE })
      const [shown, typed] = [await redeemedCode(world), await redeemedCode(world)]
      const page = await pages.open(browser.context, '/desk', 'support')
      const input = page.getByLabel('Code', { exact: true })
      await input.fill(shown.code)
      await input.press('Enter')
      const press = page.getByRole('button', { name: 'Use it now' })
      await press.waitFor()
      await input.fill(typed.code)
      await press.waitFor({ state: 'detached' })
      expect(await page.locator('.desk-verdict').count()).toBe(0)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('a code in view of the camera is used once, even if it is read repeatedly', async () => {
      const { code } = await redeemedCode(world)
      const film = join(folder, 'code.y4m')
      writeFilm(film, code)
      const browser = await openBrowser({ viewport: PHONE, camera: film })
      const page = await pages.open(browser.context, '/desk', 'support')
      await page.getByLabel('Use at once').check()
      await page.getByRole('button', { name: 'Scan', exact: true }).click()
      await page.getByText('Hand it out').waitFor()
      await takeScreenshot(page, 'desk-camera-phone')
      const { consoleAudit } = world.db.tables
      const uses = async () =>
        (await world.db.read.select().from(consoleAudit)).filter(
          ({ detail, operation }) => operation === 'useCode' && detail !== null,
        ).length
      const before = await uses()
      // The film continues: several more looks at the picture.
      const began = await page.evaluate<number>(FILM_TIME)
      await waitUntil(
        'the film continues',
        async () => (await page.evaluate<number>(FILM_TIME)) > began + 1.5,
      )
      expect(await verdict(page).textContent()).toBe('Hand it out')
      expect(await uses()).toBe(before)
      expect(await findSerious(page)).toEqual([])
      await browser.close()
    })
  })
})
