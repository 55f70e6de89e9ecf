/** The files of `bun run test:distributed`, each by its path: next to a path, `bun test` ignores parts of names. */
import { join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '../..')

/** The economy, the races, the random models, what is sent to fans, errors that decide a response, and a season's walk through everything. */
export const FILES = [
  'test/economy/',
  'races.test.ts',
  'model.test.ts',
  'test/delivery/push/',
  'test/fan/messages/',
  './test/db/conflicting-verbs.ts',
  './test/db/errors.test.ts',
  './test/distributed/season-walk.test.ts',
]

/**
 * Files with tests whose paths contain one of these. A name that begins with `./` is the path of one file.
 * @throws Error if there is no such file
 */
export function listFiles(names: string[]): string[] {
  const all = [...new Glob('test/**/*.test.ts').scanSync(root)].toSorted()
  const files = names.flatMap(name => {
    const found = name.startsWith('./')
      ? [name]
      : all.filter(path => path.includes(name)).map(path => `./${path}`)
    if (found.length === 0) throw new Error(`no file with tests has "${name}" in its path`)
    return found
  })
  return [...new Set(files)]
}
