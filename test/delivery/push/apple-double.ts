/** Apple's push service, in the documented shapes, by a server of HTTP/2 on this machine. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createApns } from '../../../src/delivery/push/apns.ts'

interface Received {
  path: string
  headers: Record<string, unknown>
  body: string
}

type Refusal = readonly [status: number, reason: string, headers?: Record<string, string>]

/** `answers`: by device; `hang` never answers. Others are accepted. */
export async function serveApple(answers: Map<string, Refusal | 'hang' | Promise<unknown>> = new Map()) {
  const got: Received[] = []
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const config = { key, keyId: 'KEY1234567', teamId: 'TEAM123456', topic: 'example.club.app', sandbox: true }
  const counts = { sessions: 0 }
  const server = createServer()
  server.on('session', () => void counts.sessions++)
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    let body = ''
    stream.setEncoding('utf8')
    stream.on('data', part => {
      body += part
    })
    stream.on('end', async () => {
      const path = String(headers[':path'])
      got.push({ path, headers, body })
      const answer = answers.get(path.split('/').at(-1) ?? '')
      if (answer === 'hang') return
      if (answer instanceof Promise) await answer
      const [status, reason, more = {}] = answer instanceof Promise || !answer ? [200, ''] : answer
      stream.respond({ ':status': status, ...more })
      stream.end(reason === '' ? '' : JSON.stringify({ reason }))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // Guarantee of the cast: it listens on a port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    got,
    answers,
    counts,
    publicKey,
    origin,
    /** What the device got, in its order. */
    to: (device: string) => got.filter(({ path }) => path === `/3/device/${device}`),
    sender: (now: () => Date, at = origin) => createApns({ apns: config, origin: at, now }),
    close: () => server.close(),
  }
}
