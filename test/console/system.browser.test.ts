/** Webhooks, server keys and jobs in Chromium, against the real API. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import type { Page } from 'playwright-core'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { type Receiver, startReceiver } from '../delivery/webhooks/receiver.ts'
import {
  addReceiver,
  dispatcherOf,
  drain,
  happen,
  newFan,
  removeEndpoints,
} from '../delivery/webhooks/webhooks-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const LOOKS = [
  ['desktop', 'light', { width: 1280, height: 900 }],
  ['narrow', 'dark', { width: 320, height: 640 }],
] as const

const HOSTILE = `<img src=x onerror="document.title='hacked'"> ${'x'.repeat(200)}`

describe.skipIf(noBrowser !== null)(noBrowser ? `System (skipped: ${noBrowser})` : 'System', () => {
  onEngine(sqliteEngine, 'webhooks, server keys and jobs in the browser', world => {
    let pages: ReturnType<typeof servePages>
    let receiver: Receiver
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())
    beforeEach(() => {
      receiver = startReceiver()
    })
    afterEach(async () => {
      await receiver.stop()
      await removeEndpoints(world)
    })

    async function look(page: Page, name: string, width: number) {
      await takeScreenshot(page, name)
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await page.title()).not.toContain('hacked')
    }
    const press = async (page: Page, action: string) => {
      await page.getByLabel('Reason').fill('The CRM moves.')
      await page.locator('dialog form').getByRole('button', { name: action, exact: true }).click()
    }
    /** Until it is done: the dialog closes after the answer. */
    const confirm = async (page: Page, action: string) => {
      await press(page, action)
      await page.locator('dialog form').waitFor({ state: 'detached' })
    }
    async function deliver() {
      const dispatcher = dispatcherOf(world)
      await drain(world, dispatcher)
      await dispatcher.stop()
    }

    test.each(LOOKS)('endpoints and deliveries (%s)', async (name, colorScheme, viewport) => {
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, '/webhooks', 'owner')
      await page.getByText('No other system receives events yet').waitFor()
      await look(page, `webhooks-empty-${name}`, viewport.width)
      await page.getByRole('button', { name: 'Add endpoint' }).first().click()
      await page.getByLabel('URL').fill('ftp://crm.example.com')
      await press(page, 'Add endpoint')
      await page.getByText('must be an http or https URL').waitFor()
      await page.getByLabel('URL').fill(receiver.url)
      await page.locator('dialog').getByRole('button', { name: 'Add endpoint' }).click()
      const secret = await page.locator('.secret code').textContent()
      expect(secret).toStartWith('whsec_')
      await page.keyboard.press('Escape')
      await look(page, `webhooks-secret-${name}`, viewport.width)
      await page.getByRole('button', { name: 'I have stored it' }).click()
      expect(await page.content()).not.toContain(secret ?? '')

      // Attempts that fail, one of them with a hostile response.
      const fan = await newFan(world)
      receiver.behave((_, count) => (count < 3 ? new Response(HOSTILE, { status: 500 + count }) : undefined))
      await happen(world, fan)
      await deliver()
      await page.getByText('Failing').waitFor()
      await page.getByRole('gridcell', { name: '127.0.0.1' }).click()
      await page.getByText('Every attempt has failed since').waitFor()
      await look(page, `webhooks-endpoint-${name}`, viewport.width)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByLabel('Example').selectOption('reward.claimed')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.locator('.payload', { hasText: '<img' }).waitFor()
      await look(page, `webhooks-test-${name}`, viewport.width)
      await page.getByRole('button', { name: 'Close', exact: true }).last().click()
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })

      await page.getByRole('tab', { name: 'Deliveries' }).click()
      await page.getByRole('button', { name: 'Waiting' }).click()
      await page.getByRole('gridcell', { name: 'Reward claimed' }).click()
      await page.getByText('Status 501').waitFor()
      await look(page, `webhooks-delivery-${name}`, viewport.width)
      await page.getByRole('button', { name: 'Send now' }).click()
      await confirm(page, 'Send')
      await deliver()
      await page.locator('dialog').getByText('Delivered', { exact: true }).waitFor()
      await page.getByText('Status 204').waitFor()
      expect(receiver.received).toHaveLength(3)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('an endpoint is paused, and a replay says its number first', async () => {
      const { id } = await addReceiver(world, receiver, ['*'])
      const fan = await newFan(world)
      for (let n = 0; n < 3; n++) await happen(world, fan)
      await deliver()
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/webhooks', 'owner')
      await page.getByRole('gridcell', { name: '127.0.0.1' }).click()
      await page.getByRole('button', { name: 'Pause' }).click()
      await confirm(page, 'Pause')
      await page.locator('dialog').getByText('Paused by staff.').waitFor()
      await page.getByRole('button', { name: 'Replay' }).click()
      // The clock of the world is not that of the browser.
      await page.getByLabel('Events since').fill('2020-01-01T00:00')
      await page.getByText('3 deliveries become pending again.').waitFor()
      await look(page, 'webhooks-replay', 1280)
      await confirm(page, 'Send 3 again')
      await page.getByRole('button', { name: 'Enable' }).click()
      await confirm(page, 'Enable')
      await deliver()
      expect(receiver.order()).toEqual([1, 2, 3, 1, 2, 3].map(sequence => `${fan} ${sequence}`))
      expect(id).toBeString()
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test.each(LOOKS)('server keys (%s)', async (name, colorScheme, viewport) => {
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, '/keys', 'owner')
      const source = `gate-${name}`
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('Source').fill(source)
      await page.getByLabel('Report events of fans').check()
      await page.getByLabel('Reason').fill('The gates report entries.')
      await look(page, `keys-create-${name}`, viewport.width)
      await page.locator('dialog').getByRole('button', { name: 'Create key' }).click()
      const key = await page.locator('.secret code').textContent()
      await look(page, `keys-secret-${name}`, viewport.width)
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('gridcell', { name: source }).waitFor()
      expect(await page.content()).not.toContain(key ?? '')
      await look(page, `keys-${name}`, viewport.width)
      await page.getByRole('gridcell', { name: source }).click()
      await look(page, `keys-key-${name}`, viewport.width)
      await page.getByRole('button', { name: 'Revoke' }).click()
      await confirm(page, 'Revoke it')
      await page.locator('dialog').getByText('Revoked', { exact: true }).first().waitFor()
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test.each(LOOKS)('jobs (%s)', async (name, colorScheme, viewport) => {
      await world.db.write(tx => ensureUser(tx, { provider: 'mock-idp', subject: `jobs ${name}` }))
      const { tasks } = world.deps
      await tasks.watch('delete expired sessions', 600_000, async () => {})()
      const fails = tasks.watch('settle cash', 60_000, () => Promise.reject(new Error('no')))
      await fails().catch(() => {})
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, '/jobs', 'owner')
      await page.getByRole('button', { name: 'Verify items' }).click()
      await confirm(page, 'Start')
      await page.getByText('Verification of items').first().waitFor()
      await page.locator('.timeline li').first().getByText('Done').waitFor()
      await look(page, `jobs-${name}`, viewport.width)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('a role without the permission sees neither', async () => {
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/keys', 'support')
      await page.getByText('Your role does not open this page').waitFor()
      expect(await page.getByRole('link', { name: 'Server keys' }).count()).toBe(0)
      await browser.close()
    })
  })
})
