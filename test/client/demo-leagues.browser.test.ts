/** Leagues in the example app: creating one, joining by code and by link, the table, and what its owner changes. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import type { Database } from '../../db/index.ts'
import { createCursors } from '../../src/core/pagination.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { createLeague, joinLeague } from '../../src/play/leagues/leagues.ts'
import { findAny } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { isRead, PHONE, useDemo } from '../support/demo.ts'
import { expectCount } from '../support/expect-texts.ts'
import { waitUntil } from '../support/wait-until.ts'

const title = noBrowser ? `Leagues in the example app (skipped: ${noBrowser})` : 'Leagues in the example app'

/** Of the mock provider. */
const [OWNER, FRIEND, STRANGER, PLAYER] = [17, 18, 19, 20]
const CROWD = 70
const BIG = 'The whole stand'
const DUELS = 'Duels'
const PROVIDER = { provider: 'mock-idp' }

/** A league of more members than a page shows, whose code `codeOf` reads, and one of three that play head to head. */
async function prepare(db: Database) {
  const cursors = createCursors('secret of a test')
  const counting = { scoring: 'points', from: 'join' } as const
  for (const [name, format, count] of [
    [BIG, 'table', CROWD],
    [DUELS, 'head_to_head', 3],
  ] as const) {
    let code = ''
    for (let nth = 0; nth < count; nth++)
      await db.write(async tx => {
        const subject = { ...PROVIDER, subject: `crowd-${nth}` }
        const { user } = await ensureUser(tx, subject)
        const caller = { ...subject, userId: user.id, isNew: false }
        const league = { ...counting, name, format }
        if (nth === 0) code = (await createLeague(tx, cursors, caller, league)).code ?? ''
        else await joinLeague(tx, cursors, caller, { code })
      })
  }
}

async function codeOf(db: Database, name: string): Promise<string> {
  const { leagues } = db.tables
  const [league] = await db.read.select().from(leagues).where(eq(leagues.name, name))
  return league?.code ?? ''
}

/** One round of four members that is closed, 7 to 3 in each pair, and one that is played. */
async function playRounds(db: Database) {
  const { leagues, leagueRounds, leaguePairs } = db.tables
  const [league] = await db.read.select().from(leagues).where(eq(leagues.name, DUELS))
  const leagueId = league?.id ?? ''
  const day = (days: number) => new Date(Date.now() + days * 86_400_000)
  const pair = { leagueId, homePoints: null, awayPoints: null }
  await db.write(async tx => {
    await tx.insert(leagueRounds).values([
      { leagueId, number: 1, week: '2026-W01', startsAt: day(-9), endsAt: day(-2), closedAt: day(-1) },
      { leagueId, number: 2, week: '2026-W02', startsAt: day(-2), endsAt: day(5) },
    ])
    await tx.insert(leaguePairs).values([
      { ...pair, round: 1, position: 0, home: 1, away: 4, homePoints: 7, awayPoints: 3 },
      { ...pair, round: 1, position: 1, home: 2, away: 3, homePoints: 7, awayPoints: 3 },
      { ...pair, round: 2, position: 0, home: 4, away: 2 },
      { ...pair, round: 2, position: 1, home: 1, away: 3 },
    ])
  })
}

const WIDE = { width: 1440, height: 900 }
const LOOKS = [
  ['ar', PHONE, 'light'],
  ['ar', WIDE, 'dark'],
  ['pt', PHONE, 'dark'],
  ['pt-BR', WIDE, 'light'],
] as const

const isWide = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

async function check(page: Page, name: string) {
  await isRead(page)
  expect(await findAny(page)).toEqual([])
  expect(await isWide(page)).toBe(false)
  await takeScreenshot(page, `demo-leagues-${name}`, { fullPage: true })
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(prepare)

  const writeProfile = async (page: Page, profile: object) => {
    const headers = {
      authorization: `Bearer ${await demo.readToken(page)}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify(profile)
    const response = await fetch(`${demo.origin}/api/user/profile`, { method: 'POST', headers, body })
    expect([200, 201]).toContain(response.status)
  }
  /** Makes the fan a member of automatic leagues. */
  const joinBoards = async (page: Page) => {
    const headers = { authorization: `Bearer ${await demo.readToken(page)}` }
    const url = `${demo.origin}/api/user/leaderboard-membership`
    expect((await fetch(url, { method: 'PUT', headers })).status).toBe(204)
  }
  const forgetSession = (page: Page) => page.evaluate(() => localStorage.clear())
  const codeOn = async (page: Page) => (await page.locator('.invite > code').textContent()) ?? ''

  test(
    'a fan creates a league, a friend joins by its link, and the owner locks it, bans the friend and lifts the ban',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, OWNER)
      await writeProfile(page, { handle: 'league_owner', displayName: 'Ola Owner' })
      await page
        .getByRole('navigation', { name: 'Shortcuts' })
        .getByRole('link', { name: 'Leagues' })
        .press('Enter')
      await page.getByText('You are in no league yet.').waitFor()
      await check(page, 'empty')
      await page.getByLabel('Name').fill('Office league')
      await page.getByRole('button', { name: 'Predictions only' }).press('Enter')
      await page.getByRole('button', { name: 'From the start' }).press('Enter')
      await page.getByRole('button', { name: 'Create the league' }).press('Enter')
      await page.getByRole('heading', { name: 'Office league' }).waitFor()
      await page.getByText('Predictions since the league began · 1 member').waitFor()
      const code = await codeOn(page)
      expect(code).toMatch(/^\w{4}-\w{4}$/)
      await check(page, 'owner')
      const address = page.url()

      await forgetSession(page)
      await page.goto(`${demo.origin}/demo/league/${code}`)
      await demo.signIn(page, FRIEND)
      await page.getByRole('heading', { name: 'You are invited to a league' }).waitFor()
      await writeProfile(page, { handle: 'league_friend', displayName: 'Fay Friend' })
      await check(page, 'invited')
      await page.getByRole('button', { name: 'Join', exact: true }).press('Enter')
      await page.getByRole('heading', { name: 'Office league' }).waitFor()
      await page.getByText('2 members').waitFor()
      expect(await page.getByText('Manage the league').count()).toBe(0)
      await page.getByText('Report', { exact: true }).click()
      await page.getByRole('button', { name: 'Send the report' }).press('Enter')
      await page.getByText('Thank you. The club will look at it.').waitFor()
      await check(page, 'member')
      await page.goto(`${demo.origin}/demo/league/${code.toLowerCase().replace('-', '')}`)
      await page.getByText('You are a member of this league.').waitFor()

      await forgetSession(page)
      await page.goto(address)
      await demo.signIn(page, OWNER)
      await page.getByRole('button', { name: 'Lock the league' }).press('Enter')
      await page.getByText('The league is locked: nobody can join.').waitFor()
      await page.getByRole('button', { name: 'Unlock the league' }).press('Enter')
      await page.locator('.invite > code').waitFor()
      await page.getByRole('button', { name: 'Replace the code' }).press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Replace the code' }).press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      // The league is read again after the dialog has closed.
      const replaced = await waitUntil('another code', async () => {
        const shown = await codeOn(page)
        return shown !== code && shown
      })
      await page.getByRole('button', { name: 'Change the membership of Fay Friend' }).press('Enter')
      await page.getByRole('radio', { name: /^Ban/ }).check()
      await check(page, 'ban')
      await page.getByRole('dialog').getByRole('button', { name: 'Ban' }).press('Enter')
      await page.getByText('Fay Friend is banned.').waitFor()
      await page.getByText('1 member').waitFor()
      await page.getByLabel('Handle of the fan').fill('@league_friend')
      await page.getByRole('button', { name: 'End a ban' }).press('Enter')
      await page.getByText('The fan can join again.').waitFor()

      await forgetSession(page)
      await page.goto(`${demo.origin}/demo/leagues`)
      await demo.signIn(page, FRIEND)
      await page.getByLabel('Code of the league').fill(code)
      await page.getByRole('button', { name: 'Join', exact: true }).press('Enter')
      await page.getByText('We do not know this code. Check it, then try again.').waitFor()
      await page.getByLabel('Code of the league').fill(replaced)
      await page.getByRole('button', { name: 'Join', exact: true }).press('Enter')
      await page.getByText('2 members').waitFor()
      await page.getByRole('button', { name: 'Leave the league' }).press('Enter')
      await page.getByRole('dialog').getByRole('button', { name: 'Leave the league' }).press('Enter')
      await page.getByText('You are in no league yet.').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'head to head, a fan sees the opponent of the week and past results, in each language, wide and dark',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, PLAYER)
      await page.goto(`${demo.origin}/demo/leagues`)
      await page.getByLabel('Code of the league').fill(await codeOf(demo.db, DUELS))
      await page.getByRole('button', { name: 'Join', exact: true }).press('Enter')
      await page.getByText('The first round begins with the next week.').waitFor()
      await check(page, 'no-rounds')
      await writeProfile(page, { handle: 'league_player', displayName: 'Pia Player' })
      await playRounds(demo.db)
      await page.reload()
      await page.getByRole('heading', { name: 'Round 2' }).waitFor()
      const rounds = page.locator('.league-round')
      await rounds.nth(0).locator('.own').getByText('Pia Player').waitFor()
      expect(await rounds.nth(0).locator('.own .league-score').textContent()).toBe('v')
      expect(await rounds.nth(1).locator('.own .league-score').textContent()).toMatch(/^7 : 3$|^3 : 7$/)
      await rounds.nth(1).getByText('All 2 pairs').press('Enter')
      expect(await rounds.nth(1).getByRole('listitem').count()).toBe(2)
      await check(page, 'rounds')
      const { pathname } = new URL(page.url())
      for (const [lang, viewport, colorScheme] of LOOKS) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        await page.goto(`${demo.origin}${pathname}?lang=${lang}`)
        await page.locator('main .league-round').first().waitFor()
        await check(page, `rounds-${lang}-${viewport.width}`)
      }
      await page.route('**/rounds?*', route => route.abort())
      await page.goto(`${demo.origin}${pathname}?lang=en`)
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a league of many members is shown in pages, with the row of the fan below, in each language, wide and dark',
    async () => {
      const code = await codeOf(demo.db, BIG)
      const page = await demo.visit()
      await demo.signIn(page, STRANGER)
      await page.goto(`${demo.origin}/demo/league/${code}`)
      await page.getByRole('button', { name: 'Join', exact: true }).press('Enter')
      await page.getByText(`${CROWD + 1} members`).waitFor()
      const rows = page.getByRole('list').first().getByRole('listitem')
      await expectCount(rows, 50)
      await page.locator('.own-rank').getByText('You', { exact: true }).waitFor()
      await check(page, 'many')
      await page.getByRole('button', { name: 'Show more' }).press('Enter')
      await page.locator('.own-rank').waitFor({ state: 'detached' })
      await expectCount(rows, CROWD + 1)
      const { pathname } = new URL(page.url())
      await page.goto(`${demo.origin}/demo/leagues`)
      await page.getByText('Choose a favourite team or a country in your profile').waitFor()
      await writeProfile(page, { handle: 'league_stranger', displayName: 'Sam Stranger', country: 'BR' })
      await joinBoards(page)
      await page.reload()
      await page.getByRole('link', { name: 'Brazil' }).press('Enter')
      await page.getByText('All points of the fans of the country · 1 member').waitFor()
      expect(await page.getByRole('button', { name: 'Leave the league' }).count()).toBe(0)
      await check(page, 'automatic')
      const automatic = new URL(page.url()).pathname
      for (const [lang, viewport, colorScheme] of LOOKS) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        for (const [name, path] of Object.entries({ list: '/demo/leagues', table: pathname, automatic })) {
          await page.goto(`${demo.origin}${path}?lang=${lang}`)
          await page.locator('main .board').first().waitFor()
          await check(page, `${name}-${lang}-${viewport.width}`)
        }
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
