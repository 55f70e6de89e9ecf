/** Each screen of the example app on narrow screens, in large type, from right to left, and as axe judges it. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { findAny } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { isRead, PHONE, useDemo } from '../support/demo.ts'
import { findHiddenTabs } from '../support/strips.ts'
import { matchScreens, SETTLED, settleRounds, writeMatches } from './layout-matches.ts'
import { LONG_MESSAGES, writeInbox } from './layout-messages.ts'

const title = noBrowser ? `Layout of the example app (skipped: ${noBrowser})` : 'Layout of the example app'

/** A fan who has points, rewards, cards and quests half way. */
const FAN = 6
/** As long as a name can be, and without a place to break it. */
const LONG_NAME = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternw'.slice(0, 50)

const SCREENS = {
  home: '',
  matches: '/matches',
  rewards: '/rewards',
  reward: '/rewards/home-shirt',
  'check-in': '/check-in#derby.kT0fVjQ9m2s6yq1nZxW3Ag',
  packs: '/packs',
  pack: '/packs/derby-day',
  collection: '/collection',
  sets: '/sets',
  locker: '/locker',
  arranging: '/locker/edit',
  trades: '/trades',
  quests: '/quests',
  leaderboard: '/leaderboard',
  leagues: '/leagues',
  division: '/division',
  invited: '/league/7Q2M-X9KD',
  inbox: '/inbox',
  feed: '/feed',
  points: '/points',
  profile: '/profile',
  invite: '/profile/invite',
  consents: '/profile/consents',
  membership: '/membership',
  wallet: '/wallet',
  shop: '/shop',
  cart: '/cart',
  orders: '/orders',
  sessions: '/sessions',
  following: '/profile/following',
  followers: '/profile/followers',
  mutes: '/profile/mutes',
  blocks: '/profile/blocks',
  privacy: '/profile/privacy',
  limits: '/profile/limits',
  sanctions: '/account/sanctions',
  delete: '/profile/delete',
  missing: '/nowhere',
}

/** Elements that are wider than the page, by class. */
const findWide = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth
    const wide = [...document.querySelectorAll('main *, .bar *')].filter(element => {
      const { left, right } = element.getBoundingClientRect()
      return right > width + 1 || left < -1
    })
    return document.documentElement.scrollWidth > width ? wide.map(element => element.outerHTML.slice(0, 120)) : []
  })()`)

/** Layout shifts of a page so far, as Cumulative Layout Shift counts them. */
const COUNT_SHIFTS = `
  window.shifted = 0
  new PerformanceObserver(list => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value
  }).observe({ type: 'layout-shift', buffered: true })`
const MAX_SHIFT = 0.05
/** As on a slow phone: what a screen shows while it loads is painted, and answers come one after another. */
const ANSWER_LATE = `
  let asked = 0
  const send = fetch
  window.fetch = async (...request) => {
    for (let frames = 2 * ++asked; frames > 0; frames--) await new Promise(requestAnimationFrame)
    return send(...request)
  }`

interface Look {
  label: string
  colorScheme: 'light' | 'dark'
  viewport: { width: number; height: number }
  dir: 'ltr' | 'rtl'
  size: string
  axe: boolean
}

const NARROW = { width: 320, height: 640 }
const DESKTOP = { width: 1280, height: 800 }
/** The desktop at 200 %. */
const ZOOMED = { width: 640, height: 400 }

/** A loaded page takes each: nothing of the app asks for its size but its styles. */
const LOOKS: Look[] = [
  { label: 'narrow', colorScheme: 'light', viewport: NARROW, dir: 'ltr', size: '100%', axe: true },
  { label: 'narrow, rtl', colorScheme: 'dark', viewport: NARROW, dir: 'rtl', size: '100%', axe: false },
  { label: 'phone at 200 %', colorScheme: 'light', viewport: PHONE, dir: 'ltr', size: '200%', axe: false },
  { label: 'desktop', colorScheme: 'dark', viewport: DESKTOP, dir: 'ltr', size: '100%', axe: true },
  {
    label: 'desktop at 200 %, rtl',
    colorScheme: 'light',
    viewport: ZOOMED,
    dir: 'rtl',
    size: '100%',
    axe: false,
  },
]

/** The results of `find` in each look. */
async function problemsOf(page: Page, name: string, find: (look: Look) => Promise<string[]>) {
  const problems: string[] = []
  for (const look of LOOKS) {
    const { label, colorScheme, viewport, dir, size } = look
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await page.evaluate(
      `document.documentElement.dir = '${dir}'; document.documentElement.style.fontSize = '${size}'`,
    )
    problems.push(...(await find(look)).map(problem => `${label}: ${problem}`))
    await takeScreenshot(page, `demo ${label} ${name}`.replaceAll(/\W+/g, '-'))
  }
  return problems
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(writeMatches)

  test(
    'no screen overflows: narrow or wide, in large type, from right to left; none shifts while it loads; and axe finds nothing',
    async () => {
      const page = await demo.visit()
      // Cards that are turning have less contrast.
      await page.emulateMedia({ reducedMotion: 'reduce' })
      expect(await problemsOf(page, 'welcome', () => findWide(page))).toEqual([])
      await demo.signIn(page, FAN)
      const headers = { authorization: `Bearer ${await demo.readToken(page)}` }
      const send = (method: string, path: string, body: object) =>
        fetch(`${demo.origin}${path}`, {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const post = (path: string, body: object) => send('POST', path, body)
      const profile = await post('/api/user/profile', { displayName: LONG_NAME })
      expect(profile.status).toBe(200)
      const { handle: own, id: userId } = (await profile.json()) as { handle: string | null; id: string }
      await writeInbox(demo.db, userId, LONG_MESSAGES)
      const purchase = await post('/api/packs/purchase', { packId: 'legends' })
      const { id } = (await purchase.json()) as { id: string }
      const bought = (await (await post('/api/packs/purchase', { packId: 'starter' })).json()) as {
        id: string
      }
      const paid = await send('PUT', '/api/packs/purchase', { purchaseId: bought.id })
      const { userPack } = (await paid.json()) as { userPack: { id: string } }
      const opened = { userPackId: userPack.id, clientSeed: '' }
      expect((await post('/api/packs/open', opened)).status).toBe(200)
      const board = await fetch(`${demo.origin}/api/leaderboard`)
      const { entries } = (await board.json()) as { entries: { handle: string | null }[] }
      const [other, blocked] = entries.flatMap(({ handle }) => (handle === own ? [] : (handle ?? [])))
      const relations = [`following/${other}`, `mutes/${other}`, `blocks/${blocked}`]
      for (const relation of relations)
        expect((await fetch(`${demo.origin}/api/user/${relation}`, { method: 'PUT', headers })).status).toBe(
          204,
        )
      const collection = await fetch(`${demo.origin}/api/user/collection`, { headers })
      const { items } = (await collection.json()) as { items: { id: string; serialNumbers: number[] }[] }
      const copies = items.map(item => ({ collectibleId: item.id, serialNumber: item.serialNumbers[0] }))
      const [copy] = copies
      const shelves = [{ title: LONG_NAME, items: copies.slice(0, 12) }]
      const locker = await send('PUT', '/api/user/locker', { title: LONG_NAME, theme: 'night', shelves })
      expect(locker.status).toBe(200)
      const trade = (await (await post('/api/trades', { to: other, give: [copy] })).json()) as { id: string }
      const league = { name: LONG_NAME, scoring: 'predictions', format: 'table', from: 'start' }
      const { id: leagueId } = (await (await post('/api/leagues', league)).json()) as { id: string }
      for (const round of SETTLED)
        expect((await send('PUT', `/api/questions/${round}/vote`, { optionId: 'home' })).status).toBe(200)
      await settleRounds(demo.db)
      const found: Record<string, string[]> = {}
      await page.addInitScript(COUNT_SHIFTS + ANSWER_LATE)
      for (const [name, path] of Object.entries({
        ...SCREENS,
        codes: '/codes',
        league: `/leagues/${leagueId}`,
        fan: `/fans/${other}`,
        blocked: `/fans/${blocked}`,
        purchase: `/packs/purchases/${id}`,
        shown: `/fans/${own}/locker`,
        offer: `/fans/${other}/trade`,
        trade: `/trades/${trade.id}`,
        card: `/cards/${copy?.collectibleId}/${copy?.serialNumber}`,
        cards: `/packs/own/${userPack.id}`,
        proof: `/packs/own/${userPack.id}/proof`,
        ...matchScreens,
      })) {
        await page.setViewportSize(PHONE)
        await page.goto(`${demo.origin}/demo${path}`)
        await page.locator('main h1').first().waitFor()
        await isRead(page)
        const shift = await page.evaluate<number>('window.shifted')
        const problems = await problemsOf(page, name, async ({ axe }) => [
          ...(await findWide(page)),
          ...(await findHiddenTabs(page)),
          ...(axe ? await findAny(page) : []),
        ])
        if (shift > MAX_SHIFT) problems.push(`shifts by ${shift.toFixed(3)}`)
        if (problems.length > 0) found[name] = problems
      }
      expect(found).toEqual({})
    },
    BROWSER_TIMEOUT_MS,
  )
})
