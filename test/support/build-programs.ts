/**
 * Builds one executable of the programs that tests run as processes, and prints its path and their files. Run by `commandOf`,
 * once for a test process, and built once for all of them.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type BunPlugin, Glob } from 'bun'
import { keptFile } from './kept-file.ts'

const root = join(import.meta.dir, '../..')
const filesOf = (glob: string) => [...new Glob(glob).scanSync(root)].sort()

/** They load tools of development, which read their own files; `dev` starts Bun with flags. */
const DEVELOPMENT = ['build', 'dev', 'docs', 'generate-migrations', 'licenses', 'problems']
const programs = [
  'src/main.ts',
  'mock-idp/main.ts',
  ...filesOf('scripts/*.ts'),
  ...filesOf('test/**/*-process.ts'),
].filter(file => !DEVELOPMENT.some(name => file === `scripts/${name}.ts`))

/** The sources that Bun builds it from. For packages, the lock file is enough. */
function hashSources(): string {
  const hasher = new Bun.CryptoHasher('sha256').update(`${root}\n${Bun.version}\n`)
  const sources = filesOf('{src,db,scripts,mock-idp,test}/**/*.{ts,json}').filter(
    file => !file.endsWith('.test.ts'),
  )
  for (const file of ['bun.lock', 'package.json', ...sources])
    hasher.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hasher.digest('hex')
}

/** `EXECUTABLE FILE …` runs a file of the repository. */
const entry = `
const programs = { ${programs.map(file => `'${file}': () => import('./${file}')`).join(', ')} }
await programs[process.argv.splice(2, 1)[0]]()`

/** A module finds its files where its source is. */
const sourceFolders: BunPlugin = {
  name: 'source-folders',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      return { contents: text.replaceAll('import.meta.dir', JSON.stringify(dirname(path))), loader: 'ts' }
    })
  },
}

async function build(outfile: string) {
  await Bun.build({
    entrypoints: [join(root, 'programs.js')],
    files: { [join(root, 'programs.js')]: entry },
    root,
    compile: { outfile },
    // A program loads only what it needs.
    splitting: true,
    // Most of what a short process costs is parsing and compiling modules.
    bytecode: true,
    format: 'esm',
    external: ['supports-color'],
    define: {
      // Otherwise the value at the time of the build is used.
      'process.env.NODE_ENV': 'Bun.env.NODE_ENV',
      // The programs behave as if Bun ran their sources: a worker is started with the file.
      'Bun.isStandaloneExecutable': 'false',
      'Bun.main': '"src/main.ts"',
      // Asking git takes a twentieth of a short process.
      BUILD_COMMIT: '""',
    },
    plugins: [sourceFolders],
  })
}

const path = await keptFile('programs', hashSources(), build)
process.stdout.write(JSON.stringify({ path, programs }))
