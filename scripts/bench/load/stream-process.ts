/**
 * `bun stream-process.ts FILE`: opens one stream for each token and keeps it open until its input ends. Writes one line of
 * JSON when all are open, and one each time a change of the topic has reached all of them.
 */
import { connect } from 'node:net'
import { percentiles, type StreamChange, type StreamJob, type StreamsOpen } from './bun-generators.ts'

const job = (await Bun.file(process.argv[2] ?? '').json()) as StreamJob
const { origin, tokens, topic } = job
const { hostname, port, host } = new URL(origin)

/** Streams that are being opened at once. */
const OPENING = 64
/** An address has 28,000 ports for connections to one server. */
const STREAMS_OF_ADDRESS = 20_000
/** The status line of a stream. */
const OK = 'HTTP/1.1 200'
/** Each change of a topic is one frame; the first frame contains the state. */
const frameStart = `event: ${topic}\n`

const times = new Float64Array(tokens.length)
let [opened, failed, arrived, next] = [0, 0, 0, 0]

const write = (line: StreamsOpen | StreamChange) => process.stdout.write(`${JSON.stringify(line)}\n`)

function noteChange(): void {
  times[arrived++] = performance.timeOrigin + performance.now()
  if (arrived < tokens.length) return
  arrived = 0
  const { p50, p99, max } = percentiles(times)
  write({ p50, p99, max })
}

async function openNext(): Promise<void> {
  for (let index = next++; index < tokens.length; index = next++) await open(index)
}

/** Resolves when the state of the topic has arrived, or without a topic the first frame. */
function open(index: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isOpen = false
  let text = ''
  const localAddress = `127.0.0.${1 + Math.floor(index / STREAMS_OF_ADDRESS)}`
  const socket = connect({ host: hostname, port: Number(port), localAddress }, () => {
    const path = `/api/stream?topics=${topic}`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens[index]}\r\n\r\n`)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    if (!isOpen) failed++
    isOpen = true
    resolve()
  })
  socket.on('data', chunk => {
    if (isOpen) {
      if (topic !== 'me' && chunk.includes(frameStart)) noteChange()
      return
    }
    text += chunk.toString()
    if (text.length >= OK.length && !text.startsWith(OK)) return void socket.end()
    if (!text.includes(topic === 'me' ? 'retry: ' : frameStart)) return
    isOpen = true
    opened++
    text = ''
    resolve()
  })
  return promise
}

await Promise.all(Array.from({ length: OPENING }, openNext))
write({ opened, failed })
for await (const _ of Bun.stdin.stream()) {
  // Ends with the parent, or when it closes the pipe.
}
process.exit(0)
