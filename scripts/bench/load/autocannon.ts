/** Runs autocannon in a separate process. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import manifest from 'autocannon/package.json' with { type: 'json' }
import type { Measurement } from '../plan.ts'
import { outputOf } from '../process.ts'
import type { Generator } from './generator.ts'

export function createAutocannon(folder: string): Generator {
  let runs = 0
  return {
    name: `autocannon ${manifest.version}`,
    async measure(origin, plan, { seconds, connections, first = 0, core }) {
      const file = join(folder, `autocannon-${++runs}.json`)
      await writeFile(file, JSON.stringify({ origin, plan, seconds, connections, first }))
      const script = join(import.meta.dir, 'autocannon-process.ts')
      const { output, cpuSeconds } = await outputOf([process.execPath, script, file], { core })
      const measured = JSON.parse(output) as Omit<Measurement, 'generatorCpu'>
      return { ...measured, generatorCpu: cpuSeconds / seconds }
    },
  }
}
