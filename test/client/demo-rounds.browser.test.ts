/** Live rounds in the example app: votes by tap and keyboard, results by the stream, and a score that stays in view. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Database } from '../../db/index.ts'
import { players } from '../../scripts/seed/demo-players.ts'
import { competitionKind } from '../../src/club/competitions/competition-kind.ts'
import { upsertMatch } from '../../src/club/matches/match-kind.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { answerQuestion, closeQuestion } from '../../src/play/questions/change.ts'
import { questionKind } from '../../src/play/questions/question-kind.ts'
import { writeVote } from '../../src/play/questions/vote.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { PHONE, useDemo } from '../support/demo.ts'
import { expectCount } from '../support/expect-texts.ts'

const title = noBrowser
  ? `Live rounds in the example app (skipped: ${noBrowser})`
  : 'Live rounds in the example app'
const MATCH = 'final'
const MINUTE = 60_000
const NARROW = { width: 320, height: 640 }

type Entry = Parameters<typeof questionKind.upsert>[1]

/** Open for an hour; `members` state the rest. */
async function ask(db: Database, id: string, members: Partial<Entry> = {}) {
  const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString()
  await db.write(tx =>
    questionKind.upsert(tx, {
      id,
      kind: 'prediction',
      matchId: MATCH,
      title: 'Who scores next?',
      options: [
        { id: 'home', text: { en: 'Harbour City', ar: 'هاربر سيتي' } },
        { id: 'away', text: { en: 'Ashbourne Rovers', ar: 'أشبورن روفرز' } },
      ],
      opensAt: at(-1),
      closesAt: at(60),
      results: 'live',
      ...members,
    }),
  )
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(async db => {
    const match = { competition: 'Cup', season: '2026/27', round: 'Final' }
    const teams = { homeTeamId: 'harbour-city', awayTeamId: 'ashbourne-rovers' }
    const kickoffAt = new Date(Date.now() - 30 * MINUTE).toISOString()
    const score = { status: 'live' as const, homeScore: 2, awayScore: 1, revision: 2 }
    for (const id of [MATCH, 'quiet'])
      await db.write(tx => upsertMatch(tx, { id, ...match, ...teams, kickoffAt, ...score }))
  })

  /** Of another fan, by the verb. */
  const voteAs = (name: string, questionId: string, choice: { optionId: string } | { rating: number }) =>
    demo.db.write(async tx => {
      const caller = { provider: 'mock-idp', subject: `voter-${name}` }
      const { user } = await ensureUser(tx, caller)
      await writeVote(tx, { ...caller, userId: user.id, isNew: false }, questionId, choice)
    })

  async function openMatch(page: Page, fan: number, id = MATCH) {
    await demo.signIn(page, fan)
    await page.goto(`${demo.origin}/demo/matches/${id}`)
    await page.getByText('2 – 1').waitFor()
  }

  const sheetOf = (page: Page, name: string) => page.getByRole('region', { name })

  /** The score is above the sheet, and both are on the screen. */
  async function expectScoreInView(page: Page) {
    const [score, sheet] = [
      await page.locator('.score').boundingBox(),
      await page.locator('.sheet').boundingBox(),
    ]
    const { height = 0 } = page.viewportSize() ?? {}
    expect(score).not.toBeNull()
    expect(score?.y).toBeGreaterThanOrEqual(0)
    expect((score?.y ?? 0) + (score?.height ?? 0)).toBeLessThanOrEqual((sheet?.y ?? 0) + 1)
    expect(sheet?.y).toBeLessThan(height)
  }

  test.each([
    ['light', PHONE],
    ['dark', NARROW],
  ] as const)(
    'a fan answers by keyboard, sees votes of others arrive, and the close with its answer (%s)',
    async (colorScheme, viewport) => {
      const id = `next-goal-${colorScheme}`
      await ask(demo.db, id, {
        title: `Who scores next (${colorScheme})?`,
        points: 20,
        sponsorId: 'tideline-ferries',
      })
      const page = await demo.visit({ colorScheme, viewport })
      await openMatch(page, colorScheme === 'light' ? 1 : 2)
      await page.getByRole('button', { name: `Who scores next (${colorScheme})?` }).press('Enter')
      const sheet = sheetOf(page, `Who scores next (${colorScheme})?`)
      await sheet.getByText('20 points for the right answer').waitFor()
      await sheet.getByText('Presented by').waitFor()
      await sheet.getByRole('link', { name: 'Tideline Ferries' }).waitFor()
      await expectScoreInView(page)
      // The heading has the focus; the close button, the sponsor and the options follow.
      await sheet.getByRole('button', { name: 'Harbour City' }).waitFor()
      const focused = () => page.evaluate<string>(`document.activeElement.textContent`)
      while (!(await focused()).startsWith('Harbour City')) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await sheet.getByText('Your vote counts.').waitFor()
      await sheet.getByText('100%').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-round-${colorScheme}`)

      const requests: string[] = []
      page.on('request', request => requests.push(new URL(request.url()).pathname))
      await voteAs('one', id, { optionId: 'away' })
      await sheet.getByText('50%').first().waitFor()
      await sheet.getByText('2 votes').waitFor()
      await voteAs('two', id, { optionId: 'away' })
      await demo.db.write(tx => closeQuestion(tx, id))
      await demo.db.write(tx => answerQuestion(tx, id, 'home'))
      await sheet.getByText('You were right: 20 points.').waitFor()
      await sheet.getByText('3 votes').waitFor()
      await sheet.getByText('33%').waitFor()
      // Nobody asks again at the close.
      expect(requests.filter(path => path === '/api/questions')).toEqual([])
      await expectScoreInView(page)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'detached' })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the player of the match is chosen among faces, and a rating by stars, each until it closes',
    async () => {
      const id = 'player-of-final'
      await ask(demo.db, id, {
        kind: 'player',
        title: 'Player of the final',
        options: { team: 'harbour-city' },
        changeable: true,
        results: 'after_vote',
      })
      await ask(demo.db, 'rating-of-final', {
        kind: 'rating',
        title: 'Rate the final',
        options: { scale: 5 },
        results: 'after_close',
      })
      await voteAs('one', 'rating-of-final', { rating: 3 })
      const page = await demo.visit()
      await openMatch(page, 4)
      await page.getByRole('button', { name: 'Player of the final' }).press('Enter')
      const sheet = sheetOf(page, 'Player of the final')
      const team = players.filter(({ entry }) => entry.teamId === 'harbour-city')
      const faces = sheet.locator('img.answer-face')
      await expectCount(faces, team.length)
      const [first, second] = team.map(({ entry }) => entry.name)
      await sheet.getByRole('button', { name: first ?? '' }).click()
      await sheet.getByText('You can change it until it closes.').waitFor()
      await sheet.getByRole('button', { name: second ?? '' }).click()
      await sheet.getByRole('button', { name: second ?? '', pressed: true }).waitFor()
      await sheet.getByText('1 vote', { exact: true }).waitFor()
      await takeScreenshot(page, 'demo-round-players')
      expect(await findSerious(page)).toEqual([])

      await page.getByRole('button', { name: 'Rate the final' }).press('Enter')
      const rating = sheetOf(page, 'Rate the final')
      await rating.getByRole('button', { name: '4 of 5' }).click()
      await rating.getByText('The results are shown when it closes.').waitFor()
      expect(await rating.getByText('%').count()).toBe(0)
      await demo.db.write(tx => closeQuestion(tx, 'rating-of-final'))
      await rating.getByText('3.5 of 5').waitFor()
      await takeScreenshot(page, 'demo-round-rating')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a round that opens shows itself, is right to left in Arabic, and moves nothing if the fan wants no motion',
    async () => {
      const id = 'prepared'
      const at = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString()
      await ask(demo.db, id, { matchId: 'quiet', opensAt: at(30), title: { en: 'Prepared', ar: 'من يسجل؟' } })
      const page = await demo.visit({ viewport: NARROW }, '?lang=ar')
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.getByRole('button').first().click()
      await demo.chooseFan(page, 5)
      await page.getByRole('navigation').first().waitFor()
      await page.goto(`${demo.origin}/demo/matches/quiet?lang=ar`)
      await page.getByRole('button', { name: 'من يسجل؟' }).waitFor()
      expect(await page.locator('.sheet').count()).toBe(0)
      await demo.db.write(tx =>
        questionKind.upsert(tx, {
          ...{ id, kind: 'prediction', matchId: 'quiet', title: { en: 'Prepared', ar: 'من يسجل؟' } },
          options: [
            { id: 'home', text: { en: 'Harbour City', ar: 'هاربر سيتي' } },
            { id: 'away', text: { en: 'Ashbourne Rovers', ar: 'أشبورن روفرز' } },
          ],
          opensAt: at(-1),
          closesAt: at(60),
          results: 'live',
        }),
      )
      const sheet = sheetOf(page, 'من يسجل؟')
      await sheet.getByRole('button', { name: 'هاربر سيتي' }).click()
      await sheet.getByText('صوتك محسوب.').waitFor()
      expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
      const names = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.sheet, .share-bar span')].map(of => getComputedStyle(of).animationName)`,
      )
      expect(new Set(names)).toEqual(new Set(['none']))
      await expectScoreInView(page)
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width)
      await takeScreenshot(page, 'demo-round-ar')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a match without rounds says so, a refused vote says why, and a failed read can be repeated',
    async () => {
      const empty = 'without-rounds'
      const kickoffAt = new Date(Date.now() - 30 * MINUTE).toISOString()
      await demo.db.write(async tx => {
        const cup = { id: 'city-cup', name: 'City Cup', points: { exact: 3, difference: 2, outcome: 1 } }
        await competitionKind.upsert(tx, { ...cup, deadline: 'match' })
        await upsertMatch(tx, {
          ...{ id: empty, competition: cup.id, season: '2026/27', round: null, kickoffAt, revision: 2 },
          ...{
            homeTeamId: 'porto-sereno',
            awayTeamId: 'vila-do-sol',
            status: 'live',
            homeScore: 2,
            awayScore: 1,
          },
        })
      })
      const page = await demo.visit()
      await openMatch(page, 6, empty)
      await page.getByText('City Cup', { exact: true }).waitFor()
      await page.getByText('There are no live rounds in this match yet.').waitFor()
      await ask(demo.db, 'late', { title: 'Too late?' })
      await page.route('**/api/questions?*', route => route.abort())
      await page.goto(`${demo.origin}/demo/matches/${MATCH}`)
      await page.getByRole('alert').waitFor()
      await page.unroute('**/api/questions?*')
      await page.getByRole('button', { name: 'Try again' }).press('Enter')
      await page.getByRole('button', { name: 'Too late?' }).press('Enter')
      // The close has not reached the page yet.
      await page.route('**/api/questions/late/vote*', async route => {
        await demo.db.write(tx => closeQuestion(tx, 'late'))
        await route.continue()
      })
      await sheetOf(page, 'Too late?').getByRole('button', { name: 'Harbour City' }).click()
      await page.getByText('You can no longer vote in this question, or not yet.').waitFor()
      await sheetOf(page, 'Too late?').getByText('You did not vote.').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )
})
