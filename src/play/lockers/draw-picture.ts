/** The thread that draws pictures of lockers: see `picture.ts`. Drawing the first one takes about a second. */
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { initSync, type Node, Renderer } from '@takumi-rs/wasm'

export interface Drawing {
  node: Node
  width: number
  height: number
}

let renderer: Renderer | undefined

function createRenderer() {
  initSync({ module: readFileSync(process.env.DRAWING_MODULE ?? '') })
  return new Renderer()
}

// Null outside of a thread.
parentPort?.on('message', async ({ node, width, height }: Drawing) => {
  renderer ??= createRenderer()
  parentPort?.postMessage(await renderer.render(node, { width, height, format: 'png' }))
})
