/** The shared parts of the console's pages in Chromium: 10,000 rows, forms and dialogs, the keyboard, hostile names. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

/** As the console's own, so that the parts do not need more. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
const LOOKS = [
  ['desktop light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['desktop dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['phone dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['320 px', { viewport: { width: 320, height: 640 }, colorScheme: 'light' }],
  // The viewport of a 1280 × 800 screen at 200 %.
  ['200 % zoom', { viewport: { width: 640, height: 400 }, colorScheme: 'light' }],
] as const

async function serveGallery() {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'gallery/index.html')],
    ...{ publicPath: '/', minify: true, splitting: true },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files = new Map(outputs.map(output => [output.path.replace(/^\.?\//, ''), output]))
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const name = new URL(request.url).pathname.slice(1)
      const file = files.get(name) ?? files.get('index.html')
      return new Response(file, { headers: { 'content-security-policy': POLICY } })
    },
  })
}

const focused = (page: Page) =>
  page.evaluate<string>(
    'document.activeElement.getAttribute("aria-rowindex") ?? document.activeElement.textContent',
  )

describe.skipIf(noBrowser !== null)(
  noBrowser ? `Parts of the console (skipped: ${noBrowser})` : 'Parts of the console',
  () => {
    let server: Awaited<ReturnType<typeof serveGallery>>
    beforeAll(async () => {
      server = await serveGallery()
    })
    afterAll(() => server.stop(true))

    async function open(path: string, look: Parameters<typeof openBrowser>[0] = {}) {
      const browser = await openBrowser(look)
      const page = await browser.context.newPage()
      await page.goto(`http://127.0.0.1:${server.port}${path}`)
      await page.locator('h1').waitFor()
      return { page, browser }
    }

    test.each(LOOKS)('have no serious barrier, and do not scroll sideways (%s)', async (name, look) => {
      const { page, browser } = await open('/others', look)
      for (const path of ['others', 'forms', 'table']) {
        await page.goto(`http://127.0.0.1:${server.port}/${path}`)
        await page.locator('h1').waitFor()
        await takeScreenshot(page, `parts-${path}-${name.replaceAll(/\W+/g, '-')}`, {
          fullPage: path !== 'table',
        })
        expect(await findSerious(page), path).toEqual([])
        const width = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(width, path).toBeLessThanOrEqual(look.viewport.width)
      }
      // A name with markup is text, and breaks no policy.
      expect(await page.title()).not.toBe('pwned')
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('10,000 rows: few are in the document, wherever the list is scrolled, and it is as long as all', async () => {
      const { page, browser } = await open('/table')
      const table = page.getByRole('grid', { name: 'Fans' })
      expect(await table.getAttribute('aria-rowcount')).toBe('10001')
      const height = await page.evaluate<number>('document.querySelector("table").offsetHeight')
      expect(height).toBeGreaterThan(10_000 * 40)
      for (const share of [0, 0.25, 0.5, 0.999, 0.1]) {
        await page.evaluate(`scrollTo(0, ${share} * document.documentElement.scrollHeight)`)
        await page.locator(`tr[aria-rowindex="${Math.max(3, Math.round(share * 10_000))}"]`).waitFor()
        const drawn = await page.evaluate<number>('document.querySelectorAll("tbody tr").length')
        expect(drawn, String(share)).toBeLessThan(60)
        expect(await page.evaluate('document.querySelector("table").offsetHeight')).toBe(height)
        // The head stays in sight.
        const top = await page.evaluate<number>(
          'document.querySelector("thead th").getBoundingClientRect().top',
        )
        expect(top).toBeGreaterThanOrEqual(0)
        expect(top).toBeLessThan(200)
      }
      await browser.close()
    })

    test('rows are reached by arrow keys, Page Down, Home and End, and opened by Enter', async () => {
      const { page, browser } = await open('/table')
      await page.locator('tr[aria-rowindex="2"]').focus()
      const press = async (key: string, index: number) => {
        await page.keyboard.press(key)
        await page.locator(`tr[aria-rowindex="${index}"]:focus`).waitFor()
        const [top, bottom] = await page.evaluate<[number, number]>(
          '(({ top, bottom }) => [top, innerHeight - bottom])(document.activeElement.getBoundingClientRect())',
        )
        expect(top, key).toBeGreaterThanOrEqual(0)
        expect(bottom, key).toBeGreaterThanOrEqual(0)
      }
      await press('ArrowDown', 3)
      await press('ArrowDown', 4)
      await press('ArrowUp', 3)
      await press('End', 10_001)
      await press('ArrowUp', 10_000)
      // The row with the focus stays while others scroll past it.
      await page.evaluate('scrollTo(0, 0)')
      await page.locator('tr[aria-rowindex="2"]').waitFor()
      expect(await focused(page)).toBe('10000')
      await press('Home', 2)
      await page.keyboard.press('PageDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /^Opened 0193a1b2/ }).waitFor()
      await page.goBack()
      await page.getByRole('grid', { name: 'Fans' }).waitFor()
      await browser.close()
    })

    test('a dialog keeps the focus, sends an attempt without an answer again as the same one, and shows errors at fields', async () => {
      const { page, browser } = await open('/forms')
      const opener = page.getByRole('button', { name: 'Grant points' })
      await opener.focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Grant points' })
      await dialog.waitFor()
      for (let presses = 0; presses < 12; presses++) {
        await page.keyboard.press('Tab')
        const isInside = await page.evaluate<boolean>(
          'document.activeElement === document.body || document.querySelector("dialog").contains(document.activeElement)',
        )
        expect(isInside).toBe(true)
      }
      const send = dialog.getByRole('button', { name: /^Grant/ })
      // Without a reason nothing is sent, and the button says why.
      await send.click({ force: true })
      expect(await send.textContent()).toContain('Write the reason first.')
      await dialog.getByLabel('Reason').fill('a delayed train')
      await send.click()
      await dialog.getByRole('alert').getByText('cannot be reached').waitFor()
      await send.click()
      const points = dialog.getByLabel('Points')
      await dialog.getByText('At most 10,000.').waitFor()
      expect(await points.getAttribute('aria-invalid')).toBe('true')
      expect(await page.evaluate('document.activeElement.type')).toBe('number')
      await dialog.getByText('No field shows this one.').waitFor()
      expect(await findSerious(page)).toEqual([])
      await points.fill('40')
      await send.click()
      await page.getByText('Granted for a delayed train.').waitFor()
      await dialog.waitFor({ state: 'detached' })
      const { attempts } = JSON.parse((await page.locator('output').textContent()) ?? '')
      expect(attempts[0]).toBe(attempts[1])
      expect(attempts[2]).not.toBe(attempts[1])
      expect(await focused(page)).toBe('Grant points')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await browser.close()
    })

    test('a blocked button is reached by the keyboard, says why, and does nothing', async () => {
      const { page, browser } = await open('/forms')
      const button = page.getByRole('button', { name: /^Refund/ })
      await button.focus()
      await page.keyboard.press('Enter')
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await button.textContent()).toContain('Your role may not do this.')
      expect(await page.getByText('It was pressed.').count()).toBe(0)
      await browser.close()
    })

    test('instants are written in the zone of the staff, through the hour that the clocks skip', async () => {
      const { page, browser } = await open('/forms')
      const field = page.getByLabel('Starts')
      const read = async () => JSON.parse((await page.locator('output').textContent()) ?? '').at
      expect(await field.inputValue()).toBe('2026-03-29T00:30')
      // In Lisbon the clocks go from 01:00 to 02:00 on that day, and back from 02:00 to 01:00 on 25 October.
      const written = {
        '2026-03-29T00:59': '2026-03-29T00:59:00.000Z',
        '2026-03-29T01:30': '2026-03-29T01:30:00.000Z',
        '2026-03-29T02:30': '2026-03-29T01:30:00.000Z',
        '2026-10-25T01:30': '2026-10-25T00:30:00.000Z',
        '2026-10-25T02:00': '2026-10-25T02:00:00.000Z',
      }
      for (const [wall, instant] of Object.entries(written)) {
        await field.fill(wall)
        await field.blur()
        expect(await read(), wall).toBe(instant)
      }
      await field.fill('')
      await field.blur()
      expect(await read()).toBe(null)
      await browser.close()
    })

    test('arrow keys move between tabs', async () => {
      const { page, browser } = await open('/others')
      await page.getByRole('tab', { name: 'One' }).focus()
      for (const [key, panel] of [
        ['ArrowRight', 'two'],
        ['End', 'three'],
        ['ArrowRight', 'one'],
        ['ArrowLeft', 'three'],
      ]) {
        await page.keyboard.press(key ?? '')
        await page.getByText(`Panel ${panel}`).waitFor()
        expect(await page.getByRole('tab', { selected: true }).count()).toBe(1)
      }
      await browser.close()
    })
  },
)
