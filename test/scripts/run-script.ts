/** Runs scripts as operators do: as a process in the root of the repository. */
import { makeDevelopmentSecrets } from '../../src/platform/config/development-secrets.ts'
import { programOf, shortLivedEnv, testedExecutable } from '../support/executable.ts'
import { smallPool } from '../support/patience.ts'
import { failureEnv } from '../support/serializable.ts'
import type { World } from '../support/world.ts'

const secrets = await makeDevelopmentSecrets()

/** The signing key of the scripts. */
export const scriptKey: { d: string } = JSON.parse(secrets.NATIVE_TOKEN_KEY)

export interface ScriptOptions {
  env?: Record<string, string>
  /** Standard input. Default: empty. */
  input?: string
  /** Runs the source, as `bun run` does, and not its bundle. */
  source?: boolean
}

export function startScript(
  name: string,
  parameters: string[],
  { env = {}, input = '', source = false }: ScriptOptions = {},
) {
  // Programs of the tests are not in the executable.
  const executable = name.startsWith('..') ? null : testedExecutable
  const file = `scripts/${name}.ts`
  const { command, cwd, PATH } = programOf(name, file, executable)
  const program = source && executable === null ? [process.execPath, file] : command
  return Bun.spawn([...program, ...parameters], {
    cwd,
    env: { PATH, ...shortLivedEnv, ...failureEnv, NODE_ENV: 'test', ...secrets, ...smallPool, ...env },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

export async function runScript(name: string, parameters: string[], options?: ScriptOptions) {
  const child = startScript(name, parameters, options)
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out: asTyped(out), err: asTyped(err) }
}

/** Runs a script with the database and the secrets of the world. */
export const runScriptOn = (
  { config, databaseUrl }: World,
  name: string,
  parameters: string[],
  env: Record<string, string> = {},
) =>
  runScript(name, parameters, {
    env: {
      DATABASE_URL: databaseUrl ?? '',
      NATIVE_TOKEN_KEY: JSON.stringify(config.nativeTokens.key),
      IDP_WEBHOOK_SECRET: config.identity.webhookSecret,
      ...env,
    },
  })

/** The executable says `matchday grant` where a script says `bun run grant`. */
export const asTyped = (text: string) =>
  testedExecutable === null ? text : text.replaceAll(/(?<![\w/])matchday (?=[a-z])/g, 'bun run ')
