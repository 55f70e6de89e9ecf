/** The screens of the console in the order in which they are taken. */
import type { Page } from 'playwright-core'

/** The site that the screens show. */
export interface ConsoleSite {
  origin: string
  /** A fan with a history, and how support finds them. */
  fanId: string
  handle: string
  /** The code of a redemption that waits at the desk. */
  code: string
  matchId: string
  orderId: string
}

interface ConsoleShot {
  name: string
  open(page: Page, site: ConsoleSite): Promise<unknown>
}

const at = (name: string, path: string | ((site: ConsoleSite) => string) = `/${name}`): ConsoleShot => ({
  name,
  async open(page, site) {
    await page.goto(site.origin + (typeof path === 'string' ? path : path(site)))
    await page.locator('main h1').first().waitFor()
  },
})

/** Rows of another system, with two lines that the club must correct. */
const SEASON_TICKETS = [
  'subject,displayName,country,openingBalance',
  ...Array.from(
    { length: 1_240 },
    (_, nth) => `member-${1_000 + nth},Member ${1_000 + nth},PT,${(nth % 40) * 25}`,
  ),
  'member-1017,Rita Alves,PT,300',
  'member-2240,Jorge Pinto,Portugal,125',
].join('\n')

export const consoleShots: ConsoleShot[] = [
  {
    name: 'overview',
    async open(page, { origin }) {
      await page.goto(`${origin}/`)
      await page.locator('.u-over').first().waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
    },
  },
  {
    name: 'fans',
    async open(page, { origin, handle }) {
      await page.goto(`${origin}/fans`)
      await page.locator('main input').first().fill(handle.slice(0, 2))
      await page.locator('main').getByText(`@${handle}`).first().waitFor()
    },
  },
  at('fan', ({ fanId }) => `/fans/${fanId}`),
  {
    name: 'desk',
    async open(page, { origin, code }) {
      await page.goto(`${origin}/desk`)
      const input = page.getByLabel('Code', { exact: true })
      await input.fill(code)
      await input.press('Enter')
      await page.locator('.desk-verdict').waitFor()
    },
  },
  at('match-day'),
  at('match', ({ matchId }) => `/match-day/${matchId}`),
  at('moderation'),
  {
    name: 'season',
    async open(page, { origin }) {
      await page.goto(`${origin}/season`)
      await page.locator('.drawing').first().waitFor()
    },
  },
  at('orders'),
  at('order', ({ orderId }) => `/orders/${orderId}`),
  at('catalogue'),
  {
    name: 'catalogue-entry',
    async open(page, { origin }) {
      await page.goto(`${origin}/catalogue/reward/entry/home-shirt`)
      await page.locator('main h1').first().waitFor()
      await page.locator('iframe').waitFor({ state: 'attached' })
      // The phone next to the form, which narrow screens do not show.
      if (await page.locator('iframe').isVisible())
        await page.frameLocator('iframe').getByText('Home shirt').first().waitFor()
    },
  },
  at('webhooks'),
  at('keys'),
  at('jobs'),
  {
    name: 'import',
    async open(page, { origin }) {
      await page.goto(`${origin}/jobs`)
      await page.getByRole('button', { name: 'Import fans' }).click()
      await page.getByLabel('File').setInputFiles({
        ...{ name: 'season-tickets-2026.csv', mimeType: 'text/csv', buffer: Buffer.from(SEASON_TICKETS) },
      })
      await page.getByRole('button', { name: 'Upload and try' }).click()
      // The list of runs has those of earlier looks.
      await page.getByRole('dialog').getByText('Invalid lines', { exact: true }).waitFor()
    },
  },
  at('approvals'),
  at('audit'),
  {
    name: 'palette',
    async open(page, { origin, handle }) {
      await page.goto(`${origin}/`)
      await page.locator('.u-over').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type(handle.slice(0, 3))
      await page.getByRole('option', { name: new RegExp(`@${handle}`) }).waitFor()
    },
  },
]
