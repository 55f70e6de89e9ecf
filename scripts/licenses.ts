/** `bun run licenses`: the licences of production dependencies, as a list or a bill of materials. */
import { join } from 'node:path'
import product from '../package.json'
import { declareCommand, runCommand } from './command/command.ts'
import { readProductionPackages } from './licenses/packages.ts'
import { isPermissive } from './licenses/permissive.ts'
import { describeSbom } from './licenses/sbom.ts'

const command = declareCommand({
  name: 'licenses',
  summary: 'Lists the licences of all production dependencies.',
  examples: [
    ['', 'one line per package; exits with 1 if a licence is not permissive'],
    ['--sbom', 'a CycloneDX bill of materials'],
  ],
  database: false,
}).option('--sbom', 'print a CycloneDX bill of materials instead')

await runCommand(command, async ({ options }) => {
  const packages = await readProductionPackages(join(import.meta.dir, '..'))
  const refused = packages.filter(({ license }) => !isPermissive(license))
  const found = refused.length > 0
  if (options.sbom) {
    const sbom = describeSbom(product, packages)
    return { json: sbom, text: JSON.stringify(sbom, null, 2), found }
  }
  const lines = packages.map(({ name, version, license }) => `${name}@${version}\t${license ?? 'no licence'}`)
  const names = refused.map(({ name, version }) => `${name}@${version}`)
  return {
    json: {
      packages: packages.map(({ name, version, license }) => ({ name, version, license })),
      refused: names,
    },
    text: [...lines, ...(found ? [`Not permissive: ${names.join(', ')}.`] : [])].join('\n'),
    found,
  }
})
