/** Server-sent events as the client of apps reads them. */
import { expect, test } from 'bun:test'
import { createFrameParser, type Frame } from '../../src/client/server-sent-events.ts'

function read(text: string) {
  const frames: Frame[] = []
  const waits: number[] = []
  createFrameParser(
    frame => frames.push(frame),
    ms => waits.push(ms),
  )(text)
  return { frames, waits }
}

test.each([
  ['retry: 250\n\n', [250]],
  ['retry:7\n\n', [7]],
  ['retry: soon\nretry: 1.5\nretry:\n\n', []],
  ['again: 250\n: 250\n250\n\n', []],
])('%j waits %j ms', (text, waits) => {
  expect(read(text)).toEqual({ frames: [], waits })
})

test.each<[string, Partial<Frame>[]]>([
  ['data: 1\n\n', [{ type: 'message', id: '', data: '1' }]],
  ['id: 7\ndata: 1\n\ndata: 2\n\n', [{ id: '7' }, { id: '7', data: '2' }]],
  ['id: a\0b\ndata: 1\n\n', [{ id: '' }]],
  ['event: reset\n\ndata: 1\n\n', [{ type: 'message' }]],
  ['data:  1\ndata\ndata: 2\n\n', [{ data: ' 1\n\n2' }]],
  ['data: 1\n', []],
])('%j is %j', (text, frames) => {
  expect(read(text).frames).toMatchObject(frames)
})
