/**
 * Builds one executable of the programs that tests run as processes, and prints its path and their files. Run by `commandOf`,
 * once for a test process, and built once for all of them.
 */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type BunPlugin, Glob } from 'bun'
import { waitUntil } from './wait-until.ts'

const root = join(import.meta.dir, '../..')
const filesOf = (glob: string) => [...new Glob(glob).scanSync(root)].sort()

/** They load tools of development, which read their own files; `dev` starts Bun with flags. */
const DEVELOPMENT = ['build', 'dev', 'docs', 'generate-migrations', 'licenses']
const programs = [
  'src/main.ts',
  'mock-idp/main.ts',
  ...filesOf('scripts/*.ts'),
  ...filesOf('test/*/*-process.ts'),
].filter(file => !DEVELOPMENT.some(name => file === `scripts/${name}.ts`))

/** What Bun builds it from: of the packages, the lock file is enough. */
function hashSources(): string {
  const hasher = new Bun.CryptoHasher('sha256').update(`${root}\n${Bun.version}\n`)
  const sources = filesOf('{src,db,scripts,mock-idp,test}/**/*.{ts,json}').filter(
    file => !file.endsWith('.test.ts'),
  )
  for (const file of ['bun.lock', 'package.json', ...sources])
    hasher.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hasher.digest('hex').slice(0, 16)
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
    },
    plugins: [sourceFolders],
  })
}

const PREFIX = 'matchday-programs-'
const HOUR_MS = 3_600_000
const path = join(tmpdir(), PREFIX + hashSources())

/** Waits while another process builds the same. */
async function buildOnce() {
  const lock = `${path}.lock`
  async function isBuilt(): Promise<boolean> {
    if (existsSync(path)) return true
    if (!take(lock)) return false
    // Another process never starts one that is half written.
    const draft = mkdtempSync(`${path}-`)
    await build(join(draft, 'programs'))
    renameSync(join(draft, 'programs'), path)
    rmSync(draft, { recursive: true })
    rmSync(lock, { force: true })
    return true
  }
  await waitUntil('the programs are built', isBuilt, HOUR_MS, 20)
}

/** Should two processes replace the lock of one that was killed, both build, and the later executable stays. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** A build takes seconds. An older lock is of a process that was killed, whose id another process may have by now. */
const MAX_LOCK_MS = 120_000

function isHeld(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > MAX_LOCK_MS) return false
    // Before the process has written its id, 0: that is this process and its group, which runs.
    return process.kill(Number(readFileSync(lock, 'utf8')), 0)
  } catch {
    return false
  }
}

await buildOnce()
// What other runs use is younger, see `commandOf`.
for (const name of readdirSync(tmpdir()).filter(name => name.startsWith(PREFIX))) {
  const other = join(tmpdir(), name)
  const age = Date.now() - (statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (age > HOUR_MS) rmSync(other, { recursive: true, force: true })
}
process.stdout.write(JSON.stringify({ path, programs }))
