/** `examples/react` against a running API: sign-in, points that follow the stream, and a claim that happens once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { generateFans } from '../../mock-idp/users/generate-fans.ts'
import { realSources } from '../../src/core/sources.ts'
import { findSerious } from '../support/axe.ts'
import {
  BROWSER_TIMEOUT_MS,
  noBrowser,
  openBrowser,
  takeScreenshot,
  type WatchedBrowser,
} from '../support/browser.ts'
import { root } from '../support/dev.ts'
import { sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'
import { createFactories, type Factories } from '../support/factories.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'

const title = noBrowser ? `The example in React (skipped: ${noBrowser})` : 'The example in React'
const fans = generateFans({ seed: 1, count: 40 })

describe.skipIf(noBrowser !== null)(title, () => {
  let provider: RunningProvider
  let temporary: TemporaryDatabase
  let api: RunningApi
  let server: Bun.Server<undefined>
  let browser: WatchedBrowser
  let factories: Pick<Factories, 'reward' | 'grant'>

  beforeAll(async () => {
    provider = await startProvider({ fans: fans.length })
    temporary = await sqliteEngine.open(realSources)
    // Pages of any port on this machine may call it.
    const env = { NODE_ENV: 'development', DATABASE_URL: temporary.url ?? '' }
    api = await startApi({ ...env, IDP_ISSUER: provider.issuer })
    const config = { identity: { name: 'mock-idp' } } as Parameters<typeof createFactories>[1]
    factories = createFactories(temporary.db, config)
    await factories.reward({ id: 'scarf', pointsRequired: 50 })
    await factories.reward({ id: 'shirt', pointsRequired: 5_000 })
    const { outputs } = await Bun.build({
      entrypoints: [join(root, 'examples/react/index.html')],
      define: { 'process.env.NODE_ENV': '"production"' },
      minify: true,
    })
    const files = new Map<string, [text: string, type: string]>()
    for (const output of outputs) {
      const text = (await output.text())
        .replaceAll('http://localhost:3000', api.origin.replace('127.0.0.1', 'localhost'))
        .replaceAll('http://localhost:4000', provider.issuer)
      files.set(output.path.replace(/^\.?/, ''), [text, output.type])
    }
    server = Bun.serve({
      hostname: 'localhost',
      port: 0,
      fetch: ({ url }) => {
        const { pathname } = new URL(url)
        const [text, type] = files.get(pathname === '/' ? '/index.html' : pathname) ?? []
        return type === undefined
          ? new Response(null, { status: 404 })
          : new Response(text, { headers: { 'content-type': type } })
      },
    })
  }, BROWSER_TIMEOUT_MS)

  afterAll(async () => {
    await server.stop(true)
    await api.stop()
    await provider.stop()
    await temporary.remove()
  }, BROWSER_TIMEOUT_MS)

  afterEach(async () => {
    await browser.close()
    expect([...browser.hosts]).toEqual(['localhost'])
  }, BROWSER_TIMEOUT_MS)

  async function signIn(page: Page, fan: number) {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/authorize/)
    await page
      .getByRole('button', { name: fans[fan]?.name ?? '' })
      .first()
      .click()
    await page.getByText('Live', { exact: true }).waitFor()
  }

  const open = async () => {
    browser = await openBrowser({ viewport: { width: 390, height: 844 } })
    const page = await browser.context.newPage()
    const requests: Request[] = []
    page.on('request', request => {
      if (request.method() !== 'OPTIONS') requests.push(request)
    })
    await page.goto(server.url.href)
    return { page, to: (path: string) => requests.filter(one => new URL(one.url()).pathname === path) }
  }

  test(
    'a fan signs in, earns points, and claims a reward once',
    async () => {
      const { page, to } = await open()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(await findSerious(page)).toEqual([])
      await signIn(page, 20)
      await page.getByText('0 points').first().waitFor()
      const scarf = page.getByRole('listitem').filter({ hasText: 'Scarf50 points' })
      expect(await scarf.getByRole('button', { name: 'Claim' }).isDisabled()).toBe(true)

      // Nothing is pressed: the stream says that it happened.
      const subject = fans[20]?.sub ?? ''
      await factories.grant({ subject }, 60)
      await page.getByText('60 points').waitFor()
      await scarf.getByRole('button', { name: 'Claim' }).and(page.locator(':enabled')).waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'example-react', { fullPage: true })

      // The response is lost, and so are those to the repeats of the client.
      await page.route('**/api/rewards/claim*', route => route.abort())
      await scarf.getByRole('button', { name: 'Claim' }).click()
      await scarf.getByRole('alert').waitFor()
      await page.unroute('**/api/rewards/claim*')
      await scarf.getByRole('button', { name: 'Claim' }).dblclick()
      await scarf.getByText('Claimed').waitFor()
      const keys = to('/api/rewards/claim').map(request => request.headers()['idempotency-key'])
      expect(keys).toHaveLength(4)
      expect(new Set(keys).size).toBe(1)
      expect(keys[0]).toBeTruthy()

      await page.reload()
      await page.getByText('60 points').waitFor()
      await scarf.getByText('Claimed').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'after the sign-out nothing of the fan remains, in other tabs neither',
    async () => {
      const { page } = await open()
      await signIn(page, 21)
      const other = await browser.context.newPage()
      await other.goto(server.url.href)
      await other.getByText('Live', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      for (const tab of [page, other]) {
        await tab.getByRole('button', { name: 'Sign in' }).waitFor()
        expect(await tab.getByRole('listitem').count()).toBe(0)
        expect(
          await tab.evaluate<string>(
            'JSON.stringify([...Object.keys(localStorage), ...Object.keys(sessionStorage)])',
          ),
        ).toBe('[]')
      }
      await signIn(page, 22)
      await page.getByText('0 points').first().waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )
})
