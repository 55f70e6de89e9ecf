/** Chooses the load generator: wrk if installed, otherwise autocannon, a dependency of the repository. */
import { createAutocannon } from './autocannon.ts'
import type { Generator } from './generator.ts'
import { createWrk } from './wrk.ts'

export function chooseGenerator(requested: 'wrk' | 'autocannon' | undefined, folder: string): Generator {
  const installed = Bun.which('wrk') !== null
  if (requested === 'wrk' && !installed) throw new Error('wrk is not installed.')
  if (requested === 'autocannon' || !installed) return createAutocannon(folder)
  const version = Bun.spawnSync(['wrk', '-v']).stdout.toString()
  return createWrk(folder, /^wrk \S+/.exec(version)?.[0] ?? 'wrk')
}
