/** The production dependencies: the tree of `dependencies` as pinned in bun.lock. */
import { join } from 'node:path'

export interface Package {
  name: string
  version: string
  /** SPDX expression of its package.json; null if it has none. */
  license: string | null
  /** Subresource Integrity hash from the lock file. */
  integrity: string
  /** Its dependencies as `name@version`. */
  needs: string[]
}

interface Requirements {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalPeers?: string[]
}

interface Lock {
  workspaces: { '': Requirements }
  packages: Record<string, [nameAtVersion: string, registry: string, needs: Requirements, integrity: string]>
}

interface Manifest {
  license?: string | { type?: string }
  licenses?: { type?: string }[]
}

/**
 * The packages of an installed repository at `root`, and `further` ones with their dependencies, sorted by name.
 * @throws Error when a package is not installed
 */
export async function readProductionPackages(root: string, further: string[] = []): Promise<Package[]> {
  // Guarantee: bun.lock is written by Bun in this format.
  const lock = Bun.JSONC.parse(await Bun.file(join(root, 'bun.lock')).text()) as Lock
  const found = new Map<string, Package>()

  /** `chain` is the nesting in node_modules; packages are resolved from there upwards, as at run time. */
  async function visit(name: string, chain: string[], optional: boolean): Promise<string | null> {
    const place = placeOf(lock, name, chain)
    const entry = place && lock.packages[place.join('/')]
    const folder = place && join(root, ...place.flatMap(part => ['node_modules', part]))
    const manifest = folder ? Bun.file(join(folder, 'package.json')) : null
    if (!place || !entry || !manifest || !(await manifest.exists())) {
      // For example the build for another operating system.
      if (optional) return null
      throw new Error(`${name} is not installed: run \`bun install --frozen-lockfile\``)
    }
    const [nameAtVersion, , requirements, integrity] = entry
    if (found.has(nameAtVersion)) return nameAtVersion
    const separator = nameAtVersion.lastIndexOf('@')
    const identity = {
      name: nameAtVersion.slice(0, separator),
      version: nameAtVersion.slice(separator + 1),
      integrity,
    }
    const needs: string[] = []
    found.set(nameAtVersion, { ...identity, license: licenseOf(await manifest.json()), needs })
    for (const [needed, mayMiss] of requirementsOf(requirements)) {
      const resolved = await visit(needed, place, mayMiss)
      if (resolved) needs.push(resolved)
    }
    return nameAtVersion
  }

  const names = Object.keys(lock.workspaces[''].dependencies ?? {})
  for (const name of [...names, ...further]) await visit(name, [], false)
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function placeOf(lock: Lock, name: string, chain: string[]): string[] | null {
  for (let depth = chain.length; depth >= 0; depth--) {
    const place = [...chain.slice(0, depth), name]
    if (place.join('/') in lock.packages) return place
  }
  return null
}

/** Names, and whether each may be missing. */
function requirementsOf(requirements: Requirements): [string, boolean][] {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    optionalPeers = [],
  } = requirements
  const peers = Object.keys(peerDependencies).filter(name => !optionalPeers.includes(name))
  return [
    ...Object.keys(dependencies).map((name): [string, boolean] => [name, false]),
    ...[...Object.keys(optionalDependencies), ...peers].map((name): [string, boolean] => [name, true]),
  ]
}

function licenseOf({ license, licenses }: Manifest): string | null {
  if (typeof license === 'string') return license
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? null
}
