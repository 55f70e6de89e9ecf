/** Identifies a process, even after another process got the same id. */
import { readFileSync } from 'node:fs'

/** The id with the time at which the process began. */
export const identityOf = (pid: number): string => `${pid}-${startOf(pid) ?? 'ended'}`

export function isAlive(identity: string): boolean {
  const [, pid] = /^(\d+)-\d+$/.exec(identity) ?? []
  return pid !== undefined && identityOf(Number(pid)) === identity
}

/** Start time, in a unit that depends on the system; undefined if there is no such process. */
function startOf(pid: number): number | undefined {
  try {
    // The 20th member after the name, which may contain any characters (proc_pid_stat(5)).
    const members = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)?.trim().split(' ')
    return Number(members?.[19])
  } catch {
    return startByPs(pid)
  }
}

/** For systems without /proc. Zero if there is no `ps`. */
function startByPs(pid: number): number | undefined {
  try {
    const { stdout } = Bun.spawnSync(['ps', '-o', 'lstart=', '-p', String(pid)], { stderr: 'ignore' })
    const text = stdout.toString().trim()
    return text === '' ? undefined : Date.parse(text) || 0
  } catch {
    return isRunning(pid) ? 0 : undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
