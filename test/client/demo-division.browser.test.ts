/** The division in the example app: nothing before the first points, then the table with who rises and who falls. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import type { Database } from '../../db/index.ts'
import { enrol } from '../../src/economy/leaderboard/enrolment.ts'
import { appendEntry } from '../../src/economy/points/ledger.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { divisionKind } from '../../src/play/divisions/division-kind.ts'
import { findAny } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { isRead, PHONE, useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `Divisions in the example app (skipped: ${noBrowser})`
  : 'Divisions in the example app'

/** Of the mock provider. */
const FAN = 21
const OTHERS = 9
const LONG_NAME = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternw'.slice(0, 50)

/** A division before that of the seed, with other fans in its table. The last of them has a name that breaks nowhere. */
async function prepare(db: Database) {
  const levels = [
    { id: 'bronze', name: { en: 'Bronze', ar: 'برونزي' }, up: 3 },
    { id: 'silver', name: 'Silver', up: 3, down: 2 },
    { id: 'gold', name: 'Gold', down: 2 },
  ]
  const name = { en: 'Autumn division', pt: 'Divisão de outono', ar: 'درجة الخريف' }
  await db.write(tx => divisionKind.upsert(tx, { id: 'autumn', name, size: 10, levels }))
  for (let nth = 0; nth < OTHERS; nth++)
    await db.write(async tx => {
      const { user } = await ensureUser(tx, { provider: 'mock-idp', subject: `division-${nth}` })
      const { users } = tx.tables
      const shown = { handle: `division_${nth}`, displayName: nth === 0 ? LONG_NAME : `Fan ${nth}` }
      await tx.update(users).set(shown).where(eq(users.id, user.id))
      await enrol(tx, user.id, [])
      await appendEntry(tx, { userId: user.id, delta: 20 + nth * 20, reason: 'rule', ref: 'rule:source:1' })
    })
}

/** As if the fan had risen: of the level below, nobody falls. */
async function raise(db: Database, handle: string) {
  const { users, divisionPeriods: periods, divisionLevels: levels, divisionMembers: members } = db.tables
  await db.write(async tx => {
    const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.handle, handle))
    const isOf = eq(members.divisionId, 'autumn')
    const [period] = await tx.select().from(periods).where(eq(periods.divisionId, 'autumn'))
    if (!user || !period) throw new Error('the fan is in no table')
    const times = { startsAt: period.startsAt.toISOString(), endsAt: period.endsAt.toISOString() }
    const result = { outcome: 'promoted', level: 'bronze', toLevel: 'silver', rank: 2, points: 120, ...times }
    await tx.update(members).set({ level: 1 }).where(isOf)
    await tx.update(levels).set({ level: 1 }).where(eq(levels.divisionId, 'autumn'))
    await tx
      .update(members)
      .set({ result: JSON.stringify(result) })
      .where(eq(members.userId, user.id))
  })
}

const NARROW = { width: 320, height: 640 }
const LOOKS = [
  ['ar', NARROW, 'dark'],
  ['en', NARROW, 'light'],
  ['pt', PHONE, 'dark'],
  ['pt-BR', { width: 1440, height: 900 }, 'light'],
] as const

async function check(page: Page, name: string) {
  await isRead(page)
  expect(await findAny(page)).toEqual([])
  expect(
    await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
  ).toBe(false)
  await takeScreenshot(page, `demo-division-${name}`, { fullPage: true })
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(prepare)

  test(
    'a fan is in no table, earns points, and sees who rises and who falls, in each language, narrow and wide',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, FAN)
      const send = async (path: string, body: object) => {
        const headers = {
          authorization: `Bearer ${await demo.readToken(page)}`,
          'content-type': 'application/json',
        }
        const init = { method: 'POST', headers, body: JSON.stringify(body) }
        expect((await fetch(`${demo.origin}${path}`, init)).ok).toBe(true)
      }
      await page.goto(`${demo.origin}/demo/division`)
      await page.getByText('You are in no table at the moment.').waitFor()
      await check(page, 'empty')
      await page.goto(`${demo.origin}/demo/leagues`)
      await page.getByText('You are in no league yet.').waitFor()
      expect(await page.getByText('Your division').count()).toBe(0)

      await send('/api/user/profile', { handle: 'riser', displayName: 'Ria Riser' })
      await send('/api/user/onboarding', { joinLeaderboard: true })
      await page.reload()
      await page.getByRole('link', { name: 'Autumn division · Bronze' }).press('Enter')
      await page.getByRole('heading', { name: 'Autumn division' }).waitFor()
      await page.getByText('The first 3 rise to the next level.').waitFor()
      expect(await page.getByText('fall to the level below').count()).toBe(0)
      const rows = page.locator('.board > li')
      expect(await rows.count()).toBe(OTHERS + 1)
      await page.locator('.board > .mine').getByText('Ria Riser').waitFor()

      await raise(demo.db, 'riser')
      await page.reload()
      await page.getByText('You have risen to this level.').waitFor()
      await page.getByText('The last 2 fall to the level below.').waitFor()
      expect(await page.locator('.board > .zone-up').count()).toBe(3)
      expect(await page.locator('.board > .zone-down').count()).toBe(2)
      await check(page, 'table')
      for (const [lang, viewport, colorScheme] of LOOKS) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        for (const [name, path] of Object.entries({ table: 'division', list: 'leagues' })) {
          await page.goto(`${demo.origin}/demo/${path}?lang=${lang}`)
          await page.locator('main .board').first().waitFor()
          await check(page, `${name}-${lang}-${viewport.width}`)
        }
      }
      await page.route('**/api/user/division*', route => route.abort())
      await page.goto(`${demo.origin}/demo/division?lang=en`)
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )
})
