/** `bun run build`: makes the executable and its bill of materials; `bun run build client`: an npm package. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import product from '../package.json'
import { commitOf } from '../src/core/commit.ts'
import { buildExecutable } from './build/executable.ts'
import { buildPackage, PACKAGES } from './build/package.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'
import { readProductionPackages } from './licenses/packages.ts'
import { describeSbom } from './licenses/sbom.ts'

const command = declareCommand({
  name: 'build',
  summary:
    'Builds dist/matchday, an executable for this system, and dist/matchday.cdx.json, its bill of materials; or an npm package.',
  examples: [
    ['', 'prints the SHA-256 of the executable: the same commit and packages give the same'],
    ['client', 'builds dist/client, the npm package of the client, and dist/client.tgz'],
    ['backend', 'the same of what verifies webhooks and tokens in your own backend'],
    ['react', 'the same of the hooks for React'],
  ],
  database: false,
})
  .addArgument(
    new Argument('[what]', 'what to build').choices(['executable', ...PACKAGES]).default('executable'),
  )
  .option('--out <folder>', 'write into this folder', 'dist')
  .option('--commit <commit>', 'commit of the sources, if they are not a repository (default: from git)')

await runCommand(command, async ({ parameters: [what], options }) => {
  const root = join(import.meta.dir, '..')
  const out = resolve(options.out)
  if (what !== 'executable') {
    const { tarball, gzip } = await buildPackage(root, what, join(out, what))
    return { json: { tarball, gzip }, text: `${tarball}: ${gzip} bytes with gzip` }
  }
  if (product.packageManager !== `bun@${Bun.version}`)
    fail(`The executable contains Bun: build it with ${product.packageManager}, not ${Bun.version}.`)
  mkdirSync(out, { recursive: true })
  const path = join(out, 'matchday')
  await buildExecutable(root, path, options.commit ?? commitOf(root))
  const sha256 = new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest('hex')
  // The packages in the pages of the console and of the example app.
  const packages = await readProductionPackages(root, ['preact', '@preact/signals', 'uplot', 'qr'])
  const sbom = withRuntime(describeSbom(product, packages), sha256)
  await Bun.write(`${path}.cdx.json`, `${JSON.stringify(sbom, null, 2)}\n`)
  return { json: { path, sha256 }, text: `${sha256}  ${path}` }
})

/** Adds data of the executable: its hash, and Bun. */
function withRuntime(sbom: ReturnType<typeof describeSbom>, sha256: string) {
  const bun = {
    type: 'platform',
    'bom-ref': `pkg:generic/bun@${Bun.version}`,
    name: 'bun',
    version: Bun.version,
  }
  const component = { ...sbom.metadata.component, hashes: [{ alg: 'SHA-256', content: sha256 }] }
  return {
    ...sbom,
    metadata: { component },
    components: [...sbom.components, { ...bun, purl: bun['bom-ref'] }],
  }
}
