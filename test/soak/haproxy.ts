/** HAProxy with the configuration of `deploy/haproxy.cfg`, on the loopback. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitUntil } from '../support/wait-until.ts'

/** Null if it is not installed. Debian installs it in a directory that only the PATH of root has. */
export const haproxyBinary: string | null =
  Bun.which('haproxy') ?? Bun.which('haproxy', { PATH: '/usr/sbin:/usr/local/sbin' })

const CONFIGURATION = join(import.meta.dir, '../../deploy/haproxy.cfg')

export interface HaproxyOptions {
  /** Ports on which HAProxy listens. */
  api: number
  database: number
  /** Ports of the two instances and of the two PostgreSQL servers. */
  instances: readonly [number, number]
  servers: readonly [number, number]
  closesConnections: boolean
}

const CLOSES = ' on-marked-down shutdown-sessions'

const connects = (port: number) =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
    socket => {
      socket.end()
      return true
    },
    () => false,
  )

/** Returns the function that stops it. */
export async function startHaproxy({ api, database, instances, servers, closesConnections }: HaproxyOptions) {
  const ports = {
    '127.0.0.1:8080': api,
    '127.0.0.1:5000': database,
    '10.0.0.11:3000': instances[0],
    '10.0.0.12:3000': instances[1],
    '10.0.0.21:5432': servers[0],
    '10.0.0.22:5432': servers[1],
  }
  let text = await Bun.file(CONFIGURATION).text()
  const replace = (part: string, by: string) => {
    if (!text.includes(part)) throw new Error(`${CONFIGURATION} does not contain ${part}`)
    text = text.replaceAll(part, by)
  }
  for (const [address, port] of Object.entries(ports)) replace(address, `127.0.0.1:${port}`)
  if (!closesConnections) replace(CLOSES, '')
  const folder = mkdtempSync(join(tmpdir(), 'matchday-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  await Bun.write(file, text)
  const log = Bun.file(join(folder, 'log'))
  const child = Bun.spawn([haproxyBinary ?? '', '-db', '-f', file], { stdout: log, stderr: log })
  await waitUntil('HAProxy listens', async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy exits: ${await log.text()}`)
    return connects(database)
  })
  return async () => {
    child.kill('SIGKILL')
    await child.exited
    rmSync(folder, { recursive: true })
  }
}
