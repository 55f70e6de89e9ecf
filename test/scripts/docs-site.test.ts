/** `bun run docs build`: pages as files, whose links work wherever the folder is. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'
import type { CommandOutcome } from '../support/command-runner.ts'
import { root } from '../support/dev.ts'
import { runScript } from './run-script.ts'

const folder = mkdtempSync(join(tmpdir(), 'matchday-site-'))
const site = join(folder, 'site')
const read = (file: string) => readFileSync(join(site, file), 'utf8')
/** The site of PUBLIC_URL, which the other one replaces. */
let replaced: { built: CommandOutcome; steps: string; servers: unknown }
let built: CommandOutcome
let files: string[]

/** The executable does not have this command. */
const build = (out: string, env: Record<string, string> = {}) =>
  runScript('docs', ['build', '--json', '--out', out], { env, ownProcess: false })

beforeAll(async () => {
  replaced = {
    built: await build(site, { PUBLIC_URL: 'https://api.club.example/' }),
    steps: read('first-steps.html'),
    servers: JSON.parse(read('openapi.json')).servers,
  }
  built = await build(site)
  files = [...new Glob('**/*.html').scanSync(site)]
})
afterAll(() => rmSync(folder, { recursive: true }))

test('writes a file for every page of docs/', () => {
  expect(built).toMatchObject({ code: 0, err: '' })
  const expected = [...new Glob('docs/**/*.md').scanSync(root)].map(page =>
    page
      .replace('docs/', '')
      .replace(/README\.md$/, 'index.html')
      .replace(/\.md$/, '.html'),
  )
  expect(files.toSorted()).toEqual(expected.toSorted())
  expect(JSON.parse(built.out).pages.toSorted()).toEqual(expected.toSorted())
})

test('examples use the server of PUBLIC_URL, and sessions the one of development', () => {
  const { steps, servers } = replaced
  expect(replaced.built).toMatchObject({ code: 0, err: '' })
  expect(steps).toContain('<span data-fill="origin">https://api.club.example</span>')
  expect(steps).toContain('value="https://api.club.example"')
  expect(steps).toContain('curl -s localhost:3000/api/rewards')
  expect(servers).toMatchObject([{ url: 'https://api.club.example' }])
  expect(read('first-steps.html')).toContain('<span data-fill="origin">http://localhost:3000</span>')
})

test('every link of every page is relative, and leads to a file and a heading', () => {
  for (const file of files) {
    const links = [...read(file).matchAll(/ (?:src|href|data-library|data-index)="([^"]*)"/g)].map(
      ([, link]) => link ?? '',
    )
    expect(links.length, file).toBeGreaterThan(20)
    for (const link of new Set(links.filter(one => !/^https?:/.test(one)))) {
      expect(link, file).not.toStartWith('/')
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? file : normalize(join(dirname(file), path))
      expect({ file, link, exists: existsSync(join(site, target)) }).toEqual({ file, link, exists: true })
      if (anchor) expect(read(target), `${file}: ${link}`).toContain(` id="${anchor}"`)
    }
  }
})

test('the index of the search names files, from pages of any depth', () => {
  const script = read('assets/search-index.js')
  const { documentIds } = JSON.parse(JSON.parse(script.slice(script.indexOf('= ') + 2))) as {
    documentIds: Record<string, string>
  }
  for (const id of Object.values(documentIds))
    expect(existsSync(join(site, id.split('#')[0] ?? '')), id).toBe(true)
  for (const file of files) {
    const [, base] = / data-base="([^"]*)"/.exec(read(file)) ?? []
    expect(existsSync(join(site, dirname(file), base ?? 'none', 'clients.html')), file).toBe(true)
  }
})

test('no page has inline code, and each has its pictures and the document', () => {
  for (const file of files) expect(read(file), file).not.toMatch(/<script>|<style| style="| on[a-z]+="/)
  expect(read('architecture.html')).toContain('src="floors.svg"')
  expect(existsSync(join(site, 'floors.svg'))).toBe(true)
  expect(JSON.parse(read('openapi.json')).openapi).toStartWith('3.')
})

test('replaces an earlier site, and no other folder', async () => {
  const other = mkdtempSync(join(folder, 'other-'))
  writeFileSync(join(other, 'notes.txt'), 'mine')
  const refused = await build(other)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('has other files')])
  expect(existsSync(join(other, 'notes.txt'))).toBe(true)
  expect([replaced.built.code, built.code]).toEqual([0, 0])
  expect(read('first-steps.html')).not.toBe(replaced.steps)
})
