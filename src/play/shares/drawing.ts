/** Draws the pictures of shared pages as PNG, in a thread, which starts with the first picture and ends when idle. */
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { createSemaphore } from '../../../db/semaphore.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { Art, ReadArt } from './art.ts'
import type { Drawing } from './draw-picture.ts'
import type { Picture } from './pictures.ts'

/** Memory of drawn pictures, of 10 to 400 KB each. */
const KEPT_BYTES = 24 * 1_024 * 1_024
const MAX_WAITING = 8
const IDLE_MS = 60_000
const DRAW_MS = 10_000

const MODULE = '../../../node_modules/@takumi-rs/wasm/pkg/takumi_wasm_bg.wasm'

export function createPictureDrawer(readArt: ReadArt, log: Logger) {
  const kept = new LRUCache<string, Uint8Array<ArrayBuffer>>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength,
  })
  const turns = createSemaphore(1)
  const thread = createThread()

  /** @throws DomainError `overloaded` if too many requests already wait */
  async function drawOnce(drawing: Drawing): Promise<Uint8Array<ArrayBuffer>> {
    // The names of pictures follow their content.
    const name = JSON.stringify(drawing.node)
    const known = kept.get(name)
    if (known) return known
    if (turns.waiting >= MAX_WAITING) throw new DomainError(transportProblems.overloaded, { retryAfter: 2 })
    await turns.acquire()
    try {
      // Another request may have drawn it meanwhile.
      const drawn = kept.get(name) ?? (await thread.draw(drawing))
      kept.set(name, drawn)
      return drawn
    } finally {
      turns.release()
    }
  }

  const drawWith = ({ draw }: Picture, art: ReadonlyMap<string, Art>) =>
    drawOnce({ node: draw(art), images: [...new Map([...art.values()].map(one => [one.src, one])).values()] })

  /** @throws DomainError `overloaded` */
  return async function drawPicture(picture: Picture): Promise<Uint8Array<ArrayBuffer>> {
    const found = await Promise.all(
      [...new Set(picture.urls)].map(async url => [url, await readArt(url)] as const),
    )
    const art = new Map(found.flatMap(([url, one]) => (one ? [[url, one] as const] : [])))
    try {
      return await drawWith(picture, art)
    } catch (error) {
      if (error instanceof DomainError || art.size === 0) throw error
      // A damaged picture of the catalogue.
      log.warn({ error, urls: [...art.keys()] }, 'a share is drawn without its pictures')
      return drawWith(picture, new Map())
    }
  }
}

function createThread() {
  let worker: Worker | undefined
  let idle: Timer | undefined

  function start(): Worker {
    const started = new Worker(join(import.meta.dir, 'draw-picture.ts'), {
      smol: true,
      env: { DRAWING_MODULE: join(import.meta.dir, MODULE) },
    })
    started.unref()
    return started
  }

  function stop() {
    worker?.terminate()
    worker = undefined
  }

  return {
    /** Draws one picture at a time. @throws Error if the thread fails; the next call starts a new thread */
    async draw(drawing: Drawing): Promise<Uint8Array<ArrayBuffer>> {
      clearTimeout(idle)
      worker ??= start()
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
      const late = setTimeout(() => reject(new Error('drawing took too long')), DRAW_MS)
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(`a picture cannot be drawn: ${message}`))
      worker.postMessage(drawing)
      try {
        return await promise
      } catch (error) {
        stop()
        throw error
      } finally {
        clearTimeout(late)
        idle = setTimeout(stop, IDLE_MS)
        idle.unref()
      }
    },
  }
}
