/** Runs scripts as operators do, in the root of the repository. */
import { makeDevelopmentSecrets } from '../../src/platform/config/development-secrets.ts'
import { runInHost } from '../support/command-runner.ts'
import { programOf, shortLivedEnv, testedExecutable } from '../support/executable.ts'
import { patientSettings, schemaSettings, smallPool } from '../support/patience.ts'
import { failureEnv } from '../support/serializable.ts'
import type { World } from '../support/world.ts'

const secrets = await makeDevelopmentSecrets()

/** The signing key of the scripts. */
export const scriptKey: { d: string } = JSON.parse(secrets.NATIVE_TOKEN_KEY)

export interface ScriptOptions {
  env?: Record<string, string>
  /** Standard input. Default: empty. */
  input?: string
  /** A process of its own, and not one that has run other commands. Those with an input always have one. */
  ownProcess?: boolean
}

const envOf = (PATH: string, env: Record<string, string>) => ({
  ...{
    PATH,
    ...shortLivedEnv,
    ...failureEnv,
    NODE_ENV: 'test',
    ...secrets,
    ...patientSettings,
    ...smallPool,
    ...schemaSettings,
    ...env,
  },
})

/** In a process of its own. */
export function startScript(
  name: string,
  parameters: string[],
  { env = {}, input = '' }: Omit<ScriptOptions, 'ownProcess'> = {},
) {
  // Programs of the tests are not in the executable.
  const executable = name.startsWith('..') ? null : testedExecutable
  const { command, cwd, PATH } = programOf(name, `scripts/${name}.ts`, executable)
  return Bun.spawn([...command, ...parameters], {
    cwd,
    env: envOf(PATH, env),
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

export async function runScript(
  name: string,
  parameters: string[],
  { ownProcess = testedExecutable !== null, ...options }: ScriptOptions = {},
) {
  if (!ownProcess && !options.input && !name.startsWith('..')) {
    const env = envOf(process.env.PATH ?? '', options.env ?? {})
    const outcome = await runInHost({ file: `scripts/${name}.ts`, parameters, env })
    if (outcome) return { ...outcome, err: withoutProgress(outcome.err) }
  }
  const child = startScript(name, parameters, options)
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out: asTyped(out), err: withoutProgress(asTyped(err)) }
}

/** Long work reports a line every few seconds, which a slow machine makes of any work. */
const withoutProgress = (err: string) =>
  err.replaceAll(/^(\d+ %, )?\d+(\/\d+)? [^,\n]+, \d+\/s(, .* left)?\n/gm, '')

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
