/** Runs scripts as operators do: as a process in the root of the repository. */
import { join } from 'node:path'
import { makeDevelopmentSecrets } from '../../src/config/development-secrets.ts'

const root = join(import.meta.dir, '../..')
const secrets = await makeDevelopmentSecrets()

export interface ScriptOptions {
  env?: Record<string, string>
  /** Standard input. Default: empty. */
  input?: string
}

export function startScript(
  name: string,
  parameters: string[],
  { env = {}, input = '' }: ScriptOptions = {},
) {
  return Bun.spawn([process.execPath, `scripts/${name}.ts`, ...parameters], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...secrets, ...env },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

export async function runScript(name: string, parameters: string[], options?: ScriptOptions) {
  const child = startScript(name, parameters, options)
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}
