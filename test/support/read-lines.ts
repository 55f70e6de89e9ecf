import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'

/** The lines of a child's output. Guarantee of the cast: the two types of streams describe the same objects. */
export const readLines = (stdout: ReadableStream<Uint8Array>): Interface =>
  createInterface({ input: Readable.fromWeb(stdout as NodeStream) })
