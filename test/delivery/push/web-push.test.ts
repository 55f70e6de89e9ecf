/** Encryption and identity of Web Push, by the vectors of the RFCs. */
import { expect, test } from 'bun:test'
import { createECDH, createPublicKey, verify } from 'node:crypto'
import { fitted } from '../../../src/delivery/push/sender.ts'
import { createVapid, encrypt } from '../../../src/delivery/push/web-push.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')

test('encrypts as the example of RFC 8291', () => {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'))
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const text = Buffer.from('When I grow up, I want to be a watermelon')
  const body = encrypt(text, keys, { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), pair })
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

test('signs a token for each service, and renews it within its 24 hours (RFC 8292)', () => {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  const vapid = {
    privateKey: pair.getPrivateKey('base64url'),
    publicKey,
    subject: 'mailto:push@club.example',
  }
  let at = Date.UTC(2026, 7, 15)
  const authorize = createVapid({ vapid, now: () => new Date(at) })
  const read = (header: string) => {
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? []
    const [head = '', claims = '', signature = ''] = token.split('.')
    const point = bytes(key)
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'))
    const jwk = { kty: 'EC', crv: 'P-256', x, y }
    const signed = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), signed, bytes(signature))).toBe(true)
    expect(key).toBe(publicKey)
    return JSON.parse(bytes(claims).toString())
  }
  const first = authorize('https://push.example')
  const exp = at / 1_000 + 12 * 3_600
  expect(read(first)).toEqual({ aud: 'https://push.example', exp, sub: vapid.subject })
  expect(read(authorize('https://other.example')).aud).toBe('https://other.example')
  at += 5 * 3_600_000
  expect(authorize('https://push.example')).toBe(first)
  at += 2 * 3_600_000
  expect(read(authorize('https://push.example')).exp).toBe(at / 1_000 + 12 * 3_600)
})

test('cuts the body of a message that is too large, never within a character', () => {
  const message = { id: 'm', category: 'match', title: 'Goal', url: null, imageUrl: null, tag: null }
  for (const body of ['⚽️ 👏🏽'.repeat(900), 'ã"\\\n'.repeat(2_000), 'short'])
    for (const max of [500, 1_001, 3_993]) {
      const fit = fitted({ ...message, body }, max)
      expect(fit.length).toBeLessThanOrEqual(max)
      const cut = JSON.parse(fit.toString()).body
      expect(cut).toBe(cut.toWellFormed())
      expect(body.startsWith(cut.replace(/…$/, ''))).toBe(true)
      if (body !== 'short') expect(fit.length).toBeGreaterThan(max - 20)
    }
})

test.each([
  ['its title', { title: '👏🏽'.repeat(400), body: 'short' }],
  ['title and body', { title: 'ã"\\'.repeat(900), body: '⚽️'.repeat(900) }],
  ['its link', { title: 'Goal', body: 'Home 1', url: `/${'%E2%9A%BD'.repeat(500)}` }],
  ['link and picture', { url: `/${'a'.repeat(1_500)}`, imageUrl: `https://a.example/${'b'.repeat(1_900)}` }],
])('cuts texts and leaves links out of a message that is too large: %s', (_, more) => {
  const small = { id: 'm', category: 'match', title: 'Goal', body: '', url: null, imageUrl: null, tag: null }
  const message = { ...small, ...more }
  for (const max of [500, 1_200, 3_000]) {
    const fit = fitted(message, max)
    expect(fit.length).toBeLessThanOrEqual(max)
    const { title, body, url, imageUrl } = JSON.parse(fit.toString())
    expect(title).not.toBe('')
    for (const [kept, whole] of [
      [title, message.title],
      [body, message.body],
    ]) {
      expect(kept).toBe(kept.toWellFormed())
      expect(whole).toStartWith(kept.replace(/…$/, ''))
    }
    expect([null, message.url]).toContain(url)
    expect([null, message.imageUrl]).toContain(imageUrl)
  }
  expect(JSON.parse(fitted(message, 20_000).toString())).toEqual(message)
})
