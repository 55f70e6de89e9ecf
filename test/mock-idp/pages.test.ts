import { describe, expect, test } from 'bun:test'
import { authorizePath, createWorld, exchange, issuer, type World } from './world.ts'

const xss = '"><script>alert(1)</script><img src=x onerror=alert(1)>\''

describe('the sign-in page', () => {
  test('signs a fan in without a script: submitting the form redirects to the client with a code', async () => {
    const world = createWorld()
    const page = await (await world.get(authorizePath())).text()
    const form = /<form method="post" action="\/authorize">([\s\S]*?)<\/form>/.exec(page)?.[1] ?? ''
    const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    const body = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
    const [, sub = ''] = /<button[^>]* name="sub" value="([^"]*)"/.exec(form) ?? []
    expect(sub).toBe('fan-0001')
    const response = await world.post('/authorize', { ...body, sub }, { origin: issuer })
    expect(response.status).toBe(303)
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
    expect((await exchange(world, code)).status).toBe(200)
  })

  test('searches and paginates without a script, and shows the number of fans', async () => {
    const world = createWorld()
    expect(count(await show(world, {}))).toBe('1–24 of 40 fans')
    const second = await show(world, { page: '2' })
    expect(count(second)).toBe('25–40 of 40 fans')
    expect(second).toContain('value="fan-0040"')
    const found = await show(world, { q: 'fan-0007' })
    expect(count(found)).toBe('1 fan found')
    expect(found).toContain('value="fan-0007"')
    expect(count(await show(world, { page: '999' }))).toBe('25–40 of 40 fans')
  })

  test('shows the id of each fan, which scripts and the API use', async () => {
    expect(await show(createWorld(), { q: 'fan-0007' })).toContain('<span class="fan-id">fan-0007</span>')
  })

  test('shows the stage that the seed gives to each generated fan, and none for other users', async () => {
    const world = createWorld()
    const stageIn = async (q: string) =>
      /<span class="fan-stage">([^<]*)<\/span>/.exec(await show(world, { q }))?.[1]
    expect(await stageIn('fan-0001')).toBe('Seeded new')
    expect(await stageIn('fan-0003')).toBe('Seeded onboarded')
    expect(await stageIn('fan-0010')).toBe('Seeded with redeemed rewards')
    await world.json('POST', '/_mock/users', { sub: 'fan-9999', name: 'Created Here' })
    expect(await stageIn('fan-9999')).toBeUndefined()
    expect(await world.json('GET', '/_mock/users/fan-0003')).not.toHaveProperty('stage')
  })

  test('shows an empty result with a link to all fans', async () => {
    const page = await show(createWorld(), { q: 'nobody at all' })
    expect(count(page)).toBe('No fan found among 40')
    expect(page).toContain('Show all fans')
  })

  test('states that it is a mock provider', async () => {
    const page = await show(createWorld(), {})
    expect(page).toContain('Mock provider for development.')
    expect(page).toContain('No password is needed')
    expect(page).toContain('Matchday app')
  })

  test('is labelled for a screen reader', async () => {
    const page = await show(createWorld(), {})
    for (const part of [
      '<html lang="en">',
      '<main id="main"',
      'role="search"',
      '<label for="q">',
      'aria-live="polite"',
    ]) {
      expect(page).toContain(part)
    }
    expect(page.match(/<h1>/g)).toHaveLength(1)
    expect(page).not.toMatch(/<img(?![^>]*\balt=)/)
  })

  test('puts the fan of login_hint first', async () => {
    const world = createWorld()
    const { email, preferred_username } = await world.json('GET', '/_mock/users/fan-0030')
    for (const login_hint of ['fan-0030', String(email), String(preferred_username)]) {
      const page = await show(world, { login_hint })
      expect(page).toContain('Suggested by the app')
      expect(/name="sub" value="([^"]*)"/.exec(page)?.[1]).toBe('fan-0030')
    }
  })

  test('escapes HTML in a search, a hint, a state and a name', async () => {
    const world = createWorld()
    await world.json('PATCH', '/_mock/users/fan-0001', {
      name: xss,
      email: xss,
      locale: xss,
      preferred_username: xss,
    })
    const attempts: Record<string, string>[] = [
      {},
      { q: xss },
      { login_hint: xss },
      { state: xss, nonce: xss },
      { q: `${xss}nobody` },
    ]
    for (const changes of attempts) {
      const page = await show(world, changes)
      expect(page).not.toContain('<script>')
      expect(page).not.toContain('<img src=x')
      expect(page).not.toMatch(/value="[^"]*"><script/)
    }
    const rejected = await (await world.get(`/authorize?client_id=${encodeURIComponent(xss)}`)).text()
    expect(rejected).not.toContain('<script>alert')
  })

  test('allows only its own scripts and styles, and form submissions only to the client', async () => {
    const world = createWorld()
    const policy = async (redirect_uri: string) => {
      return (await world.get(authorizePath({ redirect_uri }))).headers.get('content-security-policy') ?? ''
    }
    expect(await policy('http://localhost:3000/cb')).toContain("form-action 'self' http://localhost:3000;")
    expect(await policy('matchday://signed-in')).toContain("form-action 'self' matchday:;")
    expect(await policy('http://[::1]:3000/cb')).toContain("form-action 'self' http:;")
    expect(await policy('http://localhost:3000/cb')).toContain("script-src 'self';")
    const page = await show(world, {})
    expect(page).not.toMatch(/<script(?![^>]*\bsrc="\/assets\/)/)
    expect(page).not.toMatch(/\s(?:style|on\w+)=/)
    expect(page).not.toMatch(/(?:src|href)="https?:/)
  })
})

test('an avatar is the same every time and differs between fans', async () => {
  const world = createWorld()
  const picture = async (sub: string) => (await world.get(`/avatars/${sub}.png`)).bytes()
  expect(await picture('fan-0001')).toEqual(await picture('fan-0001'))
  expect(await picture('fan-0001')).not.toEqual(await picture('fan-0002'))
  expect((await world.get('/avatars/nobody.png')).status).toBe(404)
  expect((await world.get('/avatars/fan-0001.png')).headers.get('content-type')).toBe('image/png')
})

test('an avatar is a PNG of many colours at twice the size of the page', async () => {
  const world = createWorld()
  const bytes = await (await world.get('/avatars/fan-0001.png')).bytes()
  const { format, width, height } = await new Bun.Image(bytes).metadata()
  expect({ format, width, height }).toEqual({ format: 'png', width: 128, height: 128 })
  expect(bytes.byteLength).toBeLessThan(8_000)
})

test('the start page names and links what the provider offers', async () => {
  const page = await (await createWorld().get('/')).text()
  for (const part of [
    'OpenID Connect',
    '/.well-known/openid-configuration',
    '/_mock/users',
    '/_mock/faults',
  ]) {
    expect(page).toContain(part)
  }
})

test('the static files of the pages are served', async () => {
  const world = createWorld()
  for (const file of ['base.css', 'parts.css', 'controls.js', 'sign-in.js', 'icon.svg']) {
    expect((await world.get(`/assets/${file}`)).status).toBe(200)
  }
})

async function show(world: World, changes: Record<string, string>): Promise<string> {
  const response = await world.get(authorizePath(changes))
  expect(response.status).toBe(200)
  return response.text()
}

function count(page: string): string | undefined {
  return /<p id="count"[^>]*>([^<]*)</.exec(page)?.[1]
}
