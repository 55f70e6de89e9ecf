/**
 * The picture of a locker for link previews: a PNG. A thread draws it, which starts with the first picture and ends when
 * idle.
 */
import { join } from 'node:path'
import type { Node } from '@takumi-rs/wasm'
import { LRUCache } from 'lru-cache'
import { createSemaphore } from '../../../db/semaphore.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { Drawing } from './draw-picture.ts'
import type { ShownLocker } from './schema.ts'

/** The size that clients of Open Graph expect. */
export const PICTURE = { width: 1200, height: 630 }

/** Maximum pictures in memory, about 10 KB each. */
const MAX_KEPT = 300
const MAX_WAITING = 8
const IDLE_MS = 60_000
const DRAW_MS = 10_000

const MODULE = '../../../node_modules/@takumi-rs/wasm/pkg/takumi_wasm_bg.wasm'

export function createPictureDrawer() {
  const kept = new LRUCache<string, Uint8Array<ArrayBuffer>>({ max: MAX_KEPT })
  const turns = createSemaphore(1)
  const thread = createThread()
  /** @throws DomainError `overloaded` if too many requests already wait */
  return async function drawPicture(locker: ShownLocker): Promise<Uint8Array<ArrayBuffer>> {
    const node = pictureOf(locker)
    const name = JSON.stringify(node)
    const known = kept.get(name)
    if (known) return known
    if (turns.waiting >= MAX_WAITING) throw new DomainError(transportProblems.overloaded, { retryAfter: 2 })
    await turns.acquire()
    try {
      // Another request may have drawn it meanwhile.
      const drawn = kept.get(name) ?? (await thread.draw({ node, ...PICTURE }))
      kept.set(name, drawn)
      return drawn
    } finally {
      turns.release()
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

/** Whether the built-in font has all characters: it has Latin letters, digits and punctuation. */
const isDrawable = (text: string) => /^[\x20-\x7e\u00a0-\u024f\u2010-\u2027\u2030-\u203a]+$/.test(text)

const MAX_CARDS = 6

type Theme = ShownLocker['theme']

const BACKGROUNDS: Record<Theme, [from: string, to: string]> = {
  classic: ['#0e5a3a', '#07301f'],
  night: ['#1b2350', '#080b1c'],
  pitch: ['#2a7d3f', '#114d22'],
  terrace: ['#8a3b1c', '#3d1608'],
}

const text = (text: string, style: object): Node => ({
  type: 'text',
  text,
  style: { color: '#ffffff', ...style },
})

const ONE_LINE = { overflow: 'hidden', whiteSpace: 'nowrap', textOverflow: 'ellipsis' }

/**
 * Leaves out a title with characters that the font lacks. Handles have none of these, and items show only their serial
 * numbers.
 */
function pictureOf({ handle, title, theme, shelves }: ShownLocker): Node {
  const items = shelves.flatMap(shelf => shelf.items)
  const [from, to] = BACKGROUNDS[theme]
  const heading = isDrawable(title) ? [text(title, { fontSize: 72, fontWeight: 700, ...ONE_LINE })] : []
  return {
    type: 'container',
    style: {
      display: 'flex',
      flexDirection: 'column',
      justifyContent: 'space-between',
      width: '100%',
      height: '100%',
      padding: 72,
      backgroundImage: `linear-gradient(160deg, ${from}, ${to})`,
    },
    children: [
      {
        type: 'container',
        style: { display: 'flex', flexDirection: 'column', gap: 12, width: '100%' },
        children: [
          ...heading,
          text(`@${handle}`, { fontSize: heading.length > 0 ? 44 : 72, fontWeight: 700, opacity: 0.85 }),
          text(countOf(items.length), { fontSize: 34, opacity: 0.7 }),
        ],
      },
      {
        type: 'container',
        style: { display: 'flex', gap: 20 },
        children: items.slice(0, MAX_CARDS).map(({ serialNumber }) => cardOf(serialNumber)),
      },
    ],
  }
}

export const countOf = (items: number) => (items === 1 ? '1 item' : `${items} items`)

const cardOf = (serialNumber: number): Node => ({
  type: 'container',
  style: {
    display: 'flex',
    alignItems: 'flex-end',
    justifyContent: 'center',
    width: 156,
    height: 208,
    paddingBottom: 18,
    borderRadius: 16,
    backgroundColor: 'rgba(255, 255, 255, 0.14)',
    border: '3px solid rgba(255, 255, 255, 0.45)',
  },
  children: [text(`No. ${serialNumber}`, { fontSize: serialNumber < 10_000 ? 28 : 22 })],
})
