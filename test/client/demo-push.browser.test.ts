/** The service worker of the example app shows a push, and opens what it is about. The push comes by the protocol of the browser. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { BROWSER_TIMEOUT_MS, noBrowser } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'
import { waitUntil } from '../support/wait-until.ts'

const title = noBrowser ? `Pushes in the example app (skipped: ${noBrowser})` : 'Pushes in the example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  /** Sends pushes to the worker of the page. */
  async function pusherOf(page: Page) {
    const session = await page.context().newCDPSession(page)
    const registered = new Promise<string>(resolve => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find(({ isDeleted }) => !isDeleted)
        if (found) resolve(found.registrationId)
      })
    })
    await session.send('ServiceWorker.enable')
    const registrationId = await registered
    return (message: object) =>
      session.send('ServiceWorker.deliverPushMessage', {
        origin: demo.origin,
        registrationId,
        data: JSON.stringify(message),
      })
  }

  test(
    'a push is shown with its tag, and a click opens its page in the window of the app',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 20)
      await page.evaluate('navigator.serviceWorker.ready.then(() => {})')
      const push = await pusherOf(page)
      const [worker] = page.context().serviceWorkers()
      if (!worker) throw new Error('there is no worker')
      // A browser without a display denies notifications: the worker notes them instead.
      await worker.evaluate(`self.shown = []
        registration.showNotification = async (title, options) => void shown.push({ title, ...options })`)
      const message = { id: 'm', category: 'match', title: 'Goal', body: '1:0', imageUrl: null, tag: 'score' }
      await push({ ...message, url: '/matches' })
      const shown = await waitUntil('the push is shown', () => worker.evaluate('shown[0] ?? null'))
      expect(shown).toEqual({
        title: 'Goal',
        body: '1:0',
        data: '/matches',
        icon: '/demo/icon.svg',
        tag: 'score',
      })
      await worker.evaluate(`self.closed = false
        const notification = { data: shown[0].data, close: () => void (self.closed = true) }
        dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), { notification }))`)
      await page.waitForURL(`${demo.origin}/demo/matches`)
      await page.getByRole('heading', { name: 'Matches', level: 1 }).waitFor()
      expect(await worker.evaluate('closed')).toBe(true)
    },
    BROWSER_TIMEOUT_MS,
  )
})
