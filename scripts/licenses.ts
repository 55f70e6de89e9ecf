/** `bun run licenses`: the licences of what runs in production, and a bill of materials. Finds what is not permissive. */
import { join } from 'node:path'
import product from '../package.json'
import { declareCommand, runCommand } from './command/command.ts'
import { readProductionPackages } from './licenses/packages.ts'
import { isPermissive } from './licenses/permissive.ts'
import { describeSbom } from './licenses/sbom.ts'

const command = declareCommand({
  name: 'licenses',
  summary: 'Lists the licences of all that runs in production.',
  examples: [
    ['', 'one line a package; 1 when a licence is not permissive'],
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
    return { answer: sbom, text: JSON.stringify(sbom, null, 2), found }
  }
  const lines = packages.map(
    ({ name, version, license }) => `${name}@${version}\t${license ?? 'no licence named'}`,
  )
  const names = refused.map(({ name, version }) => `${name}@${version}`)
  return {
    answer: {
      packages: packages.map(({ name, version, license }) => ({ name, version, license })),
      refused: names,
    },
    text: [...lines, ...(found ? [`Not permissive: ${names.join(', ')}.`] : [])].join('\n'),
    found,
  }
})
