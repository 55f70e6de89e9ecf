/** The start page of the mock provider in a real browser: its buttons call the control interface. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findSerious } from '../support/axe.ts'
import { noBrowser, openBrowser } from '../support/browser.ts'
import { type RunningProvider, startProvider } from '../support/processes.ts'

const TIMEOUT_MS = 300_000
const title = noBrowser ? `the start page (left out: ${noBrowser})` : 'the start page'

describe.skipIf(noBrowser !== null)(title, () => {
  let provider: RunningProvider

  beforeAll(async () => {
    provider = await startProvider({ fans: 3 })
  }, TIMEOUT_MS)
  afterAll(() => provider.stop(), TIMEOUT_MS)

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
    TIMEOUT_MS,
  )

  test.each(['light', 'dark'] as const)(
    'axe finds nothing serious in %s at phone width',
    async colorScheme => {
      const browser = await openBrowser({ colorScheme })
      const page = await browser.context.newPage()
      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto(provider.issuer)
      expect(await findSerious(page)).toEqual([])
      await browser.close()
    },
    TIMEOUT_MS,
  )
})
