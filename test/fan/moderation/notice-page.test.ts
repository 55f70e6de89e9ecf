/** `/notice`: notices of illegal content without an account and without a script. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { type Form, sendForm, textOf } from '../../play/shop/withdrawal-page-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'

const NOTICE = {
  location: 'The bio of a fan.',
  category: 'hate',
  explanation: 'First line.\r\nSecond line.',
  name: 'Ana <Reis>',
  email: 'ana@example.com',
  goodFaith: 'true',
}

const send = (world: World, more: Form = {}, headers = {}) =>
  sendForm(world, '/notice', { ...NOTICE, ...more }, headers)

const open = async (world: World, query = '', headers: Record<string, string> = {}) => {
  const response = await world.app.handle(new Request(`http://localhost/notice${query}`, { headers }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

onEachEngine('Pages with forms', world => {
  const form = String(new URLSearchParams({ order: 'x', email: 'a@b.c', location: 'secret' }))
  test.each([
    ['application/json', JSON.stringify({ order: 'x', email: 'a@b.c', location: 'secret' })],
    ['text/plain', form],
    ['multipart/form-data; boundary=x', form],
    [null, form],
  ])('refuse a body of the type %s, and echo nothing of it', async (type, body) => {
    for (const path of ['/notice', '/withdraw', '/withdraw/confirm']) {
      const bytes = new TextEncoder().encode(body)
      const headers: Record<string, string> = type === null ? {} : { 'content-type': type }
      const request = new Request(`http://localhost${path}`, { method: 'POST', body: bytes, headers })
      const response = await world.app.handle(request)
      const text = await response.text()
      expect([path, response.status]).toEqual([path, 415])
      expect(text).toContain('unsupported_media_type')
      expect(text).not.toContain('a@b.c')
    }
  })

  test('take a form whatever the case of its type, with parameters', async () => {
    const headers = { 'content-type': 'Application/X-WWW-Form-Urlencoded; charset=UTF-8' }
    const body = 'order=x&email=a%40b.c'
    const request = new Request('http://localhost/withdraw', { method: 'POST', body, headers })
    expect((await world.app.handle(request)).status).toBe(404)
  })
})

onEachEngine('The page of notices', world => {
  test('takes a notice, and shows its number', async () => {
    const fan = await namedFan(world)
    const address = `https://club.example/lockers/${fan.handle}`
    const opened = await open(world, `?location=${encodeURIComponent(address)}&utm_source=app`)
    expect([opened.status, opened.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(opened.text).toContain(`\n${address}</textarea>`)
    expect(opened.text).not.toContain('<script')
    const policy = opened.headers.get('content-security-policy')
    expect(policy).toContain("form-action 'self'; frame-ancestors 'none'")

    const sent = await send(world, { location: address })
    expect([sent.status, sent.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(textOf(sent.text)).toContain('The club has received your report.')
    const { contentNotices } = world.db.tables
    const [row, ...others] = await world.db.read
      .select()
      .from(contentNotices)
      .where(eq(contentNotices.fanId, fan.id))
    expect(others).toEqual([])
    expect(row).toMatchObject({
      ...{ category: 'hate', location: address, subjectKind: 'locker', language: 'en' },
      ...{ explanation: 'First line.\nSecond line.', name: 'Ana <Reis>', email: 'ana@example.com' },
    })
    expect(sent.text).toContain(row?.id ?? 'the number')
  })

  test.each([
    ['location', { location: ' ' }, 'Fill in this field.'],
    ['category', { category: '' }, 'Fill in this field.'],
    ['explanation', { explanation: '' }, 'Fill in this field.'],
    ['name', { name: '' }, 'Fill in this field.'],
    ['email', { email: 'ana at example.com' }, 'This is no e-mail address.'],
    ['goodFaith', { goodFaith: [] }, 'Fill in this field.'],
  ])('marks %s where it is wrong, and keeps what was typed', async (field, more, why) => {
    const { status, text } = await send(world, more)
    expect(status).toBe(422)
    expect(text).toMatch(new RegExp(`id="${field}" name="${field}" aria-invalid="true"`))
    expect(text.match(/aria-invalid/g)).toHaveLength(1)
    expect(textOf(text)).toContain(why)
    expect(text).toContain('role="alert"')
    if (field !== 'name') expect(text).toContain('value="Ana &lt;Reis&gt;"')
    if (field !== 'category') expect(text).toContain('<option value="hate" selected>')
  })

  test('of sexual abuse of children needs no name', async () => {
    const nobody = { category: 'child_abuse', name: '', email: '' }
    expect((await send(world, nobody)).status).toBe(201)
  })

  test('says that a notice is counted with others', async () => {
    const location = crypto.randomUUID()
    for (let n = 0; n < 20; n++) await send(world, { location })
    const { status, text } = await send(world, { location })
    expect([status, textOf(text).includes('Yours is counted with them')]).toEqual([201, true])
  })

  test.each([
    ['pt', 'Denunciar conteúdo ilegal', 'O clube recebeu a sua denúncia.'],
    ['pt-BR', 'Denunciar conteúdo ilegal', 'O clube recebeu a sua denúncia.'],
    ['ar', 'الإبلاغ عن محتوى غير قانوني', 'استلم النادي بلاغك.'],
    ['xx', 'Report illegal content', 'The club has received your report.'],
  ])('speaks %s', async (lang, title, received) => {
    const shown = lang === 'xx' ? 'en' : lang
    const { text } = await open(world, '', { 'accept-language': lang })
    expect(text).toContain(`<html lang="${shown}"${lang === 'ar' ? ' dir="rtl"' : ''}>`)
    expect(text).toContain(`<h1>${title}</h1>`)
    const sent = await send(world, { lang: shown, location: `In ${lang}` })
    expect(textOf(sent.text)).toContain(received)
    const { contentNotices } = world.db.tables
    const [row] = await world.db.read
      .select()
      .from(contentNotices)
      .where(eq(contentNotices.location, `In ${lang}`))
    expect(row?.language).toBe(shown)
  })
})

onEachEngine(
  'Too many notices on the page',
  world => {
    test('are refused, and what was typed is kept', async () => {
      for (let n = 0; n < 2; n++) expect((await send(world)).status).toBe(201)
      const limited = await send(world)
      expect([limited.status, Number(limited.headers.get('retry-after')) > 3_000]).toEqual([429, true])
      expect(textOf(limited.text)).toContain('There were too many reports.')
      expect(limited.text).toContain('ana@example.com')
      expect(JSON.stringify(world.logged)).not.toContain('ana@example.com')
      // The operation counts the same.
      const { email, name, location, category } = NOTICE
      const notice = { email, name, location, category, explanation: 'x', goodFaith: true }
      expect((await world.anonymous.post('/api/notices', notice)).status).toBe(429)
    })
  },
  { env: { RATE_LIMITS: 'noticesPerAddress=2,notices=100' } },
)
