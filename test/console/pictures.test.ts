/** Pictures on the origin of the console: uploaded files alone, for signed-in staff, and where paths of pictures lead. */
import { expect, test } from 'bun:test'
import { createMockIdp } from '../../mock-idp/app.ts'
import { presentUser } from '../../mock-idp/users/user.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { hashOf, newPng, upload } from '../club/pictures/pictures-world.ts'
import { namedFan } from '../identity/relations/relations-world.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('Pictures of the console', world => {
  const console = consoleOf(world)
  const { as } = console
  const idOf = (url: string) => url.slice('/uploads/'.length, -'.webp'.length)

  async function shownBy(fan: Awaited<ReturnType<typeof namedFan>>): Promise<string> {
    const { url } = (await upload(fan, newPng())).body
    await fan.patch('/api/user/profile', { avatarUrl: url })
    return idOf(url)
  }

  test('staff get an uploaded file, which only this origin may embed, and 304 if they have it', async () => {
    const id = await shownBy(await namedFan(world))
    const { headers } = await console.signIn('finance')
    const get = (more: Record<string, string> = {}) =>
      console.app.handle(
        new Request(`http://localhost:3100/api/pictures/${id}`, { headers: { ...headers, ...more } }),
      )
    const response = await get()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(response.headers.get('cache-control')).toStartWith('private')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(hashOf(await response.bytes())).toBe(id)
    expect((await get({ 'if-none-match': `"${id}"` })).status).toBe(304)
  })

  test('nothing but the id of a stored file is read', async () => {
    const owner = as('owner')
    expect((await owner.get(`/api/pictures/${'0'.repeat(64)}`)).status).toBe(404)
    for (const other of ['http%3A%2F%2F169.254.169.254%2F', '..%2F..%2Fetc%2Fpasswd', 'A'.repeat(64)])
      expect([other, (await owner.get(`/api/pictures/${other}`)).status]).toEqual([other, 422])
    expect((await owner.get(`/api/pictures/${'0'.repeat(64)}?url=http://127.0.0.1/`)).status).toBe(422)
  })

  test('a picture that moderators have hidden is for those who read cases', async () => {
    const fan = await namedFan(world)
    const id = await shownBy(fan)
    const status = async (role: 'editor' | 'moderator' | 'support') =>
      (await as(role).get(`/api/pictures/${id}`)).status
    expect(await status('editor')).toBe(200)
    await world.db.write(tx =>
      recordDecision(tx, { reason: 'sexual', decidedBy: 'Ana', fanId: fan.id, kind: 'hide' }),
    )
    expect([await status('editor'), await status('support'), await status('moderator')]).toEqual([
      404, 200, 200,
    ])
  })

  test('a face is the uploaded picture of a fan, and never one of another site', async () => {
    const fan = await namedFan(world)
    const face = async (fanId: string, role: 'finance' | 'moderator' = 'finance') => {
      const { headers } = await console.signIn(role)
      return console.app.handle(new Request(`http://localhost:3100/api/pictures/fans/${fanId}`, { headers }))
    }
    expect([(await face(fan.id)).status, (await face('nobody')).status]).toEqual([204, 204])
    const id = await shownBy(fan)
    const response = await face(fan.id)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, max-age=300'])
    expect(hashOf(await response.bytes())).toBe(id)
    await world.db.write(tx =>
      recordDecision(tx, { reason: 'sexual', decidedBy: 'Ana', fanId: fan.id, kind: 'hide' }),
    )
    expect([(await face(fan.id)).status, (await face(fan.id, 'moderator')).status]).toEqual([204, 200])
    const other = await namedFan(world)
    await other.patch('/api/user/profile', { avatarUrl: 'https://pictures.example/face.png' })
    expect((await face(other.id)).status).toBe(204)
    expect((await as('editor').get(`/api/pictures/fans/${fan.id}`)).body.code).toBe('permission_denied')
  })

  test('without an own picture, a face is the one of the provider, read and encoded by the server', async () => {
    const fan = await namedFan(world)
    await fan.patch('/api/user/profile', { avatarUrl: null })
    const asked: string[] = []
    const provider = Bun.serve({
      port: 0,
      fetch(request) {
        const { pathname } = new URL(request.url)
        asked.push(pathname)
        if (pathname === '/moved') return Response.redirect('/face.png')
        if (pathname === '/page') return new Response('<p>', { headers: { 'content-type': 'text/html' } })
        if (pathname === '/large')
          return new Response(Buffer.alloc(3 * 1024 * 1024), { headers: { 'content-type': 'image/png' } })
        if (pathname === '/drawn')
          return new Response('<svg/>', { headers: { 'content-type': 'image/svg+xml' } })
        return new Response(newPng(), { headers: { 'content-type': 'image/png' } })
      },
    })
    const states = (path: string) =>
      world.db.write(tx => {
        const { identities } = tx.tables
        const picture = `http://127.0.0.1:${provider.port}${path}`
        return tx
          .insert(identities)
          .values({ userId: fan.id, picture })
          .onConflictDoUpdate({ target: identities.userId, set: { picture } })
      })
    const { headers } = await console.signIn('finance')
    const moderator = (await console.signIn('moderator')).headers
    const face = (as = headers, { app } = console) =>
      app.handle(new Request(`http://localhost:3100/api/pictures/fans/${fan.id}`, { headers: as }))
    try {
      await states('/face.png')
      const response = await face()
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
      expect(response.headers.get('content-security-policy')).toContain('sandbox')
      expect(response.headers.get('cache-control')).toBe('private, max-age=300')
      expect((await response.bytes()).subarray(0, 4)).toEqual(new Uint8Array(Buffer.from('RIFF')))
      expect([(await face()).status, asked]).toEqual([200, ['/face.png']])
      for (const path of ['/moved', '/page', '/large', '/drawn']) {
        await states(path)
        expect([path, (await face()).status]).toEqual([path, 204])
      }
      expect(asked).toEqual(['/face.png', '/moved', '/page', '/large', '/drawn'])
      await states('/face.png')
      const reported = (address: string) => {
        const query = new URLSearchParams({ stated: address })
        const url = `http://localhost:3100/api/pictures/fans/${fan.id}?${query}`
        return console.app.handle(new Request(url, { headers: moderator }))
      }
      const addressOf = (path: string) => `http://127.0.0.1:${provider.port}${path}`
      expect((await reported(addressOf('/face.png'))).status).toBe(200)
      // An own picture of today is not the reported one of the provider.
      const own = await shownBy(fan)
      expect([
        (await reported(addressOf('/face.png'))).headers.get('content-type'),
        hashOf(await (await reported(addressOf('/face.png'))).bytes()) === own,
      ]).toEqual(['image/webp', false])
      await fan.patch('/api/user/profile', { avatarUrl: null })
      const before = asked.length
      expect((await reported(addressOf('/named'))).status).toBe(204)
      expect(asked.slice(before)).toEqual([])
      await states('/again')
      const guarded = consoleOf(world, () => ({ config: { ...world.config, production: true } }))
      const inside = { ...(await guarded.signIn('finance')).headers }
      expect((await face(inside, guarded)).status).toBe(204)
      expect(asked).not.toContain('/again')
      await world.db.write(tx =>
        recordDecision(tx, { reason: 'sexual', decidedBy: 'Ana', fanId: fan.id, kind: 'hide' }),
      )
      expect([(await face()).status, (await face(moderator)).status]).toEqual([204, 200])
      await fan.send('/api/user', { method: 'DELETE' })
      expect((await face(moderator)).status).toBe(204)
    } finally {
      await provider.stop(true)
    }
  })

  test('the avatars of the mock provider are faces', async () => {
    const fan = await namedFan(world)
    await fan.patch('/api/user/profile', { avatarUrl: null })
    const { issuer, handle } = createMockIdp({ issuer: 'http://localhost:4000', fans: 1 })
    const provider = Bun.serve({ port: 0, fetch: request => handle(request) })
    const face = async () => {
      const { headers } = await console.signIn('finance')
      return console.app.handle(new Request(`http://localhost:3100/api/pictures/fans/${fan.id}`, { headers }))
    }
    try {
      const { pathname } = new URL(presentUser({ sub: 'fan-0001', updated_at: 0 }, issuer).picture ?? '')
      const picture = `http://127.0.0.1:${provider.port}${pathname}`
      await world.db.write(tx => tx.insert(tx.tables.identities).values({ userId: fan.id, picture }))
      const response = await face()
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    } finally {
      await provider.stop(true)
    }
  })

  test('pages know the time zone and the currency of the club', async () => {
    const club = async () => (await as('editor').get('/api/session')).body.club
    expect(await club()).toEqual({ timeZone: null, currency: null })
    const state = (timeZone: string) =>
      as('owner').put('/api/catalogue/settings/entries/club', {
        entry: { id: 'club', timeZone, currency: 'EUR' },
        ...{ revision: 0, reason: 'We are in Spain.' },
      })
    const wrong = await state('Europe/Atlantis')
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/entry/timeZone'])
    expect((await state('Europe/Madrid')).status).toBe(200)
    expect(await club()).toEqual({ timeZone: 'Europe/Madrid', currency: 'EUR' })
  })

  test('pages know the origin of the API, against which paths of pictures are resolved', async () => {
    const { body } = await as('editor').get('/api/session')
    expect(body.apiOrigin).toBe(`http://localhost:${world.config.port}`)
    const gate = await console.app.handle(new Request('http://localhost:3100/check-in/derby'))
    expect(await gate.text()).toContain(`data-images="${body.apiOrigin}"`)
    expect(gate.headers.get('content-security-policy')).toContain(body.apiOrigin)
    const open = await world.app.handle(new Request('http://localhost/check-in/derby'))
    expect(await open.text()).not.toContain('data-images')
    const behind = consoleOf(world, () => ({
      config: { ...world.config, docs: { ...world.config.docs, publicUrl: 'https://api.club.example/v1' } },
    }))
    expect((await behind.as('editor').get('/api/session')).body.apiOrigin).toBe('https://api.club.example')
  })
})
