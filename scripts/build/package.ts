/**
 * Builds the npm packages of `src/client` and of the folders that use it: each is one ES module, its types, and a tarball.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { $, Glob } from 'bun'
import product from '../../package.json'
import { CLIENTS, renderClientTypes } from './client-types.ts'

/** Folders of `src`, each with the sources of `@matchday/…`. */
export const PACKAGES = ['client', 'backend', 'react'] as const
export type PackageName = (typeof PACKAGES)[number]

interface Source {
  name: string
  description: string
  license: string
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** The `package.json` for `npm publish`. */
const manifestOf = (
  folder: string,
  { name, description, license, dependencies, peerDependencies }: Source,
) => ({
  name,
  version: product.version,
  description,
  keywords: ['matchday', 'sports', 'fans', 'api', folder],
  license,
  type: 'module',
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  // For resolvers without `exports`, such as those of older versions of Metro.
  main: './index.js',
  types: './index.d.ts',
  engines: { node: '>=20' },
  dependencies,
  peerDependencies,
})

interface Package {
  tarball: string
  /** Size of its code with gzip, in bytes. */
  gzip: number
}

/**
 * Writes the package into `folder`, and packs it next to it, with the types of the OpenAPI document of today.
 * @throws Error with the messages of the bundler or of the compiler
 */
export async function buildPackage(root: string, name: PackageName, folder: string): Promise<Package> {
  await Bun.write(join(root, CLIENTS.api.file), await renderClientTypes(root, 'api'))
  return packPackage(root, name, folder)
}

/** Like `buildPackage`, from the current generated sources. */
export async function packPackage(root: string, name: PackageName, folder: string): Promise<Package> {
  const from = join(root, 'src', name)
  // Guarantee: it is written in this repository.
  const source = (await Bun.file(join(from, 'package.json')).json()) as Source
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(from, 'index.ts')],
    target: 'browser',
    format: 'esm',
    external: Object.keys({ ...source.dependencies, ...source.peerDependencies }),
    // Readable in a debugger: apps minify what they bundle.
    minify: false,
    throw: false,
  })
  const [output] = outputs
  if (!success || !output) throw new Error(`${source.name} cannot be bundled:\n${logs.join('\n')}`)
  const code = await output.text()
  await Bun.write(join(folder, 'index.js'), code)
  await writeTypes(root, name, folder)
  await Bun.write(join(folder, 'package.json'), `${JSON.stringify(manifestOf(name, source), null, 2)}\n`)
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await cp(join(from, 'README.md'), join(folder, 'README.md'))
  const tarball = `${folder}.tgz`
  await $`${process.execPath} pm pack --filename ${tarball} --quiet`.cwd(folder).quiet()
  return { tarball, gzip: Bun.gzipSync(code).byteLength }
}

/** The compiler also writes types of imported packages, into other folders. */
async function writeTypes(root: string, name: PackageName, folder: string): Promise<void> {
  const compiler = join(root, 'node_modules/.bin/tsc')
  const written = await mkdtemp(join(tmpdir(), 'matchday-types-'))
  const options = [
    '--noEmit',
    'false',
    '--emitDeclarationOnly',
    '--rootDir',
    join(root, 'src'),
    '--outDir',
    written,
  ]
  try {
    const emitted = await $`${compiler} --project ${join(root, 'src', name)} ${options}`.nothrow().quiet()
    if (emitted.exitCode !== 0) throw new Error(`src/${name} does not compile:\n${emitted.stdout}`)
    for (const file of new Glob('*.d.ts').scanSync(join(written, name))) {
      const text = await Bun.file(join(written, name, file)).text()
      // The package has no `.ts` files.
      await Bun.write(join(folder, basename(file)), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
    }
  } finally {
    await rm(written, { recursive: true })
  }
}
