/** A temporary PostgreSQL server that a test can crash: Debian's binaries, a temporary directory, the loopback. */
import { chownSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { freePort } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Null if no server is installed. */
export const postgresBinaries: string | null = findBinaries()

function findBinaries(): string | null {
  const onPath = Bun.which('initdb')
  if (onPath) return dirname(realpathSync(onPath))
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
  data: string
  port: number
  /** Runs one of PostgreSQL's programs as that user. @throws Error with its output if it fails */
  run(program: string, ...options: string[]): Promise<void>
  start(): Promise<void>
  /** `immediate`: without a checkpoint, as a crash; it then recovers from its log. `fast`: closes all connections. */
  stop(mode: 'immediate' | 'fast'): Promise<void>
  /** Sends a signal to all of its processes at once: SIGKILL as by a power cut, SIGSTOP as by a network that is gone. */
  signal(name: 'SIGKILL' | 'SIGSTOP'): Promise<void>
  remove(): Promise<void>
}

export interface ClusterOptions {
  port?: number
  /** Options of the server, as `-c name=value`. */
  settings?: string
  /** Fills the data directory, with `run` as above. The default is an empty cluster. */
  create?: (run: PostgresCluster['run'], data: string) => Promise<void>
}

const EMPTY: NonNullable<ClusterOptions['create']> = (run, data) =>
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-N')

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** @throws Error with the output of the program that failed */
export async function startCluster(
  binaries: string,
  { port = freePort(), settings: more = '', create = EMPTY }: ClusterOptions = {},
): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-postgres-'))
  const data = join(folder, 'data')
  // PostgreSQL refuses to run as root: it then runs as the user that its package created.
  const asRoot = process.getuid?.() === 0
  if (asRoot) {
    const id = async (flag: string) =>
      Number(await new Response(Bun.spawn(['id', flag, 'postgres']).stdout).text())
    chownSync(folder, await id('-u'), await id('-g'))
  }

  async function run(program: string, ...options: string[]) {
    const command = [join(binaries, program), ...options]
    // Not every PATH has the folder of programs for administrators.
    const runuser = Bun.which('runuser', { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) ?? 'runuser'
    const child = Bun.spawn(asRoot ? [runuser, '-u', 'postgres', '--', ...command] : command, {
      cwd: folder,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: Bun.file(join(folder, `${program}.err`)),
    })
    if ((await child.exited) === 0) return
    const files = [`${program}.err`, 'log'].map(name => Bun.file(join(folder, name)))
    const output = await Promise.all(files.map(file => file.text().catch(() => '')))
    throw new Error(`${program} ${options.join(' ')}: ${output.join('\n')}`)
  }

  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=40 -c dynamic_shared_memory_type=mmap ${more}`
  const start = () => run('pg_ctl', '-D', data, '-w', '-o', settings, '-l', join(folder, 'log'), 'start')
  const stop = (mode: 'immediate' | 'fast') => run('pg_ctl', '-D', data, '-w', '-m', mode, 'stop')
  async function signal(name: 'SIGKILL' | 'SIGSTOP') {
    const pidFile = join(data, 'postmaster.pid')
    const lines = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split('\n') : []
    const postmaster = Number(lines[0])
    if (!isRunning(postmaster)) return
    // Stopped first, so that it starts no further process.
    process.kill(postmaster, 'SIGSTOP')
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    const pids = [...(children.match(/\d+/g) ?? []).map(Number), postmaster]
    for (const pid of pids) process.kill(pid, name)
    if (name === 'SIGSTOP') return
    // All of them: a child that is still dying may write to the folder.
    await waitUntil('the server is gone', () => !pids.some(isRunning))
    // Key and id of its shared memory, which a killed server leaves behind.
    const [, memory = ''] = lines[6]?.trim().split(/ +/) ?? []
    await Bun.spawn(['ipcrm', '-m', memory], { stderr: 'ignore' }).exited
    rmSync(pidFile)
  }

  async function remove() {
    await signal('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    await create(run, data)
    await start()
  } catch (error) {
    await remove()
    throw error
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    data,
    port,
    run,
    start,
    stop,
    signal,
    remove,
  }
}
