/** The language server of TypeScript, over standard input and output (LSP 3.17). */
import { pathToFileURL } from 'node:url'

interface Message {
  id?: number
  method?: string
  result?: { items?: unknown[] }
  error?: { message: string }
}

export interface Opened {
  /** From the start of the server to the errors of the file. */
  seconds: number
  errors: number
}

/** Opens a file, as an editor does that was just started. */
export async function openInEditor(command: string[], root: string, path: string): Promise<Opened> {
  const startedAt = performance.now()
  const server = Bun.spawn(command, {
    cwd: root,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const messages = readMessages(server.stdout)
  let requests = 0

  function send(message: object) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    server.stdin.flush()
  }
  async function request(method: string, params: object): Promise<Message> {
    const id = ++requests
    send({ id, method, params })
    for await (const message of messages) {
      // The server asks for settings and registers capabilities: null is an answer to each.
      if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null })
      else if (message.id === id) {
        if (message.error) throw new Error(`${method}: ${message.error.message}`)
        return message
      }
    }
    throw new Error(`the language server ended before it answered ${method}`)
  }

  try {
    const uri = pathToFileURL(path).href
    await request('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      capabilities: { textDocument: { diagnostic: {} } },
    })
    send({ method: 'initialized', params: {} })
    const text = await Bun.file(path).text()
    send({
      method: 'textDocument/didOpen',
      params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
    })
    const { result } = await request('textDocument/diagnostic', { textDocument: { uri } })
    const seconds = (performance.now() - startedAt) / 1_000
    return { seconds, errors: result?.items?.length ?? Number.NaN }
  } finally {
    server.kill()
    await server.exited
  }
}

/** One iterator for all requests: `return` of a loop must not end it. */
function readMessages(output: ReadableStream<Uint8Array>): AsyncIterable<Message> {
  const iterator = parseMessages(output)
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) }
}

async function* parseMessages(output: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  let received = Buffer.alloc(0)
  for await (const chunk of output) {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n')
      const length = Number(/Content-Length: (\d+)/i.exec(received.subarray(0, headEnd).toString())?.[1])
      const end = headEnd + 4 + length
      if (headEnd < 0 || received.length < end) break
      yield JSON.parse(received.subarray(headEnd + 4, end).toString())
      received = received.subarray(end)
    }
  }
}
