/** `bun run dev` in a temporary folder, on free ports. */
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newDatabaseFolder } from './database-folder.ts'
import { programOf, shortLivedEnv, testedExecutable } from './executable.ts'
import { freePort } from './processes.ts'
import { failureEnv } from './serializable.ts'

export { root } from './executable.ts'

export interface RunningDev {
  process: Bun.Subprocess
  /** Its output up to the time when it was ready. */
  banner: string
  ports: { PORT: string; MOCK_IDP_PORT: string; CONSOLE_PORT: string }
  env: Record<string, string>
  stop(): Promise<void>
}

export async function startDev(
  extra: Record<string, string> = {},
  executable = testedExecutable,
  parameters: string[] = [],
): Promise<RunningDev> {
  const folder = newDatabaseFolder()
  const ports = {
    PORT: String(freePort()),
    MOCK_IDP_PORT: String(freePort()),
    CONSOLE_PORT: String(freePort()),
  }
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    ...shortLivedEnv,
    // Bun would keep it in HOME. Transpiling takes a fifth of the CPU time until the banner.
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(tmpdir(), 'matchday-transpiled'),
    DATABASE_URL: `sqlite:${join(folder, 'dev.db')}`,
    MOCK_IDP_KEYS: join(folder, 'mock-idp-keys.json'),
    DEV_NOTE: join(folder, 'dev.json'),
    ...ports,
    ...extra,
  }
  const child = spawnDev(env, executable, parameters)
  let said = ''
  // Read to the end, not only to the banner: a pipe that nobody empties stops the one who writes.
  const ready = new Promise<string>((resolve, reject) => {
    void (async () => {
      const decoder = new TextDecoder()
      for await (const chunk of child.stdout) {
        said += decoder.decode(chunk, { stream: true })
        if (said.includes('Ctrl-C stops both')) resolve(said)
      }
      reject(new Error(`bun run dev ended early: ${said}${await new Response(child.stderr).text()}`))
    })()
  })
  return {
    process: child,
    banner: await ready,
    ports,
    env,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(folder, { recursive: true })
    },
  }
}

export function spawnDev(
  env: Record<string, string>,
  executable = testedExecutable,
  parameters: string[] = [],
) {
  const { command, cwd, PATH } = programOf('dev', 'scripts/dev.ts', executable)
  return Bun.spawn([...command, ...parameters], {
    cwd,
    env: { ...env, ...failureEnv, PATH },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}
