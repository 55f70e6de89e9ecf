/** The arrows of the house, checked by its imports: routes → verbs → db, and never in a circle. */
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '..')

interface Source {
  file: string
  text: string
  /** Packages as they are named, our own files from the root on. */
  imports: string[]
}

const sources: Source[] = await Promise.all(
  [...new Glob('{src,db}/**/*.ts').scanSync(root)].map(async file => {
    const text = await Bun.file(join(root, file)).text()
    const names = [...text.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name ?? '')
    return {
      file,
      text,
      imports: names.map(name => (name.startsWith('.') ? join(dirname(file), name) : name)),
    }
  }),
)

const isRoutes = (file: string) => /routes\.ts$/.test(file)
/** What only HTTP knows, by its nature: the edge, the document, the one who listens, and who reads the bearer token. */
const isHttp = (file: string) =>
  isRoutes(file) || /^src\/(http|docs)\//.test(file) || /^src\/(app|main|auth\/authenticate)\.ts$/.test(file)
const offenders = (breaks: (source: Source) => boolean) => sources.filter(breaks).map(({ file }) => file)

test('there is something to check', () => {
  expect(sources.length).toBeGreaterThan(80)
  expect(sources.filter(({ file }) => isRoutes(file)).length).toBeGreaterThan(8)
})

test('no route group contains SQL', () => {
  const sql = /\.(select|insert|update|delete)\(|sql`/
  expect(
    offenders(({ file, text, imports }) => {
      // `.delete(` with a path is a route.
      const body = text.replace(/\.delete\(\s*['`]/g, '')
      return isRoutes(file) && (imports.some(name => name.startsWith('drizzle-orm')) || sql.test(body))
    }),
  ).toEqual([])
})

test('no verb contains HTTP: neither Elysia nor our own edge, but for schemas and examples of the document', () => {
  expect(
    offenders(
      ({ file, imports }) =>
        file.startsWith('src/') &&
        !isHttp(file) &&
        !/schema\.ts$/.test(file) &&
        imports.some(
          name => name === 'elysia' || name.startsWith('@elysiajs/') || name.startsWith('src/http/'),
        ),
    ),
  ).toEqual([])
})

test('what a caller changes is written through `mutate`, which keeps Idempotency-Key; other routes are few', () => {
  // Answers of `auth` carry secrets; deliveries of other systems carry no key.
  const mayWrite = ['src/auth/routes.ts', 'src/users/routes.ts', 'src/http/idempotency/idempotency.ts']
  expect(
    offenders(({ file, text }) => isHttp(file) && /\bdb\.write\(/.test(text) && !mayWrite.includes(file)),
  ).toEqual([])
})

test('the database knows nothing of the application', () => {
  expect(
    offenders(({ file, imports }) => file.startsWith('db/') && imports.some(name => name.startsWith('src/'))),
  ).toEqual([])
})

test('only the database’s own folder speaks a dialect', () => {
  const dialect = /drizzle-orm\/(pg-core|sqlite-core|bun-sql|bun-sqlite|pglite)|bun:sqlite/
  expect(
    offenders(({ file, imports }) => file.startsWith('src/') && imports.some(name => dialect.test(name))),
  ).toEqual([])
})

test('only sources.ts asks the machine for the time, an id or randomness; what cannot be owned says so', () => {
  const asks = /Date\.now\(|new Date\(\)|randomUUID|Math\.random|getRandomValues/
  // Jitter between two attempts at a lock, and secrets made once for development: no test needs to own them.
  const mayAsk = [
    'src/core/sources.ts',
    'src/config/development-secrets.ts',
    'db/sqlite/connection.ts',
    'db/postgres/database.ts',
  ]
  expect(offenders(({ file, text }) => asks.test(text) && !mayAsk.includes(file))).toEqual([])
})

test('capabilities use one another in one direction', () => {
  const folderOf = (path: string) => /^src\/([^/]+)\/.+/.exec(path)?.[1]
  const uses = new Map<string, Set<string>>()
  for (const { file, imports } of sources) {
    const from = folderOf(file)
    for (const name of imports) {
      const to = folderOf(name)
      if (from && to && from !== to) uses.set(from, (uses.get(from) ?? new Set()).add(to))
    }
  }
  const reaches = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of uses.get(from) ?? []) {
      if (seen.has(to)) continue
      seen.add(to)
      reaches(to, seen)
    }
    return seen
  }
  expect([...uses.keys()].filter(folder => reaches(folder).has(folder))).toEqual([])
})
