/** Starts processes that act on the database of a world at the same time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Work } from './acting-process.ts'
import { commandOf, root } from './executable.ts'
import type { World } from './world.ts'

/** Outcomes of each process, or how it ended, in the order of the works. */
export async function actInProcesses(
  { databaseUrl }: Pick<World, 'databaseUrl'>,
  works: Record<string, Work>,
): Promise<Record<string, number>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-acting-'))
  const file = join(folder, 'work.json')
  writeFileSync(file, JSON.stringify(works))
  try {
    return await Promise.all(
      Object.keys(works).map(async name => {
        const command = [...commandOf('test/support/acting-process.ts'), databaseUrl ?? '', file, name]
        const child = Bun.spawn(command, { cwd: root, stdout: 'pipe', stderr: 'inherit' })
        const out = await new Response(child.stdout).text()
        await child.exited
        if (child.signalCode !== null) return { [child.signalCode]: 1 }
        return JSON.parse(out) as Record<string, number>
      }),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}
