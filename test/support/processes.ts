/** The application as operators run it: processes of their own, real sockets, one database. */
import { createMockIdp, type MockIdp } from '../../mock-idp/app.ts'
import { serve } from '../../mock-idp/serve.ts'
import { makeDevelopmentSecrets } from '../../src/platform/config/development-secrets.ts'
import { type Program, programOf, shortLivedEnv } from './executable.ts'
import { patientSettings, schemaSettings, smallPool } from './patience.ts'
import { readLines } from './read-lines.ts'
import { failureEnv } from './serializable.ts'

export const secrets = await makeDevelopmentSecrets()

export interface RunningProvider {
  idp: MockIdp
  issuer: string
  stop(): Promise<void>
}

/** The mock provider on a free port of the loopback. */
export async function startProvider(options: { fans?: number } = {}): Promise<RunningProvider> {
  const port = freePort()
  const issuer = `http://localhost:${port}`
  const idp = createMockIdp({ issuer, ...options })
  const listening = await serve(idp, port)
  return {
    idp,
    issuer,
    async stop() {
      idp.close()
      await listening.stop()
    },
  }
}

export interface RunningApi {
  origin: string
  process: Bun.Subprocess
  /** Everything it has logged so far. */
  output: string[]
  /** The exit code, once it and its workers have left and `output` is complete. */
  exited: Promise<number>
  /** Sends the signal; resolves as `exited`. */
  stop(signal?: NodeJS.Signals): Promise<number>
}

/** `src/main.ts` on a free port; resolves when it listens, rejects with its words when it does not come to that. */
export async function startApi(
  env: Record<string, string>,
  { command, cwd, PATH }: Program = programOf('serve', 'src/main.ts'),
): Promise<RunningApi> {
  const output: string[] = []
  const ended = Promise.withResolvers<void>()
  const child = Bun.spawn(command, {
    cwd,
    env: {
      ...{ PATH, ...shortLivedEnv, ...failureEnv },
      ...{ NODE_ENV: 'test', PORT: '0', ...secrets, ...patientSettings, ...smallPool, ...schemaSettings },
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const origin = await new Promise<string>((resolve, reject) => {
    const lines = readLines(child.stdout)
    lines.on('line', line => {
      output.push(line)
      if (line.includes('"listening"')) resolve(JSON.parse(line).url)
    })
    lines.on('close', async () => {
      ended.resolve()
      reject(new Error(`the API left with ${await child.exited}: ${await new Response(child.stderr).text()}`))
    })
  })
  // Its workers share its output, which ends with the last of them.
  const exited = ended.promise.then(() => child.exited)
  return {
    origin,
    process: child,
    output,
    exited,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

const FIRST_PORT = 20_000
/** Linux takes the ports of outgoing connections from here on. */
const FIRST_EPHEMERAL_PORT = 32_768
const given = new Set<number>()

/** A port on which nothing listens, and which no outgoing connection takes before the server listens. */
export function freePort(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (FIRST_EPHEMERAL_PORT - FIRST_PORT))
    if (given.has(port) || !isFree(port)) continue
    given.add(port)
    return port
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch {
    return false
  }
}
