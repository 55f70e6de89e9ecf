/** Child processes of the bench: pins them to a core where possible, waits until they are ready, and stops them. */
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

export const root = `${import.meta.dir}/../..`

/** In /proc/net/tcp. */
const CLOSE_WAIT = '08'

const canPin = Bun.which('taskset') !== null

const pinned = (command: string[], core: number | null) =>
  core === null || !canPin ? command : ['taskset', '-c', String(core), ...command]

/** The cores of server and load generator; null where pinning is not possible. */
export function coresFor(pin: boolean): { server: number | null; generator: number | null; pinned: boolean } {
  const canUse = pin && canPin && navigator.hardwareConcurrency >= 2
  return canUse ? { server: 0, generator: 1, pinned: true } : { server: null, generator: null, pinned: false }
}

interface SpawnOptions {
  core: number | null
  cwd?: string
  env?: Record<string, string>
}

/** Running children, killed when the bench is interrupted. */
const children = new Set<Bun.Subprocess>()

function track<T extends Bun.Subprocess>(child: T): T {
  children.add(child)
  void child.exited.then(() => children.delete(child))
  return child
}

export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Runs a command and returns its output. @throws Error with its error output when it fails */
export async function outputOf(command: string[], { core, cwd = root, env }: SpawnOptions) {
  const child = track(
    Bun.spawn(pinned(command, core), {
      cwd,
      env: { ...process.env, ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    }),
  )
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed: ${errors || output}`)
  const used = child.resourceUsage()?.cpuTime.total ?? 0n
  return { output, cpuSeconds: Number(used) / 1e6 }
}

/** Starts a command that writes lines of JSON until its input ends. @throws Error from `next` when it exits */
export function startLines(command: string[], core: number | null) {
  const child = track(
    Bun.spawn(pinned(command, core), { cwd: root, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' }),
  )
  const lines = readLines(child.stdout)
  return {
    async next(): Promise<unknown> {
      const { value, done } = await lines.next()
      if (done) throw new Error(`${command.join(' ')} exited`)
      return JSON.parse(value)
    },
    async stop() {
      await child.stdin.end()
      await child.exited
    },
  }
}

async function* readLines(output: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of output) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

export interface Running {
  origin: string
  pid: number
  stop(): Promise<void>
}

/** Starts a server on a loopback port and waits until `path` responds with 200. */
export async function startServer(
  command: string[],
  { core, cwd = root, env, path }: SpawnOptions & { path: string },
): Promise<Running> {
  const port = freePort()
  const started = performance.now()
  const child = track(
    Bun.spawn(pinned(command, core), {
      cwd,
      // Not the environment of the caller: its DATABASE_URL must not be measured.
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        HOST: '127.0.0.1',
        PORT: String(port),
        ...env,
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    }),
  )
  const origin = `http://127.0.0.1:${port}`
  let exited = false
  void child.exited.then(() => {
    exited = true
  })
  for (;;) {
    const status = await fetch(origin + path).then(
      async response => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (status === 200) break
    if (exited) throw new Error(`${command.join(' ')} exited: ${await new Response(child.stderr).text()}`)
    if (performance.now() - started > 20_000) {
      child.kill('SIGKILL')
      throw new Error(`${command.join(' ')} responds with ${status} at ${path}`)
    }
    await Bun.sleep(2)
  }
  return {
    origin,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await child.exited
      clearTimeout(killer)
    },
  }
}

/** CPU seconds used by all threads of processes and their children; null where /proc is not available. */
export function cpuSecondsOf(...pids: number[]): number | null {
  const own = pids.map(ownCpuSeconds)
  if (own.includes(null)) return null
  const sum = (all: (number | null)[]) => all.reduce<number>((total, used) => total + (used ?? 0), 0)
  return sum(own) + sum(pids.flatMap(childrenOf).map(child => cpuSecondsOf(child)))
}

/** CPU seconds used by the PostgreSQL server with this process, ended connections included; null if it is not on this machine. */
export function postgresCpuSecondsOf(backend: number): number | null {
  const stat = read(`/proc/${backend}/stat`)
  if (!stat?.includes('(postgres')) return null
  const [, server = 0] = stat
    .slice(stat.lastIndexOf(') ') + 2)
    .split(' ', 2)
    .map(Number)
  const own = cpuSecondsOf(server)
  return own === null ? null : own + (endedCpuSeconds(server) ?? 0)
}

/** CPU seconds used by the PostgreSQL processes of this machine, ended ones included; null where there are none. */
export function postgresCpuSeconds(): number | null {
  const pids = processIds().filter(pid => read(`/proc/${pid}/comm`)?.startsWith('postgres'))
  const cpuSeconds = (pid: number) => (ownCpuSeconds(pid) ?? 0) + (endedCpuSeconds(pid) ?? 0)
  return pids.length === 0 ? null : pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}

/** CPU seconds used by the sessions of a PostgreSQL database, whose names are in the titles of processes; 0 where there are none. */
export function sessionCpuSeconds(url: string): number {
  const name = new URL(url).pathname.slice(1)
  const pids = processIds().filter(pid => {
    const title = read(`/proc/${pid}/cmdline`) ?? ''
    return title.startsWith('postgres: ') && title.split(' ').includes(name)
  })
  return pids.reduce((sum, pid) => sum + (ownCpuSeconds(pid) ?? 0), 0)
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter(pid => pid > 0)
  } catch {
    return []
  }
}

const ownCpuSeconds = (pid: number) => cpuTimesOf(pid, 11)
/** CPU seconds of ended children that the process has waited for. */
const endedCpuSeconds = (pid: number) => cpuTimesOf(pid, 13)

/**
 * The sum of a user time and a system time in /proc/PID/stat, in seconds. `index`: position of the user time, counted from
 * the state.
 */
function cpuTimesOf(pid: number, index: number): number | null {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[index]) + Number(fields[index + 1])) / 100
}

/** Null if there is no such file: the process has ended, or the system has no /proc. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Empty where /proc is not available. */
function childrenOf(pid: number): number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return pids.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The sockets that a server has not closed although their clients are gone; null where /proc is not available. */
export function halfClosed(origin: string): number | null {
  const local = `:${Number(new URL(origin).port).toString(16).toUpperCase().padStart(4, '0')}`
  const rows = read('/proc/net/tcp')?.split('\n')
  const isOurs = (row: string) => {
    const [, address, , state] = row.trim().split(/\s+/)
    return address?.endsWith(local) && state === CLOSE_WAIT
  }
  return rows?.filter(isOurs).length ?? null
}

/** CPU seconds used by all processes of the machine, stolen time included; null where /proc is not available. */
export function machineCpuSeconds(): number | null {
  try {
    const [user = 0, nice = 0, system = 0, , , , , steal = 0] = readFileSync('/proc/stat', 'utf8')
      .slice('cpu'.length, 200)
      .trim()
      .split(/\s+/)
      .map(Number)
    return (user + nice + system + steal) / 100
  } catch {
    return null
  }
}

export const coreCount = () => cpus().length

/** Resident memory in MB; null where /proc is not available. */
export function residentMb(pid: number): number | null {
  try {
    const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kb === undefined ? null : Number(kb) / 1024
  } catch {
    return null
  }
}

function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return port
}
