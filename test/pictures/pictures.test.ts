/** The pictures of pages that `bun run screenshots` takes: all of them are there, small, and shown where they should be. */
import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { consoleShots } from './console-shots.ts'
import { looks, shots } from './shots.ts'

const root = join(import.meta.dir, '../..')
const FOLDER = 'docs/pictures'
const CONSOLE_FOLDER = 'docs/pictures/console'
const LARGEST_BYTES = 3_300_000
/** The guide shows them, and the executable contains the guide: a clone and a download stay small. */
const LARGEST_CONSOLE_BYTES = 1_450_000

const filesOf = (folder: string) =>
  readdirSync(join(root, folder))
    .filter(name => name.endsWith('.webp'))
    .sort()
const files = filesOf(FOLDER)
const consoleFiles = filesOf(CONSOLE_FOLDER)
const inEveryLook = (shots: { name: string }[]) =>
  shots.flatMap(({ name }) => Object.keys(looks).map(look => `${name}-${look}.webp`)).sort()
const sizeOf = (folder: string, names: string[]) =>
  names.reduce((sum, name) => sum + statSync(join(root, folder, name)).size, 0)

test('every page has a picture in every look, and there are no others', () => {
  expect(files).toEqual(inEveryLook(shots))
  expect(consoleFiles).toEqual(inEveryLook(consoleShots))
})

test('the pictures have at most 3.3 MB together, and 1.45 MB more with those of the console', () => {
  expect(sizeOf(FOLDER, files)).toBeLessThanOrEqual(LARGEST_BYTES)
  expect(sizeOf(CONSOLE_FOLDER, consoleFiles)).toBeLessThanOrEqual(LARGEST_CONSOLE_BYTES)
})

test('the README shows four pictures, which exist', async () => {
  const readme = await Bun.file(join(root, 'README.md')).text()
  const shown = [...readme.matchAll(/!\[[^\]]+\]\(docs\/pictures\/([^)]+)\)/g)].map(([, name]) => name ?? '')
  expect(new Set(shown).size).toBe(4)
  expect(files).toEqual(expect.arrayContaining(shown))
})

test('the page about the console shows a picture of each of its screens', async () => {
  const page = await Bun.file(join(root, 'docs/console.md')).text()
  const shown = [...page.matchAll(/!\[[^\]]+\]\(pictures\/console\/([^)]+)\)/g)].map(([, name]) => name ?? '')
  expect(consoleFiles).toEqual(expect.arrayContaining(shown))
  for (const { name } of consoleShots)
    expect([name, shown.some(file => file.startsWith(`${name}-`))]).toEqual([name, true])
})
