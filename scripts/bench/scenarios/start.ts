/**
 * The start of the executable of `bun run build` on an existing database: how long until the first response, and until the
 * application is composed.
 */
import { join } from 'node:path'
import { buildExecutable, FLAGS } from '../../build/executable.ts'
import { cpuSecondsOf, root, startServer } from '../process.ts'
import { row, type Scenario } from '../scenario.ts'

/** Starts of each program. */
const ROUNDS = 9
const FANS = 2_000

interface Program {
  label: string
  command: string[]
  env: Record<string, string>
  /** Responds with 200 at the first request. */
  path: string
}

async function compileReference(outfile: string): Promise<void> {
  const { success, logs } = await Bun.build({
    ...FLAGS,
    entrypoints: [join(import.meta.dir, '../servers/smallest.ts')],
    root,
    compile: { outfile, autoloadBunfig: false },
  })
  if (!success) throw new Error(`The reference cannot be built:\n${logs.join('\n')}`)
}

/** Milliseconds from the start of the process to its first response, and CPU time until then. */
async function measure({ command, env, path }: Program): Promise<{ ms: number; cpuMs: number }> {
  const began = performance.now()
  // Not pinned: the threads of the compiler and of the garbage collector use the other core.
  const running = await startServer(command, { core: null, env, path })
  const ms = performance.now() - began
  const cpuMs = (cpuSecondsOf(running.pid) ?? Number.NaN) * 1_000
  await running.stop()
  return { ms, cpuMs }
}

export const start: Scenario = {
  name: 'start',
  summary: 'Start of the executable to its first response, compared with a compiled server with one route',
  async run({ options, folder, databases, subjects }) {
    const [matchday, reference] = [join(folder, 'matchday'), join(folder, 'reference')]
    await buildExecutable(root, matchday, 'bench')
    await compileReference(reference)
    const { url, remove } = await databases.copy('sqlite', FANS)
    const served = { command: [matchday, 'serve'], env: subjects.production(url) }
    const programs: Program[] = [
      { label: 'matchday', ...served, path: '/healthz' },
      { label: 'reference', command: [reference], env: {}, path: '/healthz' },
      { label: 'matchday, composed', ...served, path: '/api/teams' },
    ]
    const measured = programs.map(program => ({
      program,
      starts: [] as Awaited<ReturnType<typeof measure>>[],
    }))
    try {
      for (let round = 0; round < (options.quick ? 1 : ROUNDS); round++)
        for (const { program, starts } of measured) starts.push(await measure(program))
    } finally {
      await remove()
    }
    const rowsOf = (suffix: string, read: (found: { ms: number; cpuMs: number }) => number) =>
      measured.map(({ program, starts }) => row(`${program.label}${suffix}`, 'ms', starts.map(read)))
    return {
      rows: [...rowsOf('', ({ ms }) => ms), ...rowsOf(', CPU time', ({ cpuMs }) => cpuMs)],
      notes: [],
      separateRows: true,
    }
  },
}
