/** Caches the shell of the app, so that it opens without a network. Data of the API is never cached. */

/** The addresses of the shell; set by the build. */
declare const SHELL: string[]

/** The part of a worker's scope that this file uses: its types are incompatible with the types of a page. */
interface WorkerScope {
  addEventListener(type: 'install' | 'activate', listener: (event: Lifecycle) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetch) => void): void
  skipWaiting(): Promise<void>
  clients: { claim(): Promise<void> }
}
interface Lifecycle {
  waitUntil(work: Promise<unknown>): void
}
interface Fetch {
  request: Request
  respondWith(response: Promise<Response>): void
}

// Guarantee of the cast: this file runs as a service worker alone.
const worker = self as unknown as WorkerScope
const PAGE = '/demo'
const CACHE = `matchday shell ${SHELL.join(' ')}`
const KEPT = new Set(SHELL)

worker.addEventListener('install', event => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(cache => cache.addAll(SHELL))
      .then(() => worker.skipWaiting()),
  )
})

worker.addEventListener('activate', event => {
  const removeOld = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name)
    await worker.clients.claim()
  }
  event.waitUntil(removeOld())
})

worker.addEventListener('fetch', event => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => keptOr(PAGE, request)))
  // The names of scripts and styles contain their hash.
  else if (KEPT.has(pathname) && pathname !== PAGE) event.respondWith(keptOr(pathname, request))
})

async function keptOr(path: string, request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(path)) ?? fetch(request)
}
