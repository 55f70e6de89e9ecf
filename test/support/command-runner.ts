/**
 * Runs commands in a process that is kept for the next one, in a tenth of the time: all but their own file is loaded once.
 * It leaves with this process, which its channel tells it. A command that runs while another does needs a process of its own.
 */
import { join } from 'node:path'
import { root, shortLivedEnv } from './executable.ts'
import { failureEnv } from './serializable.ts'

export interface CommandRun {
  /** A file of the repository. It ends with `process.exit`. */
  file: string
  parameters: string[]
  /** The whole environment. */
  env: Record<string, string>
}

export interface CommandOutcome {
  code: number
  out: string
  err: string
}

interface Host {
  run(command: CommandRun): Promise<CommandOutcome>
}

let host: Host | undefined
let busy = false

/** Null while another command runs. */
export async function runInHost(command: CommandRun): Promise<CommandOutcome | null> {
  if (busy) return null
  busy = true
  try {
    host ??= startHost()
    return await host.run(command)
  } finally {
    busy = false
  }
}

function startHost(): Host {
  let ended: PromiseWithResolvers<CommandOutcome> | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'command-host.ts')], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...shortLivedEnv, ...failureEnv },
    stdio: ['ignore', 'inherit', 'inherit'],
    // Guarantee of the cast: the host sends nothing else.
    ipc: (outcome: unknown) => ended?.resolve(outcome as CommandOutcome),
    onExit(_, code) {
      host = undefined
      ended?.reject(new Error(`the process of commands left with ${code}`))
    },
  })
  child.unref()
  return {
    run(command) {
      ended = Promise.withResolvers()
      child.send(command)
      return ended.promise
    },
  }
}
