/** The pictures of pages that `bun run screenshots` takes: all of them are there, small, and the README shows four. */
import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { looks, shots } from './shots.ts'

const root = join(import.meta.dir, '../..')
const FOLDER = 'docs/pictures'
const LARGEST_BYTES = 3_000_000

const files = readdirSync(join(root, FOLDER)).sort()

test('every page has a picture in every look, and there are no others', () => {
  const names = shots.flatMap(({ name }) => Object.keys(looks).map(look => `${name}-${look}.webp`))
  expect(files).toEqual(names.sort())
})

test('the pictures have at most 3 MB together', () => {
  const sizes = files.map(name => statSync(join(root, FOLDER, name)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(LARGEST_BYTES)
})

test('the README shows four pictures, which exist', async () => {
  const readme = await Bun.file(join(root, 'README.md')).text()
  const shown = [...readme.matchAll(/!\[[^\]]+\]\(docs\/pictures\/([^)]+)\)/g)].map(([, name]) => name ?? '')
  expect(new Set(shown).size).toBe(4)
  expect(files).toEqual(expect.arrayContaining(shown))
})
