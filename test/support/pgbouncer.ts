/** A PgBouncer of one's own on the loopback, in front of the PostgreSQL server of the tests. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './processes.ts'

/** Null where it is not installed. Debian puts it where only root's PATH looks. */
export const pgbouncerBinary: string | null =
  Bun.which('pgbouncer') ?? Bun.which('pgbouncer', { PATH: '/usr/sbin:/usr/local/sbin' })

export interface PgBouncer {
  /** This database of the server, through the pooler. */
  urlOf(database: string): string
  stop(): Promise<void>
}

/** With Debian's defaults, but for what a test must own, and one more setting. @throws Error with its log when it does not come up */
export async function startPgBouncer(
  binary: string,
  server: URL,
  poolMode: 'session' | 'transaction',
  setting = '',
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-pgbouncer-'))
  const port = freePort()
  const password = server.password ? ` password=${decodeURIComponent(server.password)}` : ''
  const settings = join(folder, 'pgbouncer.ini')
  await Bun.write(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${decodeURIComponent(server.username)}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
${setting}
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`,
  )
  const child = Bun.spawn([binary, settings], { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  let log = ''
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    log += text
    if (log.includes('process up')) break
  }
  if (!log.includes('process up')) throw new Error(`PgBouncer left with ${await child.exited}: ${log}`)
  return {
    urlOf: database => `postgres://${server.username || 'postgres'}@127.0.0.1:${port}/${database}`,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(folder, { recursive: true })
    },
  }
}
