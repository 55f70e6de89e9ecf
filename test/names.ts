/** The names of types are nouns; the paths and identifiers that the documentation names exist. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { capabilityFiles } from './types/capability.ts'

const root = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...[...new Glob('docs/**/*.md').scanSync(root)].toSorted(),
]
/** Code in running text, without blocks. */
const codeIn = (page: string) =>
  [...read(page).matchAll(/^```[\s\S]*?^```|`([^`\n]+)`/gm)].flatMap(([, code]) => code ?? [])

const FOLDERS = /^(src|db|test|scripts|mock-idp|examples|deploy|docs|\.ci)\//
/** `src/DOMAIN/ROOM/` and `test/db/*.test.ts` stand for others. */
const isPattern = (path: string) => /[A-Z]{3,}|[*…{} ]/.test(path.replace('README', ''))
const examples = [
  // Readers of the recipes write them; `bun run types:field` does in a copy.
  ...capabilityFiles,
  ...['problems', 'next-match', 'routes'].map(name => `src/fan/next-match/${name}.ts`),
  'test/fan/next-match/',
]

/** The path in a piece of code, or null if it is not a path. `src` can be omitted. */
function pathOf(code: string): string | null {
  const path = code.replace(/[#:].*/, '')
  if (isPattern(path) || examples.includes(path)) return null
  return FOLDERS.test(path) || /^[\w.-]+(\/[\w.-]+)+\.(ts|js)$/.test(path) ? path : null
}

test.each(pages)('every path that %s names exists', page => {
  const paths = codeIn(page).flatMap(code => pathOf(code) ?? [])
  const isThere = (path: string) =>
    ['', 'src', 'scripts'].some(folder => existsSync(join(root, folder, path)))
  expect(paths.filter(path => !isThere(path))).toEqual([])
})

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])('every identifier that %s names exists', page => {
  const files = [...new Glob('{src,db,scripts,test,mock-idp}/**/*.ts').scanSync(root)]
  const words = new Set(
    files
      .filter(file => !file.includes('node_modules'))
      .flatMap(file => read(file).match(/\b[a-z][a-z0-9]*[A-Z]\w*/g) ?? []),
  )
  const identifiers = codeIn(page).flatMap(code => code.match(/\b[a-z][a-z0-9]*[A-Z]\w*/g) ?? [])
  expect(identifiers.length).toBeGreaterThan(2)
  const invented = ['verbNoun', 'senderId', 'receiverId']
  expect(identifiers.filter(name => !words.has(name) && !invented.includes(name))).toEqual([])
})

const sources = [...new Glob('{src,db}/**/*.{ts,tsx}').scanSync(root)]
  .filter(file => !/node_modules|^src\/client\/|\/generated\.ts$/.test(file))
  .map(file => ({ file, text: read(file) }))

describe('types', () => {
  const types = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^(?:export )?(?:interface|type) (\w+)(.*)/gm)].map(([, name = '', rest = '']) => ({
      place: `${file}: ${name}`,
      name,
      rest,
    })),
  )
  const places = (found: typeof types) => found.map(({ place }) => place)

  test('names of types are nouns: a `Row` is one of a table or a query, and no caller is a `Who`', () => {
    expect(types.length).toBeGreaterThan(400)
    expect(places(types.filter(({ name }) => /^(Row|Outcome|Outcomes|Who)$/.test(name)))).toEqual([
      'db/pages.ts: Row',
    ])
    const isRow = (rest: string) =>
      /^ = (Tables\['\w+'\]|Awaited<ReturnType<|Record<string, unknown>)/.test(rest)
    expect(places(types.filter(({ name, rest }) => /Rows?$/.test(name) && !isRow(rest)))).toEqual([])
    expect(places(types.filter(({ name }) => name === 'Reader'))).toEqual(['db/types.ts: Reader'])
  })

  test('`at` is an instant, and no index or pointer', () => {
    const other = /\w\[at\]|\[at, |\(\w+, at\) => [^(]|\$\{at\}|\bat [-+] 1\b|\bat = ''/
    // In the pages an instant is what the API answers: a text.
    const isText = ({ file, text }: (typeof sources)[number]) =>
      !file.startsWith('src/console/') && /\bat: string/.test(text)
    const found = sources.filter(
      source => source.file.startsWith('src/') && (other.test(source.text) || isText(source)),
    )
    expect(found.map(({ file }) => file)).toEqual([])
  })
})

test('docs/architecture.md names every part of the spine, with the file that declares it', () => {
  const parts = sources.flatMap(({ file, text }) => {
    const part = /interface Spine \{\s+readonly (\w+):/.exec(text)?.[1]
    return part === undefined ? [] : `| \`${part}\` | \`${file}\` |`
  })
  expect(parts.length).toBeGreaterThan(2)
  const page = read('docs/architecture.md')
  expect(parts.filter(row => !page.includes(row))).toEqual([])
})
