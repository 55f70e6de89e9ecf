/** The packages as a software bill of materials: CycloneDX 1.6, JSON. */
import type { Package } from './packages.ts'

interface Product {
  name: string
  version: string
  license: string
  /** Its direct dependencies by name. */
  dependencies: Record<string, string>
}

export function describeSbom({ name, version, license, dependencies }: Product, packages: Package[]) {
  const product = `pkg:npm/${name}@${version}`
  const refs = new Map(packages.map(one => [`${one.name}@${one.version}`, purlOf(one)]))
  const roots = packages.filter(one => one.name in dependencies).map(purlOf)
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': product,
        name,
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: packages.map(one => ({
      type: 'library',
      'bom-ref': purlOf(one),
      name: one.name,
      version: one.version,
      purl: purlOf(one),
      licenses: one.license === null ? [] : [{ expression: one.license }],
      hashes: hashesOf(one.integrity),
    })),
    dependencies: [
      { ref: product, dependsOn: roots },
      ...packages.map(one => ({
        ref: purlOf(one),
        dependsOn: one.needs.map(key => refs.get(key)).filter(ref => ref !== undefined),
      })),
    ],
  }
}

/** Package URL (https://github.com/package-url/purl-spec); the `@` of a scope is escaped. */
const purlOf = ({ name, version }: Package) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** Converts `sha512-` plus base64 into algorithm and hexadecimal digest. */
function hashesOf(integrity: string) {
  const [algorithm = '', digest = ''] = integrity.split(/-(.*)/s)
  if (algorithm !== 'sha512') return []
  return [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }]
}
