/** Which load generator is used: wrk where it is installed, else autocannon, which comes with the repository. */
import { createAutocannon } from './autocannon.ts'
import type { Generator } from './generator.ts'
import { createWrk } from './wrk.ts'

export function chooseGenerator(wanted: 'wrk' | 'autocannon' | undefined, folder: string): Generator {
  const installed = Bun.which('wrk') !== null
  if (wanted === 'wrk' && !installed) throw new Error('wrk is not installed.')
  if (wanted === 'autocannon' || !installed) return createAutocannon(folder)
  const said = Bun.spawnSync(['wrk', '-v']).stdout.toString()
  return createWrk(folder, /^wrk \S+/.exec(said)?.[0] ?? 'wrk')
}
