/** The pages of `bun run screenshots`, in the order in which one visitor opens them, and the looks in which they are taken. */
import type { Locator, Page } from 'playwright-core'
import type { Society } from './society.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 800 }

const TEAM = 'Harbour City FC'

export const looks = {
  'phone-light': { viewport: PHONE, colorScheme: 'light' },
  'phone-dark': { viewport: PHONE, colorScheme: 'dark' },
  'desktop-light': { viewport: DESKTOP, colorScheme: 'light' },
  'desktop-dark': { viewport: DESKTOP, colorScheme: 'dark' },
} as const

export interface Sites extends Society {
  api: string
  provider: string
  /** Id of the match at the gate. */
  match: string
  /** The names of fans who have points. */
  fans: string[]
}

interface Shot {
  name: string
  open(page: Page, sites: Sites, serverKey: string): Promise<unknown>
}

const served = (name: string, path: string): Shot => ({
  name,
  open: (page, { api }) => page.goto(`${api}${path}`),
})
const screen = (name: string, path: string | ((society: Society) => string) = `/${name}`): Shot => ({
  name: `demo-${name}`,
  async open(page, { api, ...society }) {
    await page.goto(`${api}/demo${typeof path === 'string' ? path : path(society)}`)
    await page.locator('main h1').first().waitFor()
  },
})
/** Presses the buttons that are still there, or the link that continues, until the goal is. */
async function follow(page: Page, buttons: RegExp[], goal: Locator): Promise<void> {
  for (const name of buttons) {
    const button = page.getByRole('button', { name })
    const link = page.getByRole('link', { name: 'Continue your purchase' })
    await button.or(link).or(goal).first().waitFor()
    if (await button.isVisible()) await button.click()
    else if (await link.isVisible()) await link.click()
  }
  await goal.waitFor()
}

export const shots: Shot[] = [
  served('start', '/'),
  served('guide', '/docs/guide'),
  served('guide-page', '/docs/guide/quests'),
  {
    name: 'reference',
    async open(page, { api }) {
      await page.goto(`${api}/docs`)
      await page.locator('.opblock').first().waitFor()
    },
  },
  { name: 'provider', open: (page, { provider }) => page.goto(provider) },
  {
    name: 'gate',
    async open(page, { api, match }, serverKey) {
      await page.goto(`${api}/check-in/${match}`)
      await page.getByLabel('Server key').fill(serverKey)
      await page.getByRole('button', { name: 'Show the code' }).click()
      await page.getByRole('img', { name: /^QR code/ }).waitFor()
    },
  },
  screen('welcome', ''),
  {
    name: 'provider-sign-in',
    async open(page) {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(/authorize/)
    },
  },
  {
    name: 'demo-home',
    async open(page, { fans }) {
      const known = page.getByRole('button', { name: new RegExp(fans.map(RegExp.escape).join('|')) })
      await known.first().click()
      await page
        .getByRole('link', { name: /^Points/ })
        .first()
        .waitFor()
      const team = page.getByRole('button', { name: TEAM })
      if (!(await team.isVisible())) return
      await team.click()
      await team.waitFor({ state: 'detached' })
    },
  },
  screen('matches'),
  screen('rewards'),
  screen('reward', '/rewards/home-shirt'),
  {
    name: 'demo-code',
    async open(page, { api }) {
      await page.goto(`${api}/demo/rewards/anthem-ringtone`)
      await follow(page, [/^Claim /, /^Redeem /, /^Redeem now$/], page.getByRole('img', { name: /^QR code/ }))
    },
  },
  screen('packs'),
  screen('pack', '/packs/derby-day'),
  {
    name: 'demo-opened',
    async open(page, { api }) {
      await page.goto(`${api}/demo/packs/starter`)
      await page.getByRole('button', { name: /^Buy for/ }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Buy for/ })
        .click()
      await page.getByText('Draw verified in this browser').waitFor()
    },
  },
  {
    name: 'demo-purchase',
    async open(page, { api }) {
      await page.goto(`${api}/demo/packs/legends`)
      await follow(page, [/^Buy Legends/], page.getByRole('button', { name: /^Pay/ }))
    },
  },
  screen('shop'),
  screen('collection'),
  screen('card', ({ card }) => card),
  screen('sets'),
  screen('locker', ({ other }) => `/fans/${other}/locker`),
  {
    name: 'locker-page',
    open: (page, { api, other }) => page.goto(`${api}/lockers/${other}`),
  },
  screen('trades'),
  screen('trade', ({ tradeId }) => `/trades/${tradeId}`),
  screen('quests'),
  screen('leaderboard'),
  screen('leagues'),
  screen('division'),
  screen('inbox'),
  screen('fan', ({ other }) => `/fans/${other}`),
  screen('feed'),
  screen('points'),
  screen('profile'),
  screen('sessions'),
]
