/** Uploads of fans and of the club's systems, their addresses, and what becomes of pictures that nobody uses. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { MAX_UPLOAD_BYTES } from '../../../src/club/pictures/schema.ts'
import type { PictureStore } from '../../../src/club/pictures/store.ts'
import { MAX_PICTURES } from '../../../src/club/pictures/upload.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { pictureColumnsOf, sweepPictures } from '../../../src/operate/admin/sweep-pictures.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { patientFan } from '../../play/packs/packs-world.ts'
import { addProduct, entryOf } from '../../play/shop/products-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { jpegWithExif, png } from './picture-bytes.ts'
import { fetchPicture, hashOf, newPng, upload } from './pictures-world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

onEachEngine('Pictures', world => {
  const isStored = async (url: string) =>
    (await world.deps.pictureStore?.get(url.slice('/uploads/'.length))) !== null
  const statusOf = async (url: string) => (await fetchPicture(world, url)).status
  const sweep = () => sweepPictures(world.deps)
  const setAvatar = (fan: Fan, avatarUrl: string | null) => fan.patch('/api/user/profile', { avatarUrl })
  async function fanWithProfile() {
    const fan = await patientFan(world)
    await fan.post('/api/user/profile', {})
    return fan
  }
  async function avatarOf(fan: Fan, bytes = newPng()): Promise<string> {
    const { url } = (await upload(fan, bytes)).body
    expect((await setAvatar(fan, url)).status).toBe(200)
    return url
  }
  const erase = (fan: Fan) =>
    world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject: fan.subject }))
  const by = { reason: 'sexual', decidedBy: 'Ana' } as const
  const hidden = new Map<string, string>()
  async function hide({ id }: { id: string }) {
    const decision = await world.db.write(tx => recordDecision(tx, { ...by, fanId: id, kind: 'hide' }))
    hidden.set(id, decision.id)
  }
  const lift = ({ id }: { id: string }) =>
    world.db.write(tx =>
      recordDecision(tx, { ...by, fanId: id, kind: 'lift', liftsId: hidden.get(id) ?? '' }),
    )
  const rowOf = async (url: string) => {
    const { pictureFiles } = world.db.tables
    const id = url.slice('/uploads/'.length, -'.webp'.length)
    return (await world.db.read.select().from(pictureFiles).where(eq(pictureFiles.id, id)))[0]
  }

  test('a fan uploads a picture, which anyone gets by its hash, and makes it the avatar', async () => {
    const fan = await world.fan()
    const { status, body } = await upload(fan, await jpegWithExif({ width: 1_000, height: 800 }, 1, 'home'))
    expect(status).toBe(201)
    expect(body).toMatchObject({ width: 512, height: 410 })
    const response = await fetchPicture(world, body.url)
    const bytes = await response.bytes()
    expect(body.url).toBe(`/uploads/${hashOf(bytes)}.webp`)
    expect(bytes.length).toBe(body.bytes)
    expect(await new Bun.Image(bytes).metadata()).toEqual({ width: 512, height: 410, format: 'webp' })

    expect((await fan.post('/api/user/profile', { avatarUrl: body.url })).body.avatarUrl).toBe(body.url)
    expect((await fan.get('/api/dashboard')).body.profile.avatarUrl).toBe(body.url)
  })

  test('the file may be cached without end, and runs nothing', async () => {
    const { url, bytes } = (await upload(await world.fan(), newPng())).body
    const { headers } = await fetchPicture(world, url)
    expect(headers.get('content-type')).toBe('image/webp')
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'")
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    const etag = headers.get('etag') ?? ''
    const again = await fetchPicture(world, url, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const head = await fetchPicture(world, url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes),
      '',
    ])
  })

  test.each([
    `/uploads/${'0'.repeat(64)}.webp`,
    `/uploads/${'0'.repeat(64)}.svg`,
    '/uploads/..%2F..%2Fetc%2Fpasswd',
    '/uploads/x.webp',
  ])('GET %s is 404', async path => {
    const response = await fetchPicture(world, path)
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }])
  })

  test('the media type of the request is ignored', async () => {
    const fan = await world.fan()
    const asText = await upload(fan, newPng(), { 'content-type': 'text/html' })
    expect(asText.status).toBe(201)
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    const asPng = await upload(fan, svg, { 'content-type': 'image/png' })
    expect([asPng.status, asPng.body.code]).toEqual([415, 'picture_not_supported'])
  })

  test('the refusals are problems', async () => {
    const fan = await world.fan()
    const codeOf = async (body: Uint8Array<ArrayBuffer>, headers?: Record<string, string>) => {
      const answer = await upload(fan, body, headers)
      return [answer.status, answer.body.code]
    }
    expect(await codeOf(Buffer.alloc(0))).toEqual([415, 'picture_not_supported'])
    expect(await codeOf(png().subarray(0, 40))).toEqual([422, 'picture_damaged'])
    expect(await codeOf(Buffer.alloc(MAX_UPLOAD_BYTES + 1))).toEqual([413, 'payload_too_large'])
    expect(await codeOf(newPng(), { 'content-encoding': 'gzip' })).toEqual([415, 'unsupported_media_type'])
    const anonymous = await upload(world.anonymous, newPng())
    expect([anonymous.status, anonymous.body.code]).toEqual([401, 'unauthenticated'])
  })

  test('a system of the club uploads pictures of the catalogue with the scope uploads:write', async () => {
    const shop = world.withToken(await world.serverKey(['uploads:write']))
    const answer = await upload(shop, png({ width: 2_000, height: 1_000 }))
    expect([answer.status, answer.body.width, answer.body.height]).toEqual([201, 1_600, 800])
    const again = await upload(shop, png({ width: 2_000, height: 1_000 }))
    expect([again.status, again.body]).toEqual([201, answer.body])

    const other = await upload(world.withToken(await world.serverKey(['events:write'])), newPng())
    expect([other.status, other.body.code, other.body.scope]).toEqual([
      403,
      'insufficient_scope',
      'uploads:write',
    ])
    const unknown = await upload(world.withToken(`mdk_${'x'.repeat(49)}`), newPng())
    expect([unknown.status, unknown.body.code]).toEqual([401, 'invalid_server_key'])
  })

  test('Idempotency-Key: the same bytes replay the response, other bytes are refused', async () => {
    const fan = await world.fan()
    const headers = { 'idempotency-key': 'picture-1' }
    const bytes = newPng()
    const first = await upload(fan, bytes, headers)
    const second = await upload(fan, bytes, headers)
    expect([second.status, second.body]).toEqual([201, first.body])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect((await upload(fan, newPng(), headers)).body.code).toBe('idempotency_key_reused')
  })

  test('concurrent uploads of the same bytes are one file, which each fan has', async () => {
    const fans = await Promise.all(Array.from({ length: 4 }, () => world.fan()))
    const bytes = newPng()
    const answers = await Promise.all([...fans, ...fans].map(fan => upload(fan, bytes)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.url}`)).size).toBe(1)
    const { pictures } = world.db.tables
    const id = answers[0]?.body.url.slice('/uploads/'.length, -'.webp'.length)
    expect(await world.db.read.select().from(pictures).where(eq(pictures.fileId, id))).toHaveLength(4)
  })

  test('pictures above the limit per fan are refused before they are decoded', async () => {
    const fan = await patientFan(world)
    const bytes = newPng()
    for (let n = 1; n < MAX_PICTURES; n++) expect((await upload(fan, newPng())).status).toBe(201)
    expect((await upload(fan, bytes)).status).toBe(201)
    const refused = await upload(fan, newPng())
    expect([refused.status, refused.body.code]).toEqual([409, 'picture_quota_reached'])
    // Only decoding would show whether it is a picture.
    for (const again of [bytes, Buffer.from('no picture')])
      expect((await upload(fan, again)).body.code).toBe('picture_quota_reached')
    world.clock.advance(DAY)
    await sweep()
    expect((await upload(fan, bytes)).status).toBe(201)
  })

  test('the avatar is a picture of the fan: the path of another one is refused, a whole URL becomes the path', async () => {
    const [fan, other] = [await fanWithProfile(), await fanWithProfile()]
    const url = await avatarOf(other)
    const refused = await setAvatar(fan, url)
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [{ pointer: '/avatarUrl', message: 'must be a picture that you uploaded' }],
    ])
    expect((await fan.get('/api/user/profile')).body.avatarUrl).not.toBe(url)
    const own = (await upload(fan, newPng())).body.url
    expect((await setAvatar(fan, `https://api.example.com/fans${own}`)).body.avatarUrl).toBe(own)
    const foreign = `https://elsewhere.example${url}`
    expect((await setAvatar(fan, foreign)).body.avatarUrl).toBe(foreign)
  })

  test('a picture that nothing uses is deleted after a day, the avatar is not', async () => {
    const fan = await fanWithProfile()
    const unused = (await upload(fan, newPng())).body.url
    const avatar = await avatarOf(fan)
    world.clock.advance(DAY - 1)
    await sweep()
    expect([await isStored(unused), await isStored(avatar)]).toEqual([true, true])
    world.clock.advance(1)
    await sweep()
    expect([await isStored(unused), await isStored(avatar)]).toEqual([false, true])
    expect(await rowOf(unused)).toBeUndefined()
  })

  test('a former avatar is deleted a day after the change, and may return before', async () => {
    const fan = await fanWithProfile()
    const [former, returning] = [await avatarOf(fan), await avatarOf(fan)]
    await setAvatar(fan, null)
    world.clock.advance(DAY - HOUR)
    expect((await setAvatar(fan, returning)).status).toBe(200)
    world.clock.advance(HOUR)
    await sweep()
    expect([await isStored(former), await isStored(returning)]).toEqual([false, true])
    expect((await setAvatar(fan, former)).status).toBe(422)
  })

  test('an avatar whose review is due, as a crash may leave it, is kept', async () => {
    const fan = await fanWithProfile()
    const url = await avatarOf(fan)
    const { pictures } = world.db.tables
    await world.db.write(tx => tx.update(pictures).set({ reviewAt: tx.now() }))
    await sweep()
    expect(await isStored(url)).toBe(true)
  })

  test('a picture of the catalogue is kept as long as an entry names it', async () => {
    const shop = world.withToken(await world.serverKey(['uploads:write']))
    const urls = [newPng(), newPng(), newPng(), newPng(), newPng()].map(
      async bytes => (await upload(shop, bytes)).body.url,
    )
    const [asPath, asUrl, ofProduct, alsoOfProduct, unnamed] = await Promise.all(urls)
    const rewardId = await world.reward({ imageUrl: asPath })
    await world.reward({ imageUrl: `https://api.example.com${asUrl}` })
    const images = [ofProduct, `https://api.example.com${alsoOfProduct}`]
    await addProduct(world, entryOf({ images }))
    world.clock.advance(DAY)
    await sweep()
    const stored = (all: string[]) => Promise.all(all.map(isStored))
    expect(await stored([asPath, asUrl, ofProduct, alsoOfProduct])).toEqual([true, true, true, true])
    expect(await isStored(unnamed)).toBe(false)

    const { rewards } = world.db.tables
    await world.db.write(tx => tx.update(rewards).set({ imageUrl: null }).where(eq(rewards.id, rewardId)))
    world.clock.advance(DAY)
    await sweep()
    expect([await isStored(asPath), await isStored(asUrl)]).toEqual([false, true])
  })

  test('the columns that may name a picture are known', () => {
    const columns = Object.entries(world.db.tables).flatMap(([name, table]) =>
      pictureColumnsOf(table).map(column => `${name}.${column.name}`),
    )
    expect(columns).toEqual(
      expect.arrayContaining([
        'rewards.imageUrl',
        'teams.crestUrl',
        'packs.imageUrl',
        'sponsors.imageUrl',
        'products.images',
      ]),
    )
  })

  test('an erasure deletes the file with the last fan who has it', async () => {
    const [one, other] = [await fanWithProfile(), await fanWithProfile()]
    const bytes = newPng()
    const url = await avatarOf(one, bytes)
    await avatarOf(other, bytes)
    await erase(one)
    await sweep()
    expect(await isStored(url)).toBe(true)
    await erase(other)
    await sweep()
    expect(await isStored(url)).toBe(false)
  })

  test('an erasure while the file is written leaves no row of the fan, and the file goes', async () => {
    const fan = await fanWithProfile()
    const { pictureStore } = world.deps
    const put = pictureStore?.put ?? fail()
    let name = ''
    Object.assign(pictureStore ?? fail(), {
      put: async (...args: Parameters<PictureStore['put']>) => {
        name = args[0]
        await put(...args)
        await erase(fan)
      },
    })
    const { status, body } = await upload(fan, newPng())
    Object.assign(pictureStore ?? fail(), { put })
    expect([status, body.code]).toEqual([401, 'invalid_token'])
    expect(await isStored(`/uploads/${name}`)).toBe(true)
    world.clock.advance(HOUR)
    await sweep()
    expect(await isStored(`/uploads/${name}`)).toBe(false)
  })

  test('a crash after the file was written, before its owner was: the file is deleted within the hour', async () => {
    const fan = await world.fan()
    const { pictures } = world.db.tables
    const url = (await upload(fan, newPng())).body.url
    const { id = '' } = (await rowOf(url)) ?? {}
    await world.db.write(async tx => {
      await tx.delete(pictures).where(eq(pictures.fileId, id))
      const { pictureFiles } = tx.tables
      const orphanedAt = new Date(tx.now().getTime() + HOUR)
      await tx.update(pictureFiles).set({ orphanedAt }).where(eq(pictureFiles.id, id))
    })
    await sweep()
    expect(await isStored(url)).toBe(true)
    world.clock.advance(HOUR)
    await sweep()
    expect(await isStored(url)).toBe(false)
  })

  test('is 404 unless a visible fan or a system has it', async () => {
    const [one, other] = [await namedFan(world), await namedFan(world)]
    const bytes = newPng()
    const url = await avatarOf(one, bytes)
    const etag = { 'if-none-match': `"${url.slice('/uploads/'.length, -'.webp'.length)}"` }
    await avatarOf(other, bytes)
    await hide(one)
    expect(await statusOf(url)).toBe(200)
    await hide(other)
    expect(await statusOf(url)).toBe(404)
    expect((await fetchPicture(world, url, { headers: etag })).status).toBe(404)
    expect(await isStored(url)).toBe(true)
    await lift(one)
    expect(await statusOf(url)).toBe(200)
    await erase(one)
    expect([await statusOf(url), await isStored(url)]).toEqual([404, true])
    const shop = world.withToken(await world.serverKey(['uploads:write']))
    expect((await upload(shop, bytes)).body.url).toBe(url)
    expect(await statusOf(url)).toBe(200)
  })

  describe('that was hidden with its fan', () => {
    const refused = async (fan: Fan, bytes: Buffer<ArrayBuffer>) => {
      const { status, body } = await upload(fan, bytes)
      expect([status, body.code]).toEqual([409, 'picture_hidden'])
    }

    test('does not return by another fan, until that is lifted', async () => {
      const [one, other] = [await namedFan(world), await namedFan(world)]
      const bytes = newPng()
      const url = await avatarOf(one, bytes)
      await hide(one)
      await refused(other, bytes)
      expect(await statusOf(url)).toBe(404)
      // The hidden fan has it, and gets no other answer than before.
      expect((await upload(one, bytes)).status).toBe(201)
      await lift(one)
      expect((await upload(other, bytes)).body.url).toBe(url)
    })

    test('does not return either when the hidden fan has taken another one', async () => {
      const one = await namedFan(world)
      const bytes = newPng()
      const url = await avatarOf(one, bytes)
      await hide(one)
      await setAvatar(one, null)
      for (let day = 0; day < 3; day++) {
        world.clock.advance(DAY)
        await sweep()
      }
      await refused(await world.fan(), bytes)
      await lift(one)
      world.clock.advance(2 * DAY)
      await sweep()
      expect(await isStored(url)).toBe(false)
      expect((await upload(await world.fan(), bytes)).status).toBe(201)
    })

    test('does not affect pictures of other fans, nor later uploads of the hidden fan', async () => {
      const [one, other, third] = [await namedFan(world), await namedFan(world), await namedFan(world)]
      const [shown, later] = [newPng(), newPng()]
      await avatarOf(one, shown)
      await avatarOf(other, shown)
      await hide(one)
      expect((await upload(third, shown)).status).toBe(201)
      world.clock.advance(1_000)
      await upload(one, later)
      expect((await upload(third, later)).status).toBe(201)
    })
  })

  test('a suspended fan is refused before the picture is decoded and stored', async () => {
    const fan = await namedFan(world)
    const { pictureFiles } = world.db.tables
    const files = async () => (await world.db.read.select().from(pictureFiles)).length
    const before = await files()
    const until = new Date(world.clock.ms + DAY)
    await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'suspend', until }))
    for (const bytes of [newPng(), Buffer.from('no picture')]) {
      const { status, body } = await upload(fan, bytes)
      expect([status, body.code]).toEqual([403, 'suspended'])
    }
    expect(await files()).toBe(before)
  })

  test('a file is not uploaded while it is being deleted, and a failed deletion is repeated', async () => {
    const fan = await fanWithProfile()
    const bytes = newPng()
    const url = await avatarOf(fan, bytes)
    await erase(fan)
    const other = await world.fan()
    const store = world.deps.pictureStore ?? fail()
    const broken = { ...store, delete: () => Promise.reject(new Error('no store')) }
    await expect(sweepPictures({ ...world.deps, pictureStore: broken })).rejects.toThrow('no store')
    const refused = await upload(other, bytes)
    expect([refused.status, refused.body.code]).toEqual([503, 'uploads_unavailable'])
    expect(refused.headers.get('retry-after')).toBe('2')
    await sweep()
    expect(await isStored(url)).toBe(false)
    expect((await upload(other, bytes)).body.url).toBe(url)
    await sweep()
    expect(await isStored(url)).toBe(true)
  })

  test('a store that fails is 503, and the upload succeeds later', async () => {
    const fan = await world.fan()
    const store = world.deps.pictureStore ?? fail()
    const { put } = store
    const bytes = newPng()
    Object.assign(store, { put: () => Promise.reject(new Error('disk full')) })
    const refused = await upload(fan, bytes, { 'idempotency-key': 'later' })
    Object.assign(store, { put })
    expect([refused.status, refused.body.code]).toEqual([503, 'uploads_unavailable'])
    expect((await upload(fan, bytes, { 'idempotency-key': 'later' })).status).toBe(201)
  })

  function fail(): never {
    throw new Error('the world has no store')
  }
})
