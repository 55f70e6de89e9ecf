/** The licences of what runs in production; `--sbom` prints a CycloneDX bill of materials. Fails on what is not permissive. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import product from '../package.json'
import { readProductionPackages } from './licenses/packages.ts'
import { isPermissive } from './licenses/permissive.ts'
import { describeSbom } from './licenses/sbom.ts'
import { fail } from './terminal.ts'

const { values } = parseArgs({ options: { sbom: { type: 'boolean', default: false } } })
const packages = await readProductionPackages(join(import.meta.dir, '..')).catch((error: Error) =>
  fail(error.message),
)

if (values.sbom) process.stdout.write(`${JSON.stringify(describeSbom(product, packages), null, 2)}\n`)
else {
  for (const { name, version, license } of packages)
    process.stdout.write(`${name}@${version}\t${license ?? 'no licence named'}\n`)
}

const refused = packages.filter(({ license }) => !isPermissive(license))
if (refused.length > 0) {
  fail(`Not permissive: ${refused.map(({ name, version }) => `${name}@${version}`).join(', ')}.`)
}
