/** The example app when something fails: a double click, a session that ends, no network, a proxy's page. */
import { describe, expect, test } from 'bun:test'
import type { Locator, Page, Request } from 'playwright-core'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `Failures in the example app (skipped: ${noBrowser})`
  : 'Failures in the example app'
const BAD_GATEWAY = {
  status: 502,
  contentType: 'text/html',
  body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
}

/** The requests of a page to the paths that match. */
function collectRequests(page: Page, path: RegExp): Request[] {
  const requests: Request[] = []
  page.on('request', request => {
    if (path.test(new URL(request.url()).pathname)) requests.push(request)
  })
  return requests
}

const keyOf = (request: Request | undefined) => request?.headers()['idempotency-key']

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  /** A fan with 100 points on the screen of the starter pack, which costs as much. */
  async function openStarterPack(page: Page, fan: number): Promise<void> {
    await demo.signIn(page, fan)
    await page.getByRole('button', { name: 'Join and get your first points' }).click()
    await page.getByTestId('points').getByText('100').waitFor()
    await demo.open(page, 'Packs')
    await page.getByRole('link', { name: /Starter pack/ }).click()
    await page.getByRole('button', { name: /^Buy for/ }).waitFor()
  }

  /** The button that buys, in the dialog that asks. */
  async function askToBuy(page: Page): Promise<Locator> {
    await page.getByRole('button', { name: /^Buy for/ }).click()
    return page.getByRole('dialog').getByRole('button', { name: 'Buy for 100 points' })
  }

  test(
    'a double click buys one pack',
    async () => {
      const page = await demo.visit()
      await openStarterPack(page, 20)
      const purchases = collectRequests(page, /^\/api\/packs\/purchase$/)
      const confirm = await askToBuy(page)
      // As the second click of a double click on the button that asks: no consent.
      await confirm.dispatchEvent('click', { detail: 2 })
      expect(purchases).toEqual([])
      await confirm.dblclick()
      await page.getByText('Draw verified in this browser').waitFor()
      expect(purchases.map(request => request.method())).toEqual(['POST', 'PUT'])
      const { packs } = await readOwn<{ packs: unknown[] }>(page, '/api/user/packs')
      expect(packs).toHaveLength(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a purchase whose response was lost is sent again with the same key, and buys one pack',
    async () => {
      const page = await demo.visit()
      await openStarterPack(page, 21)
      const purchases = collectRequests(page, /^\/api\/packs\/purchase$/)
      await page.route('**/api/packs/purchase', async route => {
        if (route.request().method() !== 'PUT') return route.continue()
        await route.fetch()
        await route.abort('connectionreset')
      })
      await (await askToBuy(page)).click()
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
      await page.unroute('**/api/packs/purchase')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('Draw verified in this browser').waitFor()
      const keysOf = (method: string) => purchases.filter(request => request.method() === method).map(keyOf)
      const [start, startAgain] = keysOf('POST')
      expect(start).toBeString()
      expect(startAgain).toBe(start)
      // The client tried three times, and the fan once.
      const completions = keysOf('PUT')
      expect(completions).toHaveLength(4)
      expect(new Set(completions).size).toBe(1)
      const { packs } = await readOwn<{ packs: unknown[] }>(page, '/api/user/packs')
      expect(packs).toHaveLength(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a token that is about to expire is refreshed once, also by two tabs, and the fan stays signed in',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 22)
      await page.getByTestId('points').waitFor()
      const before = await readSession(page)
      const refreshes = collectRequests(page, /refresh$/)
      await reloadWith(page, { renewAt: 0 })
      await page.getByTestId('points').waitFor()
      expect(refreshes).toHaveLength(1)
      expect((await readSession(page)).refreshToken).not.toBe(before.refreshToken)

      // Two tabs at once.
      const other = await page.context().newPage()
      const ofOther = collectRequests(other, /refresh$/)
      // A page without the app, which would refresh before the other tab is there.
      await page.goto(`${demo.origin}/demo/config.json`)
      await changeSession(page, { renewAt: 0 })
      await Promise.all([page, other].map(tab => tab.goto(`${demo.origin}/demo`)))
      for (const tab of [page, other]) await tab.getByTestId('points').waitFor()
      expect(refreshes.length + ofOther.length).toBe(2)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a token that the server refuses is refreshed once, and the screen is shown',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 23)
      await page.getByTestId('points').waitFor()
      const refreshes = collectRequests(page, /refresh$/)
      await reloadWith(page, { token: 'refused' })
      await page.getByTestId('points').waitFor()
      expect(refreshes).toHaveLength(1)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a session that has ended leads to the sign-in, which returns to the same screen',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 19)
      await demo.open(page, 'Rewards')
      await page.getByRole('heading', { name: 'Rewards', exact: true }).waitFor()
      await changeSession(page, { token: 'refused', refreshToken: 'refused' })
      await page.reload()
      await page.getByText('Your session has ended. Sign in again to continue.').waitFor()
      await demo.signIn(page, 19)
      await page.getByRole('heading', { name: 'Rewards', exact: true }).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan whose account is refused after a refresh as well is led to the sign-in, which says when it fails',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 16)
      await page.getByTestId('points').waitFor()
      const json = { code: 'invalid_token', detail: 'Of the server.', requestId: 'r', status: 401 }
      const contentType = 'application/problem+json'
      await page.route(/\/api\/dashboard(\?|$)/, route => route.fulfill({ status: 401, contentType, json }))
      await page.reload()
      await page.getByText('Your session has ended. Sign in again to continue.').waitFor()
      await page.route('**/demo/config.json', route => route.abort('connectionreset'))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'without a network the app opens, says that it is offline, keeps its content, and reloads it when the network is back',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 18)
      await page.getByTestId('points').waitFor()
      await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
      await page.context().setOffline(true)
      await page.getByText('You are offline.').waitFor()
      expect(await page.getByTestId('points').isVisible()).toBe(true)
      await demo.open(page, 'Rewards')
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
      await takeScreenshot(page, 'demo-offline')
      await page.reload()
      await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
      await page.context().setOffline(false)
      await page.getByRole('link', { name: /Home shirt/ }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a page of a proxy in place of a response is explained, and can be tried again',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 17)
      await page.route(/\/api\/packs(\?|$)/, route => route.fulfill(BAD_GATEWAY))
      await demo.open(page, 'Packs')
      await page
        .getByRole('alert')
        .getByText('The server sent an answer that this app cannot read.')
        .waitFor()
      await page.unroute(/\/api\/packs(\?|$)/)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('link', { name: /Starter pack/ }).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a file of an older build is 404, and not the page',
    async () => {
      await demo.visit()
      expect((await fetch(`${demo.origin}/demo/index-of-yesterday.js`)).status).toBe(404)
      expect((await fetch(`${demo.origin}/demo/rewards/home-shirt`)).status).toBe(200)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the app can be installed: a manifest, icons and a service worker for its addresses',
    async () => {
      const page = await demo.visit()
      const manifest = (await (await fetch(`${demo.origin}/demo/manifest.webmanifest`)).json()) as {
        icons: { src: string; type: string }[]
      }
      expect(manifest).toMatchObject({ start_url: '/demo', scope: '/demo', display: 'standalone' })
      for (const { src, type } of manifest.icons) {
        const icon = await fetch(`${demo.origin}${src}`)
        expect(icon.headers.get('content-type')).toBe(type)
      }
      const scope = await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')
      expect(scope).toBe(`${demo.origin}/demo`)
    },
    BROWSER_TIMEOUT_MS,
  )

  async function readOwn<T>(page: Page, path: string): Promise<T> {
    const headers = { authorization: `Bearer ${await demo.readToken(page)}` }
    const response = await fetch(`${demo.origin}${path}`, { headers })
    expect(response.status).toBe(200)
    return (await response.json()) as T
  }

  const readSession = (page: Page) =>
    page.evaluate<{ refreshToken: string }>("JSON.parse(localStorage.getItem('matchday session'))")

  /** At once, so that no request of the page before uses the changed session. */
  const reloadWith = async (page: Page, change: Record<string, string | number>) => {
    const loaded = page.waitForEvent('load')
    await changeSession(page, change, 'location.reload()')
    await loaded
  }

  const changeSession = (page: Page, change: Record<string, string | number>, then = '') =>
    page.evaluate(
      `localStorage.setItem('matchday session', JSON.stringify({ ...JSON.parse(localStorage.getItem('matchday session')), ...${JSON.stringify(change)} })); ${then}`,
    )
})
