/** Sizes of the console with gzip: everything, and the part that loads before the first screen. */
import { expect, test } from 'bun:test'
import { bundlePages } from '../../src/operate/console/bundle.ts'

const LARGEST_BYTES = 220_000
/** The scripts and the style that the page names: the rest is loaded with the first screen that needs it. */
const LARGEST_START_BYTES = 60_000

const zipped = async (file: Blob) => Bun.gzipSync(new Uint8Array(await file.arrayBuffer())).length

/** The frame of a preview, which only the form of an entry loads. */
const LARGEST_PREVIEW_BYTES = 90_000

test('the pages of the console have at most 220 KB with gzip together, without the preview', async () => {
  const files = await bundlePages()
  const sizes = await Promise.all([...files].map(async ([name, file]) => [name, await zipped(file)] as const))
  const frame = (await files.get('preview.html')?.text()) ?? ''
  const ofFrame = sizes.filter(([name]) => name === 'preview.html' || frame.includes(name))
  expect(ofFrame.length).toBeGreaterThan(2)
  const sumOf = (some: typeof sizes) => some.reduce((all, [, size]) => all + size, 0)
  expect(sumOf(ofFrame)).toBeLessThanOrEqual(LARGEST_PREVIEW_BYTES)
  const sum = sumOf(sizes) - sumOf(ofFrame)
  expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(LARGEST_BYTES)
  const page = (await files.get('index.html')?.text()) ?? ''
  const first = sizes.filter(([name]) => name === 'index.html' || page.includes(name))
  expect(first.length).toBeGreaterThan(2)
  expect(first.reduce((all, [, size]) => all + size, 0)).toBeLessThanOrEqual(LARGEST_START_BYTES)
})
