/**
 * Bundles `scripts/matchday.ts` with Bun and the files that are read at run time. The same sources, packages and version
 * of Bun give the same bytes in any folder.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { BuildConfig, BunPlugin } from 'bun'
import { bundlePages } from '../../src/operate/console/bundle.ts'
import { CODED_FILES } from '../../src/platform/docs/static-files.ts'
import { type Coding, compress } from '../../src/platform/http/edge/compression.ts'
import { buildDemo } from '../dev/build-demo.ts'

/** Read at run time from the same places, relative to the root of the repository. */
const FILES = [
  'db/migrations',
  'docs',
  'mock-idp/pages',
  'src/play/check-ins/assets',
  'src/play/shares/assets',
  'src/play/shop/withdrawal-page/assets',
  'src/platform/docs/assets',
  'node_modules/@takumi-rs/wasm/pkg/takumi_wasm_bg.wasm',
  'node_modules/lean-qr/index.mjs',
  'node_modules/minisearch/dist/umd/index.js',
  'node_modules/swagger-ui-dist/oauth2-redirect.html',
  'node_modules/swagger-ui-dist/oauth2-redirect.js',
  'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
  'node_modules/swagger-ui-dist/swagger-ui.css',
]

/** How programs are compiled. `bun run bench start` compiles its reference in the same way. */
export const FLAGS = {
  // `debug` uses it if it is installed, which is the case only in development.
  external: ['supports-color'],
  // Lets a command load only the code that it needs.
  splitting: true,
  // Loading modules is most of the cost of a short command.
  bytecode: true,
  format: 'esm',
  // Otherwise the value at the time of the build is used.
  define: { 'process.env.NODE_ENV': 'Bun.env.NODE_ENV', __dirname: 'import.meta.dir' },
  throw: false,
} satisfies Partial<BuildConfig>

/**
 * Builds from the repository at `root`. `commit` is shown as the commit of the sources. @throws Error with the messages of
 * the bundler
 */
export async function buildExecutable(root: string, outfile: string, commit: string): Promise<void> {
  const staged = mkdtempSync(join(tmpdir(), 'matchday-build-'))
  try {
    for (const file of FILES)
      cpSync(join(root, file), join(staged, file), { recursive: true, filter: name => !name.endsWith('.ts') })
    await buildDemo(join(staged, 'data/demo'))
    for (const [name, file] of await bundlePages()) await Bun.write(join(staged, 'data/console', name), file)
    await compressFiles(staged)
    const { success, logs } = await Bun.build({
      ...FLAGS,
      // Each thread is a separate entry point.
      entrypoints: [
        'scripts/matchday.ts',
        'db/sqlite/checkpoint.ts',
        'src/operate/admin/backup/thread.ts',
        'src/play/shares/draw-picture.ts',
      ].map(file => join(root, file)),
      root,
      compile: {
        outfile,
        assets: readdirSync(staged)
          .sort()
          .map(name => join(staged, name)),
        // Such a file in the working directory could run other code.
        autoloadBunfig: false,
      },
      define: { ...FLAGS.define, BUILD_COMMIT: JSON.stringify(commit) },
      plugins: [ownFolders(root)],
    })
    if (!success) throw new Error(`The executable cannot be built:\n${logs.join('\n')}`)
  } finally {
    rmSync(staged, { recursive: true })
  }
}

/** Puts `NAME.br` and `NAME.gz` next to each file that pages load. */
async function compressFiles(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(m?js|css|svg|html)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
  const compressOne = async (file: string, coding: Coding) =>
    Bun.write(file + CODED_FILES[coding], await compress(await Bun.file(file).bytes(), coding, 'best'))
  await Promise.all(files.flatMap(file => [compressOne(file, 'br'), compressOne(file, 'gzip')]))
}

/** In the executable, `import.meta.dir` of every module is the root of its files, but sources expect their own folder. */
const ownFolders = (root: string): BunPlugin => ({
  name: 'own-folders',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text()
      const folder = relative(root, dirname(path))
      return {
        contents: text.replaceAll('import.meta.dir', `(import.meta.dir + ${JSON.stringify(`/${folder}`)})`),
        loader: 'ts',
      }
    })
  },
})
