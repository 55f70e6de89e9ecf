/** The inbox, devices and preferences of `@matchday/client`, against the real application. */
import { beforeAll, expect, test } from 'bun:test'
import { type ClientOptions, createClient, type StreamEvent, unwrap } from '@matchday/client'
import { newSubscription } from '../delivery/push/push-world.ts'
import { addNotification, happens, knownFan } from '../fan/messages/messages-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'

/** A browser that has at most one subscription, and refuses another key while it has one. */
function newBrowser({ allows = true } = {}) {
  let current: { key: string; subscription: ReturnType<typeof newSubscription>['subscription'] } | null = null
  const shown = () => {
    if (current === null) return null
    const { subscription } = current
    return {
      endpoint: subscription.endpoint,
      toJSON: () => subscription,
      unsubscribe: async () => {
        current = null
        return true
      },
    }
  }
  const pushManager = {
    getSubscription: async () => shown(),
    subscribe: async ({ applicationServerKey: key }: { applicationServerKey: string }) => {
      if (!allows) throw new Error('The fan has refused.')
      if (current !== null && current.key !== key) throw new Error('It has another key.')
      current ??= { key, subscription: newSubscription().subscription }
      const subscribed = shown()
      if (!subscribed) throw new Error('there is a subscription')
      return subscribed
    },
  }
  return { pushManager, endpoint: () => current?.subscription.endpoint ?? null }
}

onEngine(sqliteEngine, 'Messages of the client', world => {
  let origin: string
  beforeAll(async () => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
    await addNotification(world, { id: 'told', title: 'Number {{/n}}' })
  })

  async function signedIn(options: Partial<ClientOptions> = {}) {
    const fan = await knownFan(world)
    const client = createClient({ origin, ...options })
    await unwrap(client.session.signIn(await world.idp.issueToken(fan.subject)))
    return { ...client, fan }
  }

  test('messages are listed, read, opened and deleted, and the stream tells how many are unread', async () => {
    const { fan, inbox, follow } = await signedIn()
    const told: number[] = []
    const opened: boolean[] = []
    const onEvent = (event: StreamEvent) => {
      if (event.type === 'inbox') told.push(event.data.unread)
    }
    const end = follow(['me'], onEvent, { onConnection: isOpen => void opened.push(isOpen) })
    await waitUntil('the stream is open', () => opened.length > 0)
    for (const n of [1, 2, 3, 4]) {
      world.clock.advance(1_000)
      await happens(world, fan.id, { n })
    }
    await waitUntil('the stream tells it', () => told.at(-1) === 4)
    end()
    const { messages, unread } = await unwrap(inbox.list({ limit: 3 }))
    expect([messages.map(({ title }) => title), unread]).toEqual([['Number 4', 'Number 3', 'Number 2'], 4])
    const [newest, second, third] = messages
    expect(await unwrap(inbox.read([newest?.id ?? '']))).toEqual({ unread: 3 })
    expect(await unwrap(inbox.opened(second?.id ?? ''))).toEqual({ unread: 2 })
    expect(await unwrap(inbox.readUntil(third?.createdAt ?? ''))).toEqual({ unread: 0 })
    await unwrap(inbox.remove(newest?.id ?? ''))
    const left = await unwrap(inbox.list())
    expect(left.messages.map(({ title }) => title)).toEqual(['Number 3', 'Number 2', 'Number 1'])
    expect((await inbox.remove(newest?.id ?? '')).error?.code).toBe('message_not_found')
  })

  test('a browser is one device, however often it subscribes, and none after it has ended that', async () => {
    const { devices } = await signedIn()
    const browser = newBrowser()
    const first = await unwrap(devices.subscribe(browser))
    expect(first).toMatchObject({ kind: 'webpush', matchId: null })
    expect(await unwrap(devices.subscribe(browser))).toMatchObject({ deviceId: first.deviceId })
    expect((await unwrap(devices.list())).devices.map(({ deviceId }) => deviceId)).toEqual([first.deviceId])
    expect(await devices.unsubscribe(browser)).toBe(true)
    expect([(await unwrap(devices.list())).devices, browser.endpoint()]).toEqual([[], null])
    expect(await devices.unsubscribe(browser)).toBe(false)
  })

  test('a subscription with another key is replaced', async () => {
    const { devices } = await signedIn()
    const browser = newBrowser()
    await browser.pushManager.subscribe({ applicationServerKey: 'of-another-club' })
    const before = browser.endpoint()
    await unwrap(devices.subscribe(browser))
    expect(browser.endpoint()).not.toBe(before)
  })

  test('what the browser refuses is a problem, and registers nothing', async () => {
    const { devices } = await signedIn()
    const { error } = await devices.subscribe(newBrowser({ allows: false }))
    expect(error).toMatchObject({ code: 'request_not_sent', detail: 'The fan has refused.' })
    expect((await unwrap(devices.list())).devices).toEqual([])
  })

  test('a club without Web Push is a problem, and asks the browser for nothing', async () => {
    const withoutKey = async (url: string, init: RequestInit) =>
      new URL(url).pathname === '/api/user/devices'
        ? Response.json({ devices: [], vapidPublicKey: null })
        : fetch(url, init)
    const { devices } = await signedIn({ fetch: withoutKey })
    const browser = newBrowser()
    const { error } = await devices.subscribe(browser)
    expect([error?.code, browser.endpoint()]).toEqual(['request_not_sent', null])
  })

  test('an app registers its own token, and removes it', async () => {
    const { devices } = await signedIn()
    await unwrap(devices.register({ deviceId: 'phone', kind: 'fcm', token: 'a-token' }))
    expect((await unwrap(devices.list())).devices).toMatchObject([{ deviceId: 'phone', kind: 'fcm' }])
    await unwrap(devices.remove('phone'))
    expect((await unwrap(devices.list())).devices).toEqual([])
  })

  test('preferences change by member', async () => {
    const { notifications } = await signedIn()
    const before = await unwrap(notifications.read())
    const changed = await unwrap(notifications.change({ match: { push: false } }))
    expect(changed).toEqual({ ...before, match: { push: false, inbox: true } })
    expect(await unwrap(notifications.read())).toEqual(changed)
  })
})
