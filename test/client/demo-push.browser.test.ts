/**
 * Pushes in the example app: asked after a prediction, shown by the service worker, opened by a click. The push service is a local server:
 * that of Chromium is elsewhere, so `PushManager.subscribe` is replaced, and pushes reach the worker by the protocol of the browser.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { BUILT_IN } from '../../src/club/notifications/built-in.ts'
import { productKind } from '../../src/play/shop/product-kind.ts'
import { newSubscription, servePushes } from '../delivery/push/push-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'
import { waitUntil } from '../support/wait-until.ts'
import { writeInbox } from './layout-messages.ts'

const title = noBrowser ? `Pushes in the example app (skipped: ${noBrowser})` : 'Pushes in the example app'

const voucher = {
  ...{ id: 'test-voucher', name: 'Test voucher', description: 'From the club.', category: 'club' },
  ...({ kind: 'voucher', price: { amount: 1, currency: 'POINTS' } } as const),
  variants: [{ id: 'one', name: 'One', stock: 50 }],
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(db => db.write(async tx => void (await productKind.upsert(tx, voucher))))
  let service: ReturnType<typeof servePushes>
  beforeAll(() => {
    service = servePushes()
  })
  afterAll(() => service.stop())

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

  async function idOf(page: Page): Promise<string> {
    const response = await fetch(`${demo.origin}/api/user/profile`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await demo.readToken(page)}`,
        'content-type': 'application/json',
      },
      body: '{}',
    })
    // Guarantee of the cast: the API keeps to its document.
    return ((await response.json()) as { id: string }).id
  }
  const devicesOf = async (fan: string) => {
    const { devices } = demo.db.tables
    return (await demo.db.read.select().from(devices)).filter(({ userId }) => userId === fan)
  }

  /** A browser whose fan answers, and whose push service is the local one. */
  async function withPushes(page: Page, answer: 'granted' | 'denied') {
    const path = `/browser-${crypto.randomUUID()}`
    const browser = newSubscription(`${service.url}${path.slice(1)}`)
    // As text: the types of this repository have no browser.
    await page.addInitScript(`
      let permission = 'default'
      Object.defineProperty(Notification, 'permission', { get: () => permission })
      Notification.requestPermission = async () => {
        sessionStorage.setItem('asked', Number(sessionStorage.getItem('asked')) + 1)
        permission = ${JSON.stringify(answer)}
        return permission
      }
      const subscription = ${JSON.stringify(browser.subscription)}
      const current = {
        endpoint: subscription.endpoint,
        toJSON: () => subscription,
        async unsubscribe() {
          sessionStorage.removeItem('subscribed')
          return true
        },
      }
      Object.assign(PushManager.prototype, {
        async subscribe({ applicationServerKey }) {
          sessionStorage.setItem('subscribed', applicationServerKey)
          return current
        },
        getSubscription: async () => (sessionStorage.getItem('subscribed') === null ? null : current),
      })`)
    await page.reload()
    const kept = (key: string) => page.evaluate(name => sessionStorage.getItem(name), key)
    return { asked: async () => Number(await kept('asked')), key: () => kept('subscribed'), path, browser }
  }

  const predict = (page: Page, nth: number) => {
    const card = page
      .locator('.match-grid > li')
      .filter({ has: page.locator('.predict') })
      .nth(nth)
    return {
      card,
      async send() {
        await card.locator('.predict').waitFor()
        for (const input of await card.locator('input[type=number]').all()) await input.fill('1')
        await card.locator('.predict button').press('Enter')
        await card.locator('.predicted').filter({ hasText: '1' }).last().waitFor()
      },
    }
  }

  const check = async (page: Page, name: string) => {
    expect(await findSerious(page)).toEqual([])
    expect(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    ).toBe(false)
    await takeScreenshot(page, `demo-pushes-${name}`, { fullPage: true })
  }

  test(
    'a fan is asked after the first prediction, subscribes, gets a message that leads into the app, and none after a sign-out',
    async () => {
      const page = await demo.visit()
      const pushes = await withPushes(page, 'granted')
      await demo.signIn(page, 22)
      const id = await idOf(page)
      await demo.open(page, 'Matches')
      await page.locator('.predict').first().waitFor()
      expect(await page.locator('.ask-pushes').count()).toBe(0)
      await predict(page, 0).send()
      const panel = page.getByRole('region', { name: 'Get messages on this device?' })
      await panel.waitFor()
      expect(await pushes.asked()).toBe(0)
      await check(page, 'asked')
      await panel.getByRole('button', { name: 'Turn on' }).press('Enter')
      await page.getByText('Messages come to this device now.').waitFor()
      expect(await pushes.asked()).toBe(1)
      const { vapidPublicKey } = await readDevices(page)
      expect(await pushes.key()).toBe(vapidPublicKey)
      expect(await devicesOf(id)).toMatchObject([{ kind: 'webpush' }])

      const push = await pusherOf(page)
      const [worker] = page.context().serviceWorkers()
      if (!worker) throw new Error('there is no worker')
      await worker.evaluate(`self.shown = []
        registration.showNotification = async (title, options) => void shown.push({ title, ...options })`)
      await writeInbox(demo.db, id, [
        { title: 'Your tier is at risk', body: 'Soon.', url: '/account/tiers', push: true },
      ])
      const message = await waitUntil('the server has sent it', () => {
        const [first] = service.messagesOf(pushes.path, pushes.browser)
        return Promise.resolve(first)
      })
      await push(message)
      const shown = await waitUntil('the push is shown', () => worker.evaluate('shown[0] ?? null'))
      expect(shown).toMatchObject({ title: 'Your tier is at risk', data: '/account/tiers' })
      await worker.evaluate(`dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), {
        notification: { data: shown[0].data, close() {} } }))`)
      await page.waitForURL(`${demo.origin}/demo/account/tiers`)
      await page.getByRole('heading', { name: 'Membership', level: 1 }).waitFor()

      await demo.open(page, 'Matches')
      await predict(page, 1).send()
      expect(await page.locator('.ask-pushes').count()).toBe(0)
      await page.getByRole('link', { name: 'You' }).press('Enter')
      await page.getByRole('button', { name: 'Sign out' }).press('Enter')
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect([await devicesOf(id), await pushes.key()]).toEqual([[], null])
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each([
    ['denied', 'ar', 'light', 'denied', '.button.main', 1],
    ['not now', 'pt', 'dark', 'granted', '.button.plain', 0],
  ] as const)(
    'a fan who refuses is not asked again, on a narrow screen (%s)',
    async (name, lang, colorScheme, answer, button, asked) => {
      const page = await demo.visit({ viewport: { width: 320, height: 640 }, colorScheme })
      const pushes = await withPushes(page, answer)
      await demo.signIn(page, lang === 'ar' ? 23 : 21)
      await page.goto(`${demo.origin}/demo/matches?lang=${lang}`)
      await page.locator('.predict').first().waitFor()
      await predict(page, 0).send()
      await page.locator('.ask-pushes').waitFor()
      await check(page, name.replace(' ', '-'))
      await page.locator(`.ask-pushes ${button}`).press('Enter')
      await page.getByRole('status').filter({ hasText: /./ }).first().waitFor()
      await page.locator('.ask-pushes').waitFor({ state: 'detached' })
      await page.reload()
      await page.locator('.predict').first().waitFor()
      await predict(page, 1).send()
      expect(await page.locator('.ask-pushes').count()).toBe(0)
      expect([await pushes.asked(), await pushes.key()]).toEqual([asked, null])
    },
    BROWSER_TIMEOUT_MS,
  )

  async function read<T>(page: Page, path: string, body?: object): Promise<T> {
    const response = await fetch(`${demo.origin}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${await demo.readToken(page)}`,
        'content-type': 'application/json',
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    expect(response.status).toBeLessThan(300)
    // Guarantee of the cast: the API keeps to its document.
    return (await response.json()) as T
  }
  const readDevices = (page: Page) => read<{ vapidPublicKey: string }>(page, '/api/user/devices')

  test(
    'the links of all built-in messages lead to screens of the app',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 6)
      const { matches } = await read<{ matches: { id: string }[] }>(page, '/api/matches')
      const cart = { lines: [{ productId: voucher.id, quantity: 1 }] }
      const { id: orderId } = await read<{ id: string }>(page, '/api/checkout', cart)
      const league = { name: 'Linked', scoring: 'points', format: 'table', from: 'join' }
      const { id: leagueId } = await read<{ id: string }>(page, '/api/leagues', league)
      const values: Record<string, string> = {
        '{{/matchId}}': matches[0]?.id ?? '',
        '{{/orderId}}': orderId,
        '{{/leagueId}}': leagueId,
      }
      const urls = BUILT_IN.map(({ url }) => url ?? '')
      expect(urls).toHaveLength(12)
      const addresses = new Set(
        urls.map(url =>
          url.replaceAll(/\{\{.*?\}\}/g, place => encodeURIComponent(values[place] ?? 'unknown')),
        ),
      )
      const titles: Record<string, string | null> = {}
      for (const url of addresses) {
        await page.goto(`${demo.origin}/demo${url}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('.bones').first().waitFor({ state: 'detached' })
        titles[url] = await page.getByRole('heading', { level: 1 }).textContent()
      }
      await page.goto(`${demo.origin}/demo/account/nothing`)
      const missing = await page.getByRole('heading', { level: 1 }).textContent()
      expect(Object.entries(titles).filter(([, title]) => title === missing)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )
})
