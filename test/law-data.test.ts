/** What docs/law.md says about where data of fans is, and who else gets it. */
import { expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { writeFiles } from './fan/account/exports-world.ts'
import { startSecondInstance } from './identity/users/second-instance.ts'
import { addPack, buy, expectStatus, patientFan } from './play/packs/packs-world.ts'
import { addStock, checkout, completeOrder, POINTS } from './play/shop/orders-world.ts'
import type { Client } from './support/client.ts'
import { root } from './support/dev.ts'
import { sqliteEngine } from './support/engines.ts'
import { waitUntil } from './support/wait-until.ts'
import { createWorld, type Fan, onEngine, type World } from './support/world.ts'

const NAME = 'Zuleika Quimby'
const TEXTS = [NAME, 'I sell tickets at gate 4', 'Rua do Cais 12', '4050-123', 'They wrote to me at night']

/** A fan who tells the application a name, texts and an address. */
async function live(world: World, fan: Client): Promise<void> {
  const [, bio, line1, postalCode, note] = TEXTS
  expectStatus(200, await fan.patch('/api/user/profile', { displayName: NAME, bio }))
  expectStatus(200, await fan.post('/api/user/sync-identity', {}))
  const { status } = await fan.get('/api/fans/zuleika_quimby?cursor=zuleika')
  expect(status).not.toBe(500)
  const reported = await world.fan()
  const handle = `reported_${reported.subject.replace('-', '_')}`
  expectStatus(201, await reported.post('/api/user/profile', { handle }))
  const report = { subject: { kind: 'fan', id: handle }, reason: 'harassment', note }
  expectStatus(201, await fan.post('/api/reports', report))
  await buy({ ...fan, subject: '', token: '' } as Fan, await addPack(world))
  const { id } = expectStatus(201, await checkout(fan, await addStock(world, 5, { price: POINTS })))
  expectStatus(200, await completeOrder(fan, id))
  const address = { name: NAME, line1, city: 'Porto', postalCode, country: 'PT' }
  const lines = [{ productId: await addStock(world, 5, { price: POINTS }), quantity: 1 }]
  expectStatus(201, await fan.post('/api/checkout', { lines, address }))
  expectStatus(202, await fan.post('/api/user/export'))
  await writeFiles(world)
}

onEngine(sqliteEngine, 'Data of fans', world => {
  test('is not in the log, which has ids and the templates of paths', async () => {
    const fan = await patientFan(world, 1_000)
    expectStatus(200, await fan.patch('/api/user/profile', { handle: 'zuleika_quimby' }))
    await live(world, fan)
    const { email, name } = expectStatus(200, await fan.get('/api/user/profile')).identity
    const withdrawal = new URLSearchParams({ order: '1', email: 'zuleika@club.example' })
    const headers = { 'x-forwarded-for': '203.0.113.77' }
    const request = new Request('http://localhost/withdraw', { method: 'POST', body: withdrawal, headers })
    expect((await world.app.handle(request)).status).toBe(404)
    await world.anonymous.get('/api/teams', { 'x-request-id': 'the-last' })
    await waitUntil('the last line is logged', () => world.logged.at(-1)?.includes('the-last'))
    const log = world.logged.join('\n')
    expect(log).toContain('/api/fans/:handle')
    for (const text of [...TEXTS, 'zuleika', '203.0.113.77', fan.token, email, name])
      expect(log).not.toContain(text)
  })

  test('does not reach the identity provider, which gets the token of its own', async () => {
    const asked: { method: string; path: string; body: string; authorization: string | null }[] = []
    const { withToken, deps, app } = await startSecondInstance(world, {
      async fetch(request) {
        const { pathname, search } = new URL(request.url)
        const authorization = request.headers.get('authorization')
        asked.push({
          method: request.method,
          path: pathname + search,
          body: await request.clone().text(),
          authorization,
        })
        expect([...request.headers.keys()].filter(name => !/^(accept|authorization)/.test(name))).toEqual([])
        return world.idp.handle(request)
      },
    })
    const fan = await patientFan(world, 1_000)
    const client = withToken(fan.token)
    expectStatus(200, await client.patch('/api/user/profile', { handle: 'zuleika_second' }))
    await live({ ...world, deps, app }, client)
    expect(asked.length).toBeGreaterThan(1)
    for (const { method, path, body, authorization } of asked) {
      expect([method, body]).toEqual(['GET', ''])
      expect([null, `Bearer ${fan.token}`]).toContain(authorization)
      expect(path).toMatch(/^\/(\.well-known\/[\w./-]+|jwks|userinfo)$/)
    }
  })
})

test('Without further settings the application connects to no host but the identity provider', async () => {
  const outgoing = spyOn(globalThis, 'fetch')
  const world = await createWorld(sqliteEngine, { env: { PAYMENT_GATEWAY: '' } })
  const fan = await patientFan(world, 1_000)
  expectStatus(200, await fan.patch('/api/user/profile', { handle: 'zuleika_third' }))
  await live(world, fan)
  const called = outgoing.mock.calls.map(([url]) => String(url))
  outgoing.mockRestore()
  await world.close()
  expect(called).toEqual([])
})

/** What reaches another host, and the place of the page that says so. `null`: not of its own. */
const CONNECTING: Record<string, string | null> = {
  'src/main.ts': 'The identity provider',
  'src/operate/console/provider/routes.ts': 'The identity provider',
  'src/operate/console/pictures/faces.ts': 'Hosts of pictures',
  'src/play/shares/art.ts': 'Hosts of pictures',
  'src/club/pictures/store.ts': 'The folder or bucket of `UPLOADS`',
  'src/play/purchases/gateways/create.ts': 'Payment gateways and app stores',
  'src/play/purchases/gateways/stripe-client.ts': 'Payment gateways and app stores',
  'src/delivery/push/apns.ts': 'Push services: of browsers, Google, Apple',
  'src/delivery/event-sink/nats.ts': 'Endpoints of webhooks, the event sink',
  'src/platform/tracing/export.ts': 'A collector of traces',
  // Chains, Stripe, push services and webhooks.
  'src/app/deps.ts': 'Nodes of a blockchain',
  'src/core/ssrf-guard.ts': null,
  // A client for tests.
  'src/app/eden.ts': null,
}

const CONNECTS =
  /\bcreateGuardedFetch\(|globalThis\.fetch|\btransport = fetch\b|\bcreateConnection\(|from 'node:(http2?|https|tls|dgram)'|Bun\.(connect|udpSocket|S3Client)|transport-node|OTLPTraceExporter\(|new (Stripe|WebSocket)\(/
/** Of the file, and not the global one. */
const OWN_FETCH = /\bfetch\b\s*[,}:?)]|\b(const|let) fetch\b/

test('Each module that connects to another host is of a place of docs/law.md', () => {
  const page = readFileSync(join(root, 'docs/law.md'), 'utf8')
  const found: string[] = []
  for (const path of new Glob('{src,db}/**/*.ts').scanSync(root)) {
    // Pages run in a browser.
    if (/node_modules\/|\.d\.ts$|^src\/(console|client)\//.test(path)) continue
    const source = readFileSync(join(root, path), 'utf8')
    const isGlobal = /(?<![\w.])fetch\(/.test(source) && !OWN_FETCH.test(source)
    if (CONNECTS.test(source) || isGlobal) found.push(path)
  }
  expect(found.toSorted()).toEqual(Object.keys(CONNECTING).toSorted())
  for (const place of Object.values(CONNECTING)) if (place) expect(page).toContain(`\n| ${place} | `)
})

test('Pages take scripts, styles, fonts and data of no other host, and pictures alone may be elsewhere', () => {
  let policies = 0
  for (const path of new Glob('src/**/*.ts').scanSync(root)) {
    const source = readFileSync(join(root, path), 'utf8')
    if (/node_modules\//.test(path) || !source.includes("default-src 'none'")) continue
    policies++
    for (const [directive] of source.matchAll(/\b(?!img)[a-z]+-src [^;\n]*/g))
      expect(directive, path).not.toMatch(/https?:|\*|\bdata:.*script/)
  }
  expect(policies).toBeGreaterThan(5)
})
