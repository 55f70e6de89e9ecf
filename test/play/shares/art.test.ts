/** The pictures of the catalogue within the pictures of shared pages. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addPack, buy, expectStatus, FREE, open } from '../packs/packs-world.ts'

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><rect width="30" height="40" fill="#c00"/></svg>'
const folder = mkdtempSync(join(tmpdir(), 'matchday-art-'))
let server: ReturnType<typeof Bun.serve>
/** Requests by path. */
const asked = new Map<string, number>()

beforeAll(async () => {
  await Bun.write(join(folder, 'index.html'), '<!doctype html>')
  await Bun.write(join(folder, 'pictures/cards-red.svg'), SVG)
  const image = (body: string, type = 'image/svg+xml') =>
    new Response(body, { headers: { 'content-type': type } })
  server = Bun.serve({
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
      if (pathname === '/red.svg') return image(SVG)
      if (pathname === '/page.svg') return image(SVG, 'text/html')
      if (pathname === '/large.svg')
        return image(SVG.replace('</svg>', `<!--${'x'.repeat(3_000_000)}--></svg>`))
      if (pathname === '/damaged.png') return image('no picture', 'image/png')
      if (pathname === '/elsewhere.svg') return Response.redirect('/red.svg', 302)
      return new Response('missing', { status: 404 })
    },
  })
})

afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

/** The picture of a pack with one card, whose picture is at this URL. */
async function pictureWith(world: World, imageUrl: string | null): Promise<Buffer> {
  const fan = await namedFan(world)
  const packId = await addPack(world, { price: FREE, itemsPerPack: 1, weights: { common: 1_000_000 } })
  const { userPack } = await buy(fan, packId)
  const [{ id }] = expectStatus(200, await open(fan, userPack.id)).items
  await world.db.write(async tx => {
    const { packs, collectibles, userItems } = tx.tables
    await tx.update(packs).set({ name: 'Derby pack' }).where(eq(packs.id, packId))
    await tx.update(collectibles).set({ imageUrl, name: 'The goal' }).where(eq(collectibles.id, id))
    await tx.update(userItems).set({ serialNumber: 7 }).where(eq(userItems.collectibleId, id))
  })
  expectStatus(200, await fan.patch('/api/user/privacy', { profile: 'private' }))
  const address = `http://localhost/shared/packs/${userPack.id}/picture.png`
  const response = await world.app.handle(new Request(address))
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

onEachEngine(
  'The picture of a shared page',
  world => {
    test('shows the picture of another server, which it reads once', async () => {
      const plain = await pictureWith(world, null)
      const red = await pictureWith(world, `${server.url}red.svg`)
      expect(red.equals(plain)).toBe(false)
      const before = asked.get('/red.svg')
      expect((await pictureWith(world, `${server.url}red.svg`)).equals(red)).toBe(true)
      expect(asked.get('/red.svg')).toBe(before)
    })

    test('shows the picture of the demonstration catalogue', async () => {
      const red = await pictureWith(world, `${server.url}red.svg`)
      expect((await pictureWith(world, '/demo/pictures/cards-red.svg')).equals(red)).toBe(true)
    })

    test.each([
      '/demo/pictures/missing.svg',
      '/demo/pictures/../index.html',
      `/uploads/${'0'.repeat(64)}.webp`,
      '/crests/a-path-of-the-origin.svg',
    ])('is drawn without %s, which it cannot read', async imageUrl => {
      expect((await pictureWith(world, imageUrl)).equals(await pictureWith(world, null))).toBe(true)
    })

    test.each(['missing.svg', 'page.svg', 'large.svg', 'damaged.png', 'elsewhere.svg'])(
      'is drawn without %s of another server: missing, no picture, too large, damaged or redirected',
      async name => {
        const picture = await pictureWith(world, `${server.url}${name}`)
        expect(picture.equals(await pictureWith(world, null))).toBe(true)
      },
    )
  },
  { env: { DEMO_FOLDER: folder } },
)
