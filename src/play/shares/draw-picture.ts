/** The thread that draws pictures of shared pages: see `drawing.ts`. Drawing the first one takes about a second. */
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { initSync, type Node, Renderer } from '@takumi-rs/wasm'

export interface Drawing {
  node: Node
  /** Named by the node. */
  images: { src: string; data: Uint8Array<ArrayBuffer> }[]
}

/** The size that clients of Open Graph expect. */
const SIZE = { width: 1200, height: 630 }

let renderer: Renderer | undefined

function createRenderer() {
  initSync({ module: readFileSync(process.env.DRAWING_MODULE ?? '') })
  return new Renderer()
}

// Null outside of a thread.
parentPort?.on('message', async ({ node, images }: Drawing) => {
  renderer ??= createRenderer()
  parentPort?.postMessage(await renderer.render(node, { ...SIZE, images, format: 'png' }))
})
