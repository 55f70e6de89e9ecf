/** The way to a PostgreSQL server, which a test can cut, mend, and silence. */
import { freePort } from './processes.ts'

export type Relay = ReturnType<typeof startRelay>

export function startRelay(server: URL) {
  const upstream = { hostname: server.hostname, port: Number(server.port || 5432) }
  type Side = { other?: Bun.Socket<Side>; waiting: Buffer[]; silent?: boolean }
  const pass = (to: Bun.Socket<Side> | undefined, bytes: Buffer, waiting: Buffer[]) =>
    to ? void to.write(bytes) : void waiting.push(Buffer.from(bytes))
  const clients = new Set<Bun.Socket<Side>>()
  // Mended at the same port, which no connection may take meanwhile.
  const port = freePort()
  let silenceAt: string | undefined
  let silentToNew = false
  const listen = () =>
    Bun.listen<Side>({
      hostname: '127.0.0.1',
      port,
      socket: {
        open(client) {
          client.data = { waiting: [], silent: silentToNew }
          clients.add(client)
          void Bun.connect<Side>({
            ...upstream,
            data: { other: client, waiting: [] },
            socket: {
              open(to) {
                client.data.other = to
                for (const bytes of client.data.waiting.splice(0)) to.write(bytes)
              },
              data: (_, bytes) => void (client.data.silent || client.write(bytes)),
              close: () => void client.end(),
            },
          })
        },
        data(client, bytes) {
          if (silenceAt !== undefined && bytes.includes(silenceAt)) {
            silenceAt = undefined
            client.data.silent = true
          }
          pass(client.data.other, bytes, client.data.waiting)
        },
        close(client) {
          clients.delete(client)
          client.data.other?.end()
        },
      },
    })
  let listener = listen()
  return {
    port,
    cut() {
      listener.stop(true)
      for (const client of clients) client.terminate()
    },
    mend() {
      listener = listen()
    },
    /** No response of the server comes through, on any connection; nothing is closed. */
    silence() {
      silentToNew = true
      for (const client of clients) client.data.silent = true
    },
    /** The same for the one connection whose client next sends this text. */
    silenceAt(text: string) {
      silenceAt = text
    },
    /** For connections to come; answers that were lost stay lost. */
    answerAgain() {
      silentToNew = false
    },
    connections: () => clients.size,
    stop: () => listener.stop(true),
  }
}
