/** `/lockers/{handle}`: the page for sharing, and its picture. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { ISSUER, onEachEngine, type World } from '../../support/world.ts'
import { addPack, buy, DAY, expectStatus, FREE, open } from '../packs/packs-world.ts'

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const HOSTILE = `<script>alert(1)</script>"'&amp;`

const why = { reason: 'spam', decidedBy: 'Ana' } as const
const PUBLIC_URL = 'https://api.club.example'

const pages = (world: World) => {
  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await world.app.handle(new Request(`http://localhost${path}`, { headers }))
    return { response, status: response.status, text: await response.clone().text() }
  }

  /** A fan who shows an item on a shelf. */
  async function fanWithLocker(title = 'Derby days') {
    const fan = await namedFan(world)
    const packId = await addPack(world, { price: FREE, itemsPerPack: 1, weights: { common: 1_000_000 } })
    const { userPack } = await buy(fan, packId)
    const [{ id: collectibleId, serialNumber }] = expectStatus(200, await open(fan, userPack.id)).items
    const shelves = [{ title, items: [{ collectibleId, serialNumber }] }]
    expectStatus(200, await fan.put('/api/user/locker', { title, theme: 'night', shelves }))
    return { fan, collectibleId, serialNumber }
  }

  const pageOf = ({ handle }: NamedFan) => `/lockers/${handle}`
  const pictureOf = (fan: NamedFan) => `${pageOf(fan)}/picture.png`

  /** The page of a handle that nobody has. */
  async function expectMissing({ handle }: NamedFan) {
    const unknown = await get('/lockers/nobody_has_this')
    expect(unknown.status).toBe(404)
    for (const path of [`/lockers/${handle}`, `/lockers/${handle}/picture.png`]) {
      const { response, status, text } = await get(path)
      expect([status, text]).toEqual([404, unknown.text])
      const headers = (of: Response) =>
        [...of.headers].filter(([name]) => !/id$|^date$|^ratelimit$/.test(name))
      expect(headers(response)).toEqual(headers(unknown.response))
      expect(text).not.toContain(handle)
    }
  }

  return { get, fanWithLocker, pageOf, pictureOf, expectMissing }
}

onEachEngine(
  'The page of a locker',
  world => {
    const { get, fanWithLocker, pageOf, pictureOf, expectMissing } = pages(world)

    test('shows title, owner and items without a script, with the tags for link previews', async () => {
      const { fan, serialNumber } = await fanWithLocker()
      const { response, status, text } = await get(`${pageOf(fan)}?utm_source=chat`)
      expect([status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      // The provider of the world serves the fans' own pictures.
      expect(response.headers.get('content-security-policy')).toStartWith(
        `default-src 'none'; style-src 'self'; img-src 'self' https: ${new URL(ISSUER).origin};`,
      )
      expect(text).not.toContain('<script')
      for (const shown of ['Derby days', `Name of ${fan.handle}`, `@${fan.handle}`, `No. ${serialNumber}`])
        expect(text).toContain(shown)
      const address = `${PUBLIC_URL}${pageOf(fan)}`
      expect(text).toContain(`<link rel="canonical" href="${address}">`)
      const report = `/notice?${new URLSearchParams({ location: address, lang: 'en' })}`
      expect(text).toContain(`<a href="${Bun.escapeHTML(report)}" rel="nofollow">Report illegal content</a>`)
      const form = await get(report)
      expect(form.text).toContain(`${address}</textarea>`)
      expect(text).toContain('<meta property="og:title" content="Derby days">')
      expect(text).toContain(
        `<meta property="og:description" content="The locker of Name of ${fan.handle}: 1 item">`,
      )
      const [, picture = ''] = /property="og:image" content="([^"]+)"/.exec(text) ?? []
      expect(picture).toStartWith(`${address}/picture.png?v=`)
      for (const [, path = ''] of text.matchAll(/(?:href|src)="(\/lockers\/-\/[^"]+)"/g))
        expect((await get(path)).status).toBe(200)
    })

    test('has a picture of 1200 by 630 pixels, also of a title in letters that its font lacks', async () => {
      for (const title of ['Derby days', 'أيام الديربي', '']) {
        const { fan } = await fanWithLocker(title)
        const { response } = await get(pictureOf(fan))
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
        const bytes = Buffer.from(await response.arrayBuffer())
        expect([...bytes.subarray(0, 8)]).toEqual(PNG)
        expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
      }
    })

    test('is stored for a minute, and is 304 with its ETag until it changes', async () => {
      const { fan } = await fanWithLocker()
      for (const path of [pageOf(fan), pictureOf(fan)]) {
        const { response } = await get(path)
        expect(response.headers.get('cache-control')).toBe('public, max-age=60')
        const etag = response.headers.get('etag') ?? ''
        const again = await get(path, { 'if-none-match': etag })
        expect([again.status, again.text, again.response.headers.get('etag')]).toEqual([304, '', etag])
        await fan.put('/api/user/locker', { title: `Title of ${path.length}`, theme: 'pitch', shelves: [] })
        expect((await get(path, { 'if-none-match': etag })).status).toBe(200)
      }
    })

    test('escapes every text of fans and of the catalogue', async () => {
      const { fan, collectibleId } = await fanWithLocker(HOSTILE)
      await fan.post('/api/user/profile', { displayName: HOSTILE })
      await world.db.write(tx => {
        const { collectibles } = tx.tables
        const hostile = { name: HOSTILE, rarity: HOSTILE, imageUrl: `https://p.example/${HOSTILE}` }
        return tx.update(collectibles).set(hostile).where(eq(collectibles.id, collectibleId))
      })
      const { text } = await get(pageOf(fan))
      expect(text).not.toContain('<script')
      expect(text.split('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;amp;').length).toBeGreaterThan(
        7,
      )
      // Attributes are closed by the page alone.
      const attributes = text.match(/="[^"]*"/g)?.join('') ?? ''
      expect(attributes).not.toMatch(/[<>]/)
      expect((await get(pictureOf(fan))).status).toBe(200)
    })

    test('shows names of items in the language of the client', async () => {
      const { fan, collectibleId } = await fanWithLocker()
      await world.db.write(tx => {
        const { collectibles } = tx.tables
        const translations = JSON.stringify({ name: { en: 'The goal', pt: 'O golo' } })
        return tx.update(collectibles).set({ translations }).where(eq(collectibles.id, collectibleId))
      })
      const { response, text } = await get(pageOf(fan), { 'accept-language': 'pt-PT, en;q=0.5' })
      expect(text).toContain('O golo')
      expect(response.headers.get('vary')).toContain('Accept-Language')
      expect((await get(pageOf(fan))).text).toContain('The goal')
    })

    test('says that nothing is here for a fan who has no locker, or does not show it to everyone', async () => {
      const { fan } = await fanWithLocker()
      for (const locker of ['followers', 'private']) {
        expectStatus(200, await fan.patch('/api/user/privacy', { locker }))
        await expectMissing(fan)
      }
      expectStatus(200, await fan.patch('/api/user/privacy', { locker: 'public' }))
      expect((await get(pageOf(fan))).status).toBe(200)
      await expectMissing(await namedFan(world))
    })

    test('leaves out the name and picture of a fan who hides them', async () => {
      const { fan } = await fanWithLocker()
      expectStatus(200, await fan.patch('/api/user/privacy', { profile: 'private' }))
      const { text } = await get(pageOf(fan))
      expect(text).toContain(`@${fan.handle}`)
      expect(text).not.toContain(`Name of ${fan.handle}`)
      expect(text).not.toContain('pictures.example')
    })

    test('is not found while the fan is hidden', async () => {
      const { fan } = await fanWithLocker()
      const { id } = await world.db.write(tx => recordDecision(tx, { ...why, fanId: fan.id, kind: 'hide' }))
      await expectMissing(fan)
      await world.db.write(tx => recordDecision(tx, { ...why, fanId: fan.id, kind: 'lift', liftsId: id }))
      expect((await get(pageOf(fan))).status).toBe(200)
    })

    test('does not show that the fan is suspended', async () => {
      const { fan } = await fanWithLocker()
      const paths = [pageOf(fan), pictureOf(fan), `/api/lockers/${fan.handle}`]
      const answers = () =>
        Promise.all(
          paths.map(async path => {
            const { status, response } = await get(path)
            return [status, await response.bytes()]
          }),
        )
      const before = await answers()
      const until = new Date(world.clock.ms + DAY)
      await world.db.write(tx => recordDecision(tx, { ...why, fanId: fan.id, kind: 'suspend', until }))
      expect(await answers()).toEqual(before)
    })

    test('is not found for other paths and for invalid handles', async () => {
      for (const path of [
        '/lockers/-',
        '/lockers/UPPER',
        '/lockers/%3Cscript%3E',
        `/lockers/${'x'.repeat(500)}`,
      ])
        expect((await get(path)).status).toBe(404)
    })
  },
  { env: { PUBLIC_URL } },
)

onEachEngine('The page of a locker without PUBLIC_URL', world => {
  const { get, fanWithLocker, pageOf, pictureOf } = pages(world)

  test('does not contain the address of the request, which a cache would serve to others', async () => {
    const { fan } = await fanWithLocker()
    for (const path of [pageOf(fan), pictureOf(fan)]) {
      const [own, other] = await Promise.all(
        ['http://localhost', 'http://evil.example'].map(async origin => {
          const host = new URL(origin).host
          const headers = { host, 'x-forwarded-host': host, forwarded: `host=${host}` }
          const response = await world.app.handle(new Request(origin + path, { headers }))
          return [response.headers.get('etag'), Buffer.from(await response.bytes()).toString('latin1')]
        }),
      )
      expect(other).toEqual(own)
      expect(other?.[1]).not.toContain('evil.example')
    }
    const { text } = await get(pageOf(fan))
    expect(text).toContain('<meta property="og:title" content="Derby days">')
    expect(text).not.toMatch(/canonical|og:url|og:image|twitter:card/)
  })
})
