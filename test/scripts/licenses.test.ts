/** All production dependencies have permissive licences and are in the bill of materials. */
import { expect, test } from 'bun:test'
import product from '../../package.json'
import { readProductionPackages } from '../../scripts/licenses/packages.ts'
import { isPermissive } from '../../scripts/licenses/permissive.ts'
import { describeSbom } from '../../scripts/licenses/sbom.ts'
import { root } from '../support/dev.ts'

const packages = await readProductionPackages(root)
const names = packages.map(({ name }) => name)

test('every production dependency has a permissive licence', () => {
  expect(packages.filter(({ license }) => !isPermissive(license))).toEqual([])
})

test('the tree has direct and transitive dependencies, and no development dependencies', () => {
  expect(names).toEqual(expect.arrayContaining(Object.keys(product.dependencies)))
  // Transitive, through elysia and pino.
  expect(names).toEqual(expect.arrayContaining(['memoirist', 'sonic-boom']))
  for (const name of ['typescript', '@biomejs/biome', 'drizzle-kit', 'fast-check'])
    expect(names).not.toContain(name)
  expect(packages.every(({ version, integrity }) => /^\d+\.\d+\.\d+/.test(version) && integrity !== '')).toBe(
    true,
  )
})

test('copyleft, unknown and missing licences are not permissive', () => {
  for (const license of ['GPL-3.0-only', 'AGPL-3.0', 'MIT AND GPL-2.0', 'SSPL-1.0', 'UNLICENSED', '', null])
    expect([license, isPermissive(license)]).toEqual([license, false])
  for (const license of ['MIT', '(MIT OR GPL-3.0)', 'Apache-2.0 AND MIT', '(WTFPL OR ISC)'])
    expect([license, isPermissive(license)]).toEqual([license, true])
})

test('the bill of materials is CycloneDX with every package once, hashes and dependencies', () => {
  const sbom = describeSbom(product, packages)
  expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.6'])
  const refs = sbom.components.map(component => component['bom-ref'])
  expect(new Set(refs).size).toBe(packages.length)
  for (const { hashes, licenses, purl } of sbom.components) {
    expect(purl).toMatch(/^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d/)
    expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/)
    expect(licenses).toHaveLength(1)
  }
  const [direct, ...rest] = sbom.dependencies
  expect(direct?.dependsOn.length).toBeGreaterThanOrEqual(Object.keys(product.dependencies).length)
  for (const { dependsOn } of rest) for (const ref of dependsOn) expect(refs).toContain(ref)
})
