/** A NATS server with JetStream of one's own, on a free port of the loopback and with a store of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeliverPolicy, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { freePort } from './processes.ts'
import { waitUntil } from './wait-until.ts'

/** Null where it is not installed. Debian puts it where only root's PATH looks. */
export const natsBinary: string | null =
  Bun.which('nats-server') ?? Bun.which('nats-server', { PATH: '/usr/sbin:/usr/local/sbin' })

/** For the titles of what is skipped. */
export const withoutNats = natsBinary ? '' : ' (skipped: nats-server is not installed)'

interface StoredMessage {
  subject: string
  id: string
  body: string
}

export interface NatsServer {
  port: number
  /** With the credentials of a user who may do everything. */
  url: string
  /** URL of a user who may not publish events of the type `shop.refused`. */
  limitedUrl: string
  start(): Promise<void>
  /** As a crash does; the store stays. */
  kill(): Promise<void>
  /** Accepts connections, and does nothing until `resume`. */
  pause(): void
  resume(): void
  streams<T>(use: (manager: JetStreamManager) => Promise<T>): Promise<T>
  /** The stored messages of a stream, in its order. */
  messages(stream: string, filter?: string): Promise<StoredMessage[]>
  remove(): Promise<void>
}

export async function startNatsServer(binary: string): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-nats-'))
  const port = freePort()
  const settings = join(folder, 'nats.conf')
  await Bun.write(
    settings,
    `listen: "127.0.0.1:${port}"
jetstream { store_dir: "${folder}", max_mem: 16M, max_file: 256M }
no_auth_user: "app"
authorization {
  users: [
    { user: "app", password: "of-the-sink" }
    { user: "limited", password: "of-the-sink", permissions: { publish: { deny: ["matchday.events.*.shop.refused"] } } }
  ]
}
`,
  )
  let child: Bun.Subprocess | undefined

  const isListening = () =>
    new Promise<boolean>(resolve => {
      const socket = connectSocket({ host: '127.0.0.1', port })
      socket.on('data', () => resolve(true)).on('error', () => resolve(false))
      socket.on('close', () => resolve(false)).on('data', () => socket.destroy())
    })

  async function withConnection<T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: `127.0.0.1:${port}` })
    try {
      return await use(connection)
    } finally {
      await connection.close()
    }
  }

  const server: NatsServer = {
    port,
    url: `nats://app:of-the-sink@127.0.0.1:${port}`,
    limitedUrl: `nats://limited:of-the-sink@127.0.0.1:${port}`,
    async start() {
      child = Bun.spawn([binary, '-c', settings], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
      await waitUntil('the NATS server listens', isListening)
      await waitUntil('JetStream is ready', () =>
        server.streams(manager => manager.getAccountInfo()).catch(() => null),
      )
    },
    async kill() {
      child?.kill('SIGKILL')
      await child?.exited
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    streams: use => withConnection(async connection => use(await jetstreamManager(connection))),
    messages: (stream, filter = '>') =>
      withConnection(async connection => {
        const manager = await jetstreamManager(connection)
        const consumer = await manager
          .jetstream()
          .consumers.get(stream, { filter_subjects: filter, deliver_policy: DeliverPolicy.All })
        const { num_pending: pending } = await consumer.info()
        const found: StoredMessage[] = []
        if (pending === 0) return found
        for await (const message of await consumer.consume()) {
          const id = message.headers?.get('Nats-Msg-Id') ?? ''
          found.push({ subject: message.subject, id, body: message.string() })
          if (found.length === pending) break
        }
        return found
      }),
    async remove() {
      await server.kill()
      rmSync(folder, { recursive: true })
    },
  }
  await server.start()
  return server
}
