/**
 * Caches the shell of the app, so that it opens without a network. Data of the API is never cached. Shows pushes, and opens what
 * they are about.
 */

/** The addresses of the shell; set by the build. */
declare const SHELL: string[]

/** The part of a worker's scope that this file uses: its types are incompatible with the types of a page. */
interface WorkerScope {
  addEventListener(type: 'install' | 'activate', listener: (event: Lifecycle) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetch) => void): void
  addEventListener(type: 'push', listener: (event: Push) => void): void
  addEventListener(type: 'notificationclick', listener: (event: Click) => void): void
  skipWaiting(): Promise<void>
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window' }): Promise<Window[]>
    openWindow(url: string): Promise<unknown>
  }
  registration: ServiceWorkerRegistration
}
interface Window {
  navigate(url: string): Promise<unknown>
  focus(): Promise<unknown>
}
interface Push extends Lifecycle {
  data: { json(): unknown } | null
}
interface Click extends Lifecycle {
  notification: Notification
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

worker.addEventListener('push', event => {
  // Guarantee of the cast: the API sends what docs/push.md says.
  const message = event.data?.json() as PushMessage | undefined
  if (!message) return
  const { title, body, url, imageUrl, tag } = message
  const shown = {
    body,
    data: url,
    icon: `${PAGE}/icon.svg`,
    image: imageUrl ?? undefined,
    tag: tag ?? undefined,
  }
  event.waitUntil(worker.registration.showNotification(title, shown))
})

interface PushMessage {
  title: string
  body: string
  /** An https URL, or a path of the app. */
  url: string | null
  imageUrl: string | null
  tag: string | null
}

worker.addEventListener('notificationclick', event => {
  const { notification } = event
  notification.close()
  const url: unknown = notification.data
  event.waitUntil(open(typeof url === 'string' ? url : '/inbox'))
})

/** In a window of the app, if there is one. */
async function open(url: string): Promise<void> {
  if (!url.startsWith('/')) return void (await worker.clients.openWindow(url))
  const target = PAGE + url
  const [window] = await worker.clients.matchAll({ type: 'window' })
  if (!window) return void (await worker.clients.openWindow(target))
  await window.navigate(target)
  await window.focus()
}

async function keptOr(path: string, request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(path)) ?? fetch(request)
}
