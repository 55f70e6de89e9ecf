/** What a phone loads before a page can be used: bytes as they are sent, without caches. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { buildDemo } from '../../../scripts/dev/build-demo.ts'
import { createApp } from '../../../src/app/app.ts'
import { onServer } from '../../../src/platform/docs/guide/addresses.ts'
import { pagesInOrder, readContents } from '../../../src/platform/docs/guide/contents.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const ORIGIN = 'http://localhost'
/** At 1.6 Mbit/s 100 KB take half a second. */
const MOST = { page: 20_000, files: 12_000, swagger: 560_000, demo: 130_000 }

onEngine(sqliteEngine, 'The weight of pages', world => {
  let folder: string
  let app: ReturnType<typeof createApp>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'matchday-weight-'))
    await buildDemo(folder)
    const docs = { ...world.config.docs, demoFolder: folder }
    app = createApp({ ...world.deps, config: { ...world.config, docs } })
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  async function get(path: string) {
    const headers = { 'accept-encoding': 'gzip, br' }
    const response = await app.handle(new Request(ORIGIN + path, { headers }))
    expect(response.status, path).toBe(200)
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { size: bytes.byteLength, text: decode(bytes, response.headers.get('content-encoding')) }
  }

  /** The page with the styles and scripts that it names. */
  async function weigh(path: string) {
    const { size, text } = await get(path)
    const named = text.matchAll(/<(?:link|script)[^>]* (?:href|src)="(\/[^"]+)"/g)
    const files = new Set([...named].map(([, file = '']) => file))
    expect(files.size).toBeGreaterThan(1)
    const sizes = await Promise.all([...files].map(async file => (await get(file)).size))
    return size + sizes.reduce((sum, one) => sum + one, 0)
  }

  test('each page of the guide has at most 20 KB, and its styles and scripts 12', async () => {
    const heavy: Record<string, number[]> = {}
    for (const { file } of pagesInOrder(readContents())) {
      const path = onServer.page(file, file)
      const [{ size }, whole] = [await get(path), await weigh(path)]
      if (size > MOST.page || whole - size > MOST.files) heavy[file] = [size, whole - size]
    }
    expect(heavy).toEqual({})
  }, 60_000)

  test.each([
    ['/docs', MOST.swagger],
    ['/demo', MOST.demo],
  ])('%s loads at most %d bytes', async (path, most) => {
    expect(await weigh(path)).toBeLessThanOrEqual(most)
  })
})

function decode(bytes: Uint8Array<ArrayBuffer>, coding: string | null): string {
  const plain = coding === 'br' ? brotliDecompressSync(bytes) : coding ? Bun.gunzipSync(bytes) : bytes
  return new TextDecoder().decode(plain)
}
