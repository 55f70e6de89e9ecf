/** A temporary PostgreSQL server that a test can crash: Debian's binaries, a temporary directory, the loopback. */
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { freePort } from '../support/processes.ts'

/** Null if no server is installed. */
export const postgresBinaries: string | null = findBinaries()

function findBinaries(): string | null {
  const onPath = Bun.which('initdb')
  if (onPath) return dirname(onPath)
  const [newest] = [...new Glob('postgresql/*/bin/initdb').scanSync({ cwd: '/usr/lib', absolute: true })]
    .toSorted()
    .reverse()
  return newest ? dirname(newest) : null
}

export interface PostgresCluster {
  /** URL of its only database. */
  url: string
  /** Directory of its files, owned by the user that it runs as. */
  folder: string
  start(): Promise<void>
  /** `immediate`: without a checkpoint, as a crash; it then recovers from its log. `fast`: closes all connections. */
  stop(mode: 'immediate' | 'fast'): Promise<void>
  remove(): Promise<void>
}

/** @throws Error with the output of the program that failed */
export async function startCluster(binaries: string): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-postgres-'))
  const data = join(folder, 'data')
  const port = freePort()
  // PostgreSQL refuses to run as root: it then runs as the user that its package created.
  const asRoot = process.getuid?.() === 0
  if (asRoot) {
    const id = async (flag: string) =>
      Number(await new Response(Bun.spawn(['id', flag, 'postgres']).stdout).text())
    chownSync(folder, await id('-u'), await id('-g'))
  }

  async function run(program: string, ...options: string[]) {
    const command = [join(binaries, program), ...options]
    const child = Bun.spawn(asRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command, {
      cwd: folder,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(join(folder, `${program}.err`)),
    })
    if ((await child.exited) !== 0)
      throw new Error(
        `${program} ${options.join(' ')}: ${await Bun.file(join(folder, `${program}.err`)).text()}`,
      )
  }

  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=40`
  const start = () => run('pg_ctl', '-D', data, '-w', '-o', settings, '-l', join(folder, 'log'), 'start')
  const stop = (mode: 'immediate' | 'fast') => run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop')
  await run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-N')
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    start,
    stop,
    async remove() {
      if (statSync(join(data, 'postmaster.pid'), { throwIfNoEntry: false })) await stop('immediate')
      rmSync(folder, { recursive: true })
    },
  }
}
