/** Builds the npm package `@matchday/client` from `src/client`: one ES module, its types, and a tarball. */
import { cp, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { $, Glob } from 'bun'
import product from '../../package.json'
import source from '../../src/client/package.json'
import { CLIENT_TYPES, renderClientTypes } from './client-types.ts'

/** What `npm publish` reads. */
const manifest = {
  name: source.name,
  version: product.version,
  description: source.description,
  keywords: ['matchday', 'sports', 'fans', 'api', 'client'],
  license: source.license,
  type: 'module',
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
  // For resolvers without `exports`, such as those of older versions of Metro.
  main: './index.js',
  types: './index.d.ts',
  engines: { node: '>=20' },
}

interface Package {
  tarball: string
  /** Of its code, in bytes. */
  gzip: number
}

/**
 * Writes the package into `folder`, and packs it next to it, with the types of the OpenAPI document of today.
 * @throws Error with the messages of the bundler or of the compiler
 */
export async function buildClient(root: string, folder: string): Promise<Package> {
  await Bun.write(join(root, CLIENT_TYPES), await renderClientTypes(root))
  return packClient(root, folder)
}

/** As `buildClient`, of the sources as they are. */
export async function packClient(root: string, folder: string): Promise<Package> {
  const from = join(root, 'src/client')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(from, 'index.ts')],
    target: 'browser',
    format: 'esm',
    // Readable in a debugger: apps minify what they bundle.
    minify: false,
    throw: false,
  })
  const [output] = outputs
  if (!success || !output) throw new Error(`The client cannot be bundled:\n${logs.join('\n')}`)
  const code = await output.text()
  await Bun.write(join(folder, 'index.js'), code)
  await writeTypes(root, from, folder)
  await Bun.write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await cp(join(from, 'README.md'), join(folder, 'README.md'))
  const tarball = `${folder}.tgz`
  await $`${process.execPath} pm pack --filename ${tarball} --quiet`.cwd(folder).quiet()
  return { tarball, gzip: Bun.gzipSync(code).byteLength }
}

async function writeTypes(root: string, from: string, folder: string): Promise<void> {
  const compiler = join(root, 'node_modules/.bin/tsc')
  const emitted =
    await $`${compiler} --project ${from} --noEmit false --emitDeclarationOnly --outDir ${folder}`
      .nothrow()
      .quiet()
  if (emitted.exitCode !== 0) throw new Error(`The client does not compile:\n${emitted.stdout}`)
  for (const name of new Glob('*.d.ts').scanSync(folder)) {
    const file = join(folder, basename(name))
    const text = await Bun.file(file).text()
    // The package has no `.ts` files.
    await Bun.write(file, text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}
