/** The start page of the mock provider in a real browser: its buttons call the control interface. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { type RunningProvider, startProvider } from '../support/processes.ts'
import { authorizePath } from './world.ts'

const title = noBrowser ? `the start page (skipped: ${noBrowser})` : 'the start page'

describe.skipIf(noBrowser !== null)(title, () => {
  let provider: RunningProvider

  beforeAll(async () => {
    provider = await startProvider({ fans: 12 })
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => provider.stop(), BROWSER_TIMEOUT_MS)

  test(
    'controls faults, keys, clock and webhooks from the keyboard',
    async () => {
      const browser = await openBrowser()
      const page = await browser.context.newPage()
      await page.goto(provider.issuer)
      const read = async (path: string) => {
        const response = await fetch(`${provider.issuer}${path}`)
        return (await response.json()) as Record<string, unknown>
      }
      const press = async (name: string, response: string) => {
        await page.getByRole('button', { name, exact: true }).press('Enter')
        await page.locator('#result', { hasText: response }).waitFor()
      }
      await page.getByLabel('Endpoint').selectOption('userinfo')
      await press('Add fault', 'POST /_mock/faults: 201')
      expect(await read('/_mock/faults')).toMatchObject({ faults: [{ match: 'userinfo', kind: 'status' }] })
      await press('Delete faults', 'DELETE /_mock/faults: 200')
      expect(await read('/_mock/faults')).toEqual({ faults: [] })

      const { current } = await read('/_mock/keys')
      await press('Rotate keys', 'POST /_mock/keys/rotate: 200')
      expect((await read('/_mock/keys')).current).not.toBe(current)
      await press('Advance clock', 'POST /_mock/clock: 200')
      expect(await read('/_mock/clock')).toMatchObject({ offsetMs: 3_600_000 })
      await page.getByLabel('Webhooks').selectOption('paused')
      await press('Set mode', 'PUT /_mock/webhooks: 200')
      expect(await read('/_mock/webhooks')).toMatchObject({ mode: 'paused' })
      expect([await findSerious(page), browser.complaints]).toEqual([[], []])
      await browser.close()
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'light', width: 390 },
    { colorScheme: 'dark', width: 1280 },
    { colorScheme: 'dark', width: 390 },
  ] as const)(
    'axe finds nothing serious on it and on the sign-in page in $colorScheme at a width of $width',
    async ({ colorScheme, width }) => {
      const browser = await openBrowser({ colorScheme, viewport: { width, height: 844 } })
      const page = await browser.context.newPage()
      for (const [name, path] of [
        ['start', '/'],
        ['sign-in', authorizePath()],
      ] as const) {
        await page.goto(`${provider.issuer}${path}`)
        await takeScreenshot(page, `mock-${name}-${colorScheme}-${width}`)
        expect(await findSerious(page), name).toEqual([])
        const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(scrolled, name).toBeLessThanOrEqual(width)
      }
      await browser.close()
    },
    BROWSER_TIMEOUT_MS,
  )
})
