/** Files of the pages: compressed, with an ETag for each coding, and immutable if the name has a hash. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { createApp } from '../../../src/app/app.ts'
import { serveStatic } from '../../../src/platform/docs/static-files.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const TEXT = 'body { color: green }\n'.repeat(200)
let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-static-'))
  file = join(folder, 'one.css')
  writeFileSync(file, TEXT)
})
afterAll(() => rmSync(folder, { recursive: true }))

const ask = (headers: Record<string, string> = {}, more: { hashed?: boolean; type?: string } = {}) =>
  serveStatic(new Request('http://localhost/', { headers }), { file, type: 'text/css', ...more })

async function plainOf(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const coding = response.headers.get('content-encoding')
  const plain =
    coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? Bun.gunzipSync(bytes) : bytes
  return new TextDecoder().decode(plain)
}

test.each([
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['identity', null],
])('Accept-Encoding: %s gets the coding %s', async (accepted, coding) => {
  const response = await ask({ 'accept-encoding': accepted })
  expect(response.headers.get('content-encoding')).toBe(coding)
  expect(response.headers.get('vary')).toBe('Accept-Encoding')
  expect(await plainOf(response)).toBe(TEXT)
})

test('each coding has an ETag of its own, and is 304 for a client that has it', async () => {
  const etags = new Set<string>()
  for (const coding of ['br', 'gzip', 'identity']) {
    const etag = (await ask({ 'accept-encoding': coding })).headers.get('etag') ?? ''
    const again = await ask({ 'accept-encoding': coding, 'if-none-match': etag })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    expect((await ask({ 'accept-encoding': coding, 'if-none-match': '"other"' })).status).toBe(200)
    etags.add(etag)
  }
  expect(etags.size).toBe(3)
})

test('a file is validated each time, unless its name has a hash', async () => {
  expect((await ask()).headers.get('cache-control')).toBe('no-cache')
  expect((await ask({}, { hashed: true })).headers.get('cache-control')).toBe(
    'public, max-age=31536000, immutable',
  )
})

test('a picture is not compressed again', async () => {
  const response = await ask({ 'accept-encoding': 'br' }, { type: 'image/webp' })
  expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([null, null])
})

test('an edit shows at once, in every coding', async () => {
  await ask({ 'accept-encoding': 'br' })
  writeFileSync(file, `${TEXT}i {}`)
  utimesSync(file, new Date(), new Date(Date.now() + 2_000))
  expect(await plainOf(await ask({ 'accept-encoding': 'br' }))).toBe(`${TEXT}i {}`)
  writeFileSync(file, TEXT)
})

test.each([
  ['its content', 1],
  ['what is compressed', 2],
])('a read of %s that failed is tried again', async (_, failing) => {
  let reads = 0
  const picture = new Blob([TEXT])
  const flaky = Object.assign(picture, {
    async arrayBuffer() {
      if (++reads === failing) throw new Error('the disk failed')
      return Blob.prototype.arrayBuffer.call(picture)
    },
  })
  const get = () =>
    serveStatic(new Request('http://localhost/', { headers: { 'accept-encoding': 'br' } }), {
      file: flaky,
      type: 'text/css',
    })
  await expect(get()).rejects.toThrow('the disk failed')
  expect(await plainOf(await get())).toBe(TEXT)
})

onEngine(sqliteEngine, 'Pages', world => {
  test.each([
    '/',
    '/docs/guide',
    '/docs/guide/quests',
    '/docs/guide/search-index.js',
    '/docs/swagger-ui.css',
  ])('%s is compressed, and 304 for a client that has it', async path => {
    const get = (headers: Record<string, string>) =>
      world.app.handle(new Request(`http://localhost${path}`, { headers }))
    const first = await get({ 'accept-encoding': 'gzip' })
    expect([first.status, first.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    const etag = first.headers.get('etag') ?? ''
    expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(304)
  })

  test('the bundle of the demo is immutable, and its page is not', async () => {
    writeFileSync(join(folder, 'index.html'), TEXT)
    writeFileSync(join(folder, 'main-0a1b2c3d.js'), TEXT)
    writeFileSync(join(folder, 'service-worker.js'), TEXT)
    const docs = { ...world.config.docs, demoFolder: folder }
    const app = createApp({ ...world.deps, config: { ...world.config, docs } })
    const cachingOf = async (path: string) =>
      (await app.handle(new Request(`http://localhost/demo${path}`))).headers.get('cache-control')
    expect(await cachingOf('/main-0a1b2c3d.js')).toContain('immutable')
    for (const path of ['', '/rewards', '/service-worker.js', '/one.css'])
      expect(await cachingOf(path)).toBe('no-cache')
  })
})
