/** `/shared/packs/{id}` and `/shared/predictions/{matchId}/{handle}`: what everyone sees of what a fan shares. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import type { Privacy } from '../../../src/identity/relations/schema.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addPack, buy, expectStatus, FREE, open } from '../packs/packs-world.ts'
import { addCompetition, addMatch, predict, settleAll } from '../predictions/match-world.ts'

const PUBLIC_URL = 'https://api.club.example'
const APP_URL = 'https://app.club.example/'
const HOSTILE = `<script>alert(1)</script>"'`

async function get(world: World, path: string, headers: Record<string, string> = {}) {
  const response = await world.app.handle(new Request(`http://localhost${path}`, { headers }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The page and its picture are those of something that does not exist. */
async function expectMissing(world: World, path: string) {
  const unknown = await get(world, '/lockers/nobody_has_this')
  for (const one of [path, `${path}/picture.png`]) {
    const { status, text, headers } = await get(world, one)
    expect([status, text, headers.get('cache-control')]).toEqual([404, unknown.text, 'public, max-age=60'])
  }
}

async function expectPicture(world: World, path: string, text: string) {
  const address = `${PUBLIC_URL}${path}`
  expect(text).toContain(`<link rel="canonical" href="${address}">`)
  expect(text).toContain(`property="og:image" content="${address}/picture.png?v=`)
  const { status, headers } = await get(world, `${path}/picture.png`)
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
  const etag = headers.get('etag') ?? ''
  expect((await get(world, `${path}/picture.png`, { 'if-none-match': etag })).status).toBe(304)
}

const hide = (world: World, { id }: NamedFan) =>
  world.db.write(tx => recordDecision(tx, { fanId: id, kind: 'hide', reason: 'spam', decidedBy: 'Ana' }))

async function openedPack(world: World) {
  const fan = await namedFan(world)
  const packId = await addPack(world, { price: FREE, itemsPerPack: 2, weights: { common: 1_000_000 } })
  const { userPack } = await buy(fan, packId)
  const sealed = `/shared/packs/${userPack.id}`
  await expectMissing(world, sealed)
  const { items } = expectStatus(200, await open(fan, userPack.id))
  return { fan, packId, path: sealed, items }
}

onEachEngine(
  'The page of an opened pack',
  world => {
    test('shows its cards, its fan and a link to the app, with a picture', async () => {
      const { fan, path, items } = await openedPack(world)
      const { status, text, headers } = await get(world, path)
      expect([status, headers.get('vary')]).toEqual([200, 'Accept-Language, Accept-Encoding'])
      expect(text).toContain(`Name of ${fan.handle} opened`)
      for (const { serialNumber } of items) expect(text).toContain(`No. ${serialNumber}`)
      expect(text).toContain(`<a href="${APP_URL}">Open yours</a>`)
      expect(text).not.toContain('<script')
      await expectPicture(world, path, text)
    })

    test('names no fan who is anonymous or hides the profile', async () => {
      const { fan, path } = await openedPack(world)
      for (const change of [{ leaderboardName: 'anonymous' }, { profile: 'followers' }]) {
        expectStatus(200, await fan.patch('/api/user/privacy', change))
        const { status, text } = await get(world, path)
        expect(status).toBe(200)
        expect(text).not.toContain(fan.handle)
      }
    })

    test('is not found for an unknown pack, and while its fan is hidden', async () => {
      await expectMissing(world, '/shared/packs/unknown')
      const { fan, path } = await openedPack(world)
      await hide(world, fan)
      await expectMissing(world, path)
    })

    test('escapes texts of the catalogue', async () => {
      const { packId, path } = await openedPack(world)
      await world.db.write(tx =>
        tx.update(tx.tables.packs).set({ name: HOSTILE }).where(eq(tx.tables.packs.id, packId)),
      )
      expect((await get(world, path)).text).not.toContain('<script')
    })

    test.each([
      ['pt-BR', 'Abra o seu', '2 figurinhas'],
      ['pt-PT', 'Abre a tua', '2 cartas'],
      ['ar', 'افتح حزمتك', 'بطاقتان'],
    ])('is in the language %s of the link or of the browser', async (lang, action, count) => {
      const { path } = await openedPack(world)
      const [byLink, byBrowser] = [
        await get(world, `${path}?lang=${lang}`),
        await get(world, path, { 'accept-language': lang }),
      ]
      for (const { text } of [byLink, byBrowser])
        for (const words of [action, count]) expect(text).toContain(words)
      expect(byLink.text.includes('dir="rtl"')).toBe(lang === 'ar')
    })
  },
  { env: { PUBLIC_URL, APP_URL } },
)

async function exactPrediction(world: World, [home, away] = [2, 1], competition?: string) {
  const { matchId, finish } = await addMatch(world, competition === undefined ? {} : { competition })
  const fan = await namedFan(world)
  await predict(fan, matchId, home ?? 0, away ?? 0)
  expectStatus(200, await fan.patch('/api/user/privacy', { activity: 'public' }))
  const path = `/shared/predictions/${matchId}/${fan.handle}`
  await expectMissing(world, path)
  world.clock.advance(2 * 3_600_000)
  await finish(2, 1)
  await settleAll(world)
  return { fan, path }
}

onEachEngine(
  'The page of an exact prediction',
  world => {
    test('shows the score, the fan and a link to the app, with a picture', async () => {
      const { fan, path } = await exactPrediction(world)
      const { status, text } = await get(world, path)
      expect(status).toBe(200)
      expect(text).toContain(`Name of ${fan.handle} called it, exactly`)
      expect(text).toContain('2 – 1')
      expect(text).toContain(`<a href="${APP_URL}">Predict yours</a>`)
      await expectPicture(world, path, text)
    })

    test('names a competition of the catalogue, and not its id', async () => {
      const name = { en: 'City cup', pt: 'Taça da cidade' }
      const { path } = await exactPrediction(world, [2, 1], await addCompetition(world, { name }))
      expect((await get(world, path)).text).toContain('<bdi>City cup</bdi>')
      expect((await get(world, `${path}?lang=pt`)).text).toContain('<bdi>Taça da cidade</bdi>')
    })

    test('is not found for a prediction that was not exact', async () => {
      await expectMissing(world, (await exactPrediction(world, [3, 2])).path)
    })

    test('is not found unless everyone may see what the fan does', async () => {
      const { fan, path } = await exactPrediction(world)
      const show = (activity: Privacy['activity']) =>
        world.db.write(tx => {
          const { privacySettings } = tx.tables
          return tx.update(privacySettings).set({ activity }).where(eq(privacySettings.userId, fan.id))
        })
      for (const activity of ['followers', 'private'] as const) {
        await show(activity)
        await expectMissing(world, path)
      }
      await show('public')
      expect((await get(world, path)).status).toBe(200)
      await hide(world, fan)
      await expectMissing(world, path)
    })
  },
  { env: { PUBLIC_URL, APP_URL } },
)

const demoFolder = mkdtempSync(join(tmpdir(), 'matchday-shared-'))
afterAll(() => rmSync(demoFolder, { recursive: true }))

onEachEngine(
  'Shared pages in development',
  world => {
    test('lead to the screen of the demo on which a fan makes the same', async () => {
      const { packId, path } = await openedPack(world)
      expect((await get(world, path)).text).toContain(`<a href="/demo/packs/${packId}">Open yours</a>`)
      const exact = await exactPrediction(world)
      expect((await get(world, exact.path)).text).toContain('<a href="/demo/matches">Predict yours</a>')
    })
  },
  { env: { DEMO_FOLDER: demoFolder } },
)

onEachEngine('Shared pages without an app', world => {
  test('have no link to it', async () => {
    const { path } = await openedPack(world)
    expect((await get(world, path)).text).not.toContain('class="action"')
  })
})
