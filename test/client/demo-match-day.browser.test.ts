/** Matches and quests in the example app, as a fan uses them on a phone. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { competitionKind } from '../../src/club/competitions/competition-kind.ts'
import { upsertMatch } from '../../src/club/matches/match-kind.ts'
import { exampleQuest } from '../../src/play/quests/schema.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { PHONE, useDemo } from '../support/demo.ts'

const HOUR_MS = 3_600_000
const overloaded = { code: 'overloaded', detail: 'Of the server.', requestId: 'r', status: 503 }
const title = noBrowser
  ? `Match day in the example app (skipped: ${noBrowser})`
  : 'Match day in the example app'

/** A match that was played, one that is about to begin, and one that a test starts. */
const drawMatches = (now: number) => {
  const season = { competition: 'Summer Cup', season: '2026/27', round: 'Round 12' }
  const kickoffIn = (hours: number) => ({ kickoffAt: new Date(now + hours * HOUR_MS).toISOString() })
  return [
    {
      ...{ id: 'played', homeTeamId: 'porto-sereno', awayTeamId: 'drakenfels-sv', ...season },
      ...{ ...kickoffIn(-3), status: 'finished' as const, homeScore: 2, awayScore: 2 },
    },
    { id: 'next', homeTeamId: 'harbour-city', awayTeamId: 'ashbourne-rovers', ...season, ...kickoffIn(4) },
    { id: 'early', homeTeamId: 'bellavista-cf', awayTeamId: 'vila-do-sol', ...season, ...kickoffIn(5) },
  ]
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(async db => {
    for (const match of drawMatches(Date.now())) await db.write(tx => upsertMatch(tx, match))
  })

  /** Opens the page of the matches. */
  async function openMatches(page: Page, fan: number): Promise<void> {
    await demo.signIn(page, fan)
    await demo.open(page, 'Matches')
  }

  test.each(['light', 'dark'] as const)(
    'a fan predicts the next match by keyboard, changes it, and sees a result (%s)',
    async colorScheme => {
      const page = await demo.visit({ colorScheme })
      await openMatches(page, colorScheme === 'light' ? 7 : 14)
      const played = page
        .getByRole('listitem')
        .filter({ hasText: /Summer Cup.*AC Porto Sereno.*2 – 2.*SV Drakenfels/ })
      await played.getByText('You have not predicted this match.').waitFor()
      expect(await played.getByRole('spinbutton').count()).toBe(0)

      const next = page.getByRole('listitem').filter({ hasText: /Summer Cup.*Ashbourne Rovers/ })
      const away = next.getByRole('spinbutton', { name: 'Ashbourne Rovers' })
      await next.getByRole('spinbutton', { name: 'Harbour City FC' }).focus()
      await page.keyboard.type('3')
      await page.keyboard.press('Tab')
      await page.keyboard.type('1')
      await page.keyboard.press('Enter')
      await next.getByText('Your prediction: 3 – 1').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-matches-${colorScheme}`)

      await page.reload()
      await demo.open(page, 'Matches')
      await next.getByText('Your prediction: 3 – 1').waitFor()
      await away.fill('2')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await next.getByText('Your prediction: 3 – 2').waitFor()
      expect(await away.inputValue()).toBe('2')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each(['light', 'dark'] as const)(
    'a fan puts the joker of a season on a match, and sees until when and how many are left (%s)',
    async colorScheme => {
      const page = await demo.visit({ colorScheme })
      const [round, cup] = [`Round ${colorScheme}`, `cup-${colorScheme}`]
      const of = { competition: cup, season: '2026/27', round }
      const kickoffAt = new Date(Date.now() + HOUR_MS).toISOString()
      const teams = [
        { homeTeamId: 'harbour-city', awayTeamId: 'vila-do-sol' },
        { homeTeamId: 'porto-sereno', awayTeamId: 'bellavista-cf' },
      ]
      const matches = teams.map((pair, nth) => ({ id: `${cup}-${nth}`, ...pair, ...of, kickoffAt }))
      await demo.db.write(async tx => {
        await competitionKind.upsert(tx, {
          ...{ id: cup, name: `Cup ${colorScheme}`, deadline: 'round', joker: 1, crowd: true },
          points: { exact: 40, difference: 20, outcome: 10 },
        })
        for (const match of matches) await upsertMatch(tx, match)
      })
      await openMatches(page, colorScheme === 'light' ? 8 : 15)
      const cards = page.getByRole('listitem').filter({ hasText: `Cup ${colorScheme}` })
      const [first, second] = [
        cards.filter({ hasText: 'Vila do Sol' }),
        cards.filter({ hasText: 'Bellavista' }),
      ]
      const write = async (card: typeof first, home: string, away: string) => {
        await card.getByRole('spinbutton').first().fill(home)
        await card.getByRole('spinbutton').last().fill(away)
        await card.getByRole('button', { name: /prediction|^Predict/ }).click()
      }
      await first.getByText('1 of 1 left').waitFor()
      await first.getByText(/^Open until /).waitFor()
      await first.getByRole('checkbox').check()
      await write(first, '2', '0')
      await first.getByText('Your prediction: 2 – 0, with joker').waitFor()
      await second.getByText('0 of 1 left').waitFor()
      expect(await second.getByRole('checkbox').isDisabled()).toBe(true)
      await write(second, '0', '1')
      await second.getByText('Your prediction: 0 – 1').waitFor()
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
      await takeScreenshot(page, `demo-joker-${colorScheme}`)
      // The list shows the next matches only: those of other tests come later.
      await demo.db.write(async tx => {
        for (const match of matches) await upsertMatch(tx, { ...match, active: false })
      })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'seeded fans see points of their predictions and progress of quests, and a new fan sees that no quest is started',
    async () => {
      const page = await demo.visit()
      await openMatches(page, 3)
      await page
        .getByText(/^Your prediction: \d – \d, \d+ points(,|$)/)
        .first()
        .waitFor()
      // Of the cup, in which one of two fans has chosen the away win: (10 + 5) × 2.
      const doubled = page.getByRole('listitem').filter({ hasText: 'doubled by the joker' })
      await doubled
        .getByText('Your prediction: 0 – 2, 30 points, 10 of them because few fans chose it, doubled')
        .waitFor()
      const outcomes = await doubled.getByRole('term').all()
      const boxes = await Promise.all(outcomes.map(one => one.boundingBox()))
      expect(boxes).toHaveLength(3)
      expect(new Set(boxes.map(box => box?.y)).size).toBe(1)
      await demo.open(page, 'You')
      await page.getByRole('button', { name: 'Sign out' }).press('Enter')
      await demo.signIn(page, 6)
      await demo.open(page, 'Quests')
      const begun = page.getByRole('list').first().getByRole('listitem')
      await begun.filter({ hasText: 'Something for nothing' }).getByRole('button').waitFor()
      await begun
        .filter({ hasText: 'Reward hunter' })
        .getByLabel(/^rewards: [1-5] of 6$/)
        .waitFor()
      await demo.open(page, 'You')
      await page.getByRole('button', { name: 'Sign out' }).press('Enter')
      await demo.signIn(page, 12)
      await demo.open(page, 'Quests')
      await page.getByText('You have not begun a quest.').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a goal appears without a reload, with what the prediction gives at this score, and predictions of the match close',
    async () => {
      const page = await demo.visit()
      const cup = { competition: 'Winter Cup', season: '2026/27', round: null }
      const match = { id: 'live', homeTeamId: 'ashbourne-rovers', awayTeamId: 'vila-do-sol', ...cup }
      const kickoffAt = new Date(Date.now() + HOUR_MS).toISOString()
      await demo.db.write(tx => upsertMatch(tx, { ...match, kickoffAt }))
      await openMatches(page, 13)
      const shown = page.getByRole('listitem').filter({ hasText: /Winter Cup/ })
      await shown.getByRole('spinbutton').first().fill('1')
      await shown.getByRole('spinbutton').last().fill('0')
      await shown.getByRole('button', { name: /^Predict/ }).click()
      await shown.getByText('Your prediction: 1 – 0', { exact: true }).waitFor()
      const goal = { status: 'live' as const, homeScore: 1, awayScore: 0, revision: 2 }
      await demo.db.write(tx => upsertMatch(tx, { ...match, kickoffAt, ...goal }))
      await shown.getByText(/^Your prediction: 1 – 0, [1-9]\d* points if it ends like this$/).waitFor()
      expect(await shown.getByRole('button').count()).toBe(0)
      const second = { ...goal, awayScore: 3, revision: 3 }
      await demo.db.write(tx => upsertMatch(tx, { ...match, kickoffAt, ...second }))
      await shown.getByText('Your prediction: 1 – 0, 0 points if it ends like this').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a prediction after kick-off is refused with the reason',
    async () => {
      const page = await demo.visit()
      // The kick-off has not reached the page yet.
      await page.route('**/api/stream?*', route => route.abort())
      await openMatches(page, 8)
      const early = page.getByRole('listitem').filter({ hasText: /Summer Cup.*Bellavista CF/ })
      await early.getByRole('spinbutton').first().fill('1')
      await early.getByRole('spinbutton').last().fill('0')
      const match = drawMatches(Date.now()).find(({ id }) => id === 'early')
      if (!match) throw new Error('the match is not in the list')
      const live = { ...match, status: 'live' as const, homeScore: 0, awayScore: 0, revision: 2 }
      await demo.db.write(tx => upsertMatch(tx, live))
      await early.getByRole('button', { name: /^Predict/ }).press('Enter')
      expect(await page.getByRole('alert').textContent()).toContain('are closed')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan checks in by the typed code, the link of the QR code and the camera, and a wrong code is refused in words',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 15)
      const soon = { id: 'gate', homeTeamId: 'harbour-city', awayTeamId: 'vila-do-sol', season: '2026/27' }
      const kickoffAt = new Date(Date.now() + HOUR_MS).toISOString()
      await demo.db.write(tx => upsertMatch(tx, { ...soon, competition: 'Summer Cup', kickoffAt }))
      await demo.open(page, 'Matches')
      await page.getByRole('link', { name: 'Check in' }).press('Enter')
      const code = page.getByRole('textbox', { name: 'Code of the gate' })
      await code.fill('wrong')
      await page.getByRole('button', { name: 'Check in' }).press('Enter')
      await page.getByRole('alert').getByText('This code is no longer valid.').waitFor()
      expect(await page.getByRole('button', { name: 'Scan with the camera' }).count()).toBe(0)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-check-in')
      const sent: unknown[] = []
      await page.route('**/api/check-ins', route => {
        sent.push(route.request().postDataJSON().code)
        const json = { matchId: 'gate', checkedInAt: new Date().toISOString() }
        return route.fulfill({ status: 201, json })
      })
      await code.fill(' gate.4pV1 wQ0s ')
      await code.press('Enter')
      await page.getByText('You are checked in.').waitFor()

      // The link of the QR code, opened by the camera of the phone: also while the app is open.
      await page.goto(`${demo.origin}/demo/check-in#gate.first`)
      expect(await code.inputValue()).toBe('gate.first')
      await page.evaluate("location.hash = 'gate.second'")
      await page.getByRole('button', { name: 'Check in' }).press('Enter')
      await page.getByText('You are checked in.').waitFor()
      expect(sent).toEqual(['gate.4pV1wQ0s', 'gate.second'])
      expect(new URL(page.url()).hash).toBe('')

      // The camera of the app, in browsers that read QR codes.
      await page.addInitScript(`
        window.BarcodeDetector = class {
          static getSupportedFormats = async () => ['qr_code']
          detect = async () => [{ rawValue: location.origin + '/demo/check-in#gate.third' }]
        }
        window.tracks = []
        navigator.mediaDevices.getUserMedia = async () => {
          const canvas = document.createElement('canvas')
          canvas.getContext('2d').fillRect(0, 0, 100, 100)
          const stream = canvas.captureStream()
          tracks.push(...stream.getTracks())
          return stream
        }`)
      await page.reload()
      await page.getByRole('button', { name: 'Scan with the camera' }).press('Enter')
      await page.getByText('You are checked in.').waitFor()
      expect(sent.at(-1)).toBe('gate.third')
      expect(await page.evaluate<string[]>('tracks.map(({ readyState }) => readyState)')).toEqual(['ended'])
      await page.evaluate(`navigator.mediaDevices.getUserMedia = () => Promise.reject(new Error('refused'))`)
      await page.getByRole('main').getByRole('link', { name: 'Matches' }).press('Enter')
      await page.getByRole('link', { name: 'Check in' }).press('Enter')
      await page.getByRole('button', { name: 'Scan with the camera' }).press('Enter')
      await page.getByRole('alert').getByText('The camera cannot be used.').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the list of matches shows that it loads, has failed or is empty',
    async () => {
      const page = await demo.visit()
      const answered = Promise.withResolvers<void>()
      await page.route('**/api/matches?*', async route => {
        await answered.promise
        await route.fulfill({ status: 503, contentType: 'application/problem+json', json: overloaded })
      })
      await openMatches(page, 9)
      await page.getByText('Loading…').waitFor({ state: 'attached' })
      answered.resolve()
      await page.getByRole('alert').getByText('The server cannot do that right now.').waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.unroute('**/api/matches?*')
      await page.route('**/api/matches?*', route =>
        route.fulfill({ json: { matches: [], nextCursor: null } }),
      )
      await page.getByRole('button', { name: 'Try again' }).press('Enter')
      await page.getByText('No matches are planned.').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each(['light', 'dark'] as const)(
    'quests show progress and a streak at risk, or that there are none (%s)',
    async colorScheme => {
      const page = await demo.visit({ colorScheme })
      const streak = { current: 4, best: 6, atRiskUntil: '2026-11-23T00:00:00.000Z', graceLeft: 0 }
      const running = { ...exampleQuest, id: 'weekly', title: 'Every week', kind: 'streak', streak }
      const progress = [{ stepId: 'home-matches', count: 1, target: 2 }]
      const state = { state: 'in_progress', progress, completedAt: null }
      const locked = { ...exampleQuest, id: 'later', title: 'Later', completedAt: null, state: 'locked' }
      const quests = [{ ...running, ...state }, exampleQuest, locked]
      await page.route(/\/api\/quests(\?|$)/, route => route.fulfill({ json: { quests } }))
      await demo.signIn(page, colorScheme === 'light' ? 10 : 11)
      await demo.open(page, 'Quests')
      await page.getByText('4 in a row').first().waitFor()
      await page.getByLabel('home matches: 1 of 2').waitFor()
      await page.getByRole('button', { name: `Claim ${exampleQuest.title}` }).waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-quests-${colorScheme}`)

      quests.length = 0
      await demo.open(page, 'Home')
      await demo.open(page, 'Quests')
      await page.getByText('No quests at the moment.').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'without a stream, the app shows points and no error',
    async () => {
      const page = await demo.visit()
      const refused = Promise.withResolvers<void>()
      await page.route('**/api/stream?*', async route => {
        await route.fulfill({ status: 429, json: { code: 'too_many_streams' } })
        refused.resolve()
      })
      await demo.signIn(page, 13)
      await refused.promise
      await page.getByRole('button', { name: 'Join and get your first points' }).press('Enter')
      await page.getByTestId('points').getByText('100').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )
})
