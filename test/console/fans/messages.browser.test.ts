/** Messages of a fan in Chromium: the tab without messages, and with what became of their pushes. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newSubscription, putDevice } from '../../delivery/push/push-world.ts'
import { addNotification, happens } from '../../fan/messages/messages-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const LOOKS = [
  ['desktop', 'light', { width: 1440, height: 900 }],
  ['narrow', 'dark', { width: 390, height: 844 }],
] as const

const title = noBrowser ? `Messages of a fan (skipped: ${noBrowser})` : 'Messages of a fan'

describe.skipIf(noBrowser !== null)(title, () => {
  onEngine(sqliteEngine, 'messages in the browser', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    test.each(LOOKS)(
      'are shown with what became of their pushes (%s)',
      async (name, colorScheme, viewport) => {
        const fan = await namedFan(world)
        await addNotification(world, {
          id: `plain-${name}`,
          eventType: `item.${name}`,
          title: 'A scarf was bought',
          push: true,
        })
        await addNotification(world, {
          id: `long-${name}`,
          eventType: `item.${name}`,
          title: 'Wolfeschlegelsteinhausen'.repeat(5),
        })
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, `/fans/${fan.id}?tab=messages`, 'support')
        const check = async (state: string) => {
          expect(await findSerious(page)).toEqual([])
          expect(
            await page.evaluate(
              'document.documentElement.scrollWidth > document.documentElement.clientWidth',
            ),
          ).toBe(false)
          await takeScreenshot(page, `fan-messages-${state}-${name}`, { fullPage: true })
        }
        await page.getByText('The fan has no messages').waitFor()
        await page.getByText('The fan has no device.').waitFor()
        await check('empty')
        const { subscription } = newSubscription('https://push.example/one')
        expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
        await happens(world, fan.id, { item: 'a scarf' }, `item.${name}`)
        await page.reload()
        const table = page.getByRole('table', { name: 'Messages', exact: true })
        await table.getByText('A scarf was bought').waitFor()
        await table.getByText('Waits').first().waitFor({ state: 'attached' })
        // A side panel takes a part of a wide screen.
        if (name === 'desktop') await table.getByText('Not read').first().waitFor()
        await check('shown')
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )
  })
})
