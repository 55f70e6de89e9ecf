/** Bundles the programs that tests run as processes, and prints the folder. Run by `programOf`, once for a test process. */
import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type BunPlugin, Glob } from 'bun'

const root = join(import.meta.dir, '../..')
/** They load tools of development, which read their own files. */
const DEVELOPMENT = ['bench', 'build', 'docs', 'generate-migrations', 'licenses']
const scripts = [...new Glob('scripts/*.ts').scanSync(root)]
  .filter(file => !DEVELOPMENT.some(name => file === `scripts/${name}.ts`))
  .sort()
const processes = [...new Glob('test/*/*-process.ts').scanSync(root)].sort()

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

const { outputs } = await Bun.build({
  entrypoints: ['src/main.ts', ...scripts, ...processes].map(file => join(root, file)),
  root,
  target: 'bun',
  // A program loads only what it needs.
  splitting: true,
  external: ['supports-color'],
  // Otherwise the value at the time of the build is used.
  define: { 'process.env.NODE_ENV': 'Bun.env.NODE_ENV' },
  plugins: [sourceFolders],
})
const FOLDER = 'matchday-programs-'
const DAY_MS = 86_400_000
const content = await Promise.all(outputs.map(async output => `${output.path}\n${await output.text()}`))
const folder = join(tmpdir(), `${FOLDER}${hash('sha256', content.join('\n'), 'hex').slice(0, 16)}`)
if (!existsSync(folder)) {
  // Another process never reads one that is half written.
  const draft = mkdtempSync(`${folder}-`)
  for (const output of outputs) await Bun.write(join(draft, output.path), output)
  try {
    renameSync(draft, folder)
  } catch {
    // Another process was faster.
    rmSync(draft, { recursive: true })
  }
}
// What other runs use is not removed, nor what they left when they were killed, until it is a day old.
utimesSync(folder, new Date(), new Date())
for (const name of readdirSync(tmpdir()).filter(name => name.startsWith(FOLDER))) {
  const path = join(tmpdir(), name)
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (age > DAY_MS) rmSync(path, { recursive: true, force: true })
}
process.stdout.write(folder)
