/** Processes of the bench: pinned to a core where the system can, found ready, watched, and stopped. */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

export const root = `${import.meta.dir}/../..`

/** Of a socket, in /proc/net/tcp. */
const LISTENING = '0A'

const canPin = Bun.which('taskset') !== null

const pinned = (command: string[], core: number | null) =>
  core === null || !canPin ? command : ['taskset', '-c', String(core), ...command]

/** The cores of server and generator; nulls where nothing can be pinned. */
export function coresFor(pin: boolean): { server: number | null; generator: number | null; pinned: boolean } {
  const able = pin && canPin && navigator.hardwareConcurrency >= 2
  return able ? { server: 0, generator: 1, pinned: true } : { server: null, generator: null, pinned: false }
}

interface Where {
  core: number | null
  cwd?: string
  env?: Record<string, string>
}

/** What is running now: a bench that is told to stop takes it along. */
const children = new Set<Bun.Subprocess>()

function remember<T extends Bun.Subprocess>(child: T): T {
  children.add(child)
  void child.exited.then(() => children.delete(child))
  return child
}

export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Runs to the end. @throws Error with what it said when it fails */
export async function outputOf(command: string[], { core, cwd = root, env }: Where) {
  const child = remember(
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

export interface Running {
  origin: string
  pid: number
  /** Milliseconds from its start to its first answer of 200. */
  startMs: number
  stop(): Promise<void>
}

/** Starts a server whose workers listen on `PORT` of the loopback, and waits for all, and for `path` to answer 200. */
export async function startServer(
  command: string[],
  { core, cwd = root, env, path, workers = 1 }: Where & { path: string; workers?: number },
): Promise<Running> {
  const port = freePort()
  const started = performance.now()
  const child = remember(
    Bun.spawn(pinned(command, core), {
      cwd,
      // Not the caller's own environment: a DATABASE_URL in it must not be what is measured.
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
  let left = false
  void child.exited.then(() => {
    left = true
  })
  for (;;) {
    const status = await fetch(origin + path).then(
      async answer => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 0,
    )
    if (status === 200 && (listenersOn(port) ?? workers) >= workers) break
    if (left) throw new Error(`${command.join(' ')} left: ${await new Response(child.stderr).text()}`)
    if (performance.now() - started > 20_000) {
      child.kill('SIGKILL')
      throw new Error(`${command.join(' ')} answers ${status} at ${path}`)
    }
    await Bun.sleep(2)
  }
  return {
    origin,
    pid: child.pid,
    startMs: performance.now() - started,
    async stop() {
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await child.exited
      clearTimeout(killer)
    },
  }
}

/** CPU seconds that a process and its children have used, of all their threads; null where /proc does not say. */
export function cpuSecondsOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const own = (Number(fields[11]) + Number(fields[12])) / 100
    return childrenOf(pid).reduce((sum, child) => sum + (cpuSecondsOf(child) ?? 0), own)
  } catch {
    return null
  }
}

/** None where /proc does not say. */
function childrenOf(pid: number): number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return pids.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** How many sockets listen on this port; null where /proc does not say. */
function listenersOn(port: number): number | null {
  try {
    const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
    const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
    return rows.filter(row => {
      const [, address, , state] = row.trim().split(/\s+/)
      return address?.endsWith(local) && state === LISTENING
    }).length
  } catch {
    return null
  }
}

/** CPU seconds that all processes of the machine have used, and what its host took; null where /proc does not say. */
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

/** Resident memory in MB; null where /proc does not say. */
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
