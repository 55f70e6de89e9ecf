/** Messages to a fan: the inbox, the devices that get pushes, and what the fan wants to get. */
import { bytesOf, sha256 } from './digest.ts'
import type { Api, CallOptions, Input, Result } from './operations.ts'
import { clientFailure } from './problems.ts'

type Listed = Input<'listInbox'>
type Preferences = Input<'changeNotificationPreferences'>
type NotListed = Extract<Result<'listDevices'>, { data: null }>

/** A `ServiceWorkerRegistration` of a browser. */
export interface PushRegistration {
  pushManager: {
    getSubscription(): Promise<BrowserSubscription | null>
    subscribe(options: { userVisibleOnly: true; applicationServerKey: string }): Promise<BrowserSubscription>
  }
}

interface BrowserSubscription {
  endpoint: string
  toJSON(): { keys?: Record<string, string> }
  unsubscribe(): Promise<boolean>
}

export interface Inbox {
  /** A page, newest first, with the number of `unread` messages. */
  list(input?: Listed, options?: CallOptions): Promise<Result<'listInbox'>>
  read(ids: string[], options?: CallOptions): Promise<Result<'readMessages'>>
  /** The fan has opened the `url` of a message: counted by the report of its campaign. */
  opened(id: string, options?: CallOptions): Promise<Result<'readMessages'>>
  /** All that are not newer than the newest message that was shown. */
  readUntil(createdAt: string, options?: CallOptions): Promise<Result<'readMessages'>>
  remove(messageId: string, options?: CallOptions): Promise<Result<'deleteMessage'>>
}

export interface Devices {
  list(options?: CallOptions): Promise<Result<'listDevices'>>
  register(input: Input<'registerDevice'>, options?: CallOptions): Promise<Result<'registerDevice'>>
  remove(deviceId: string, options?: CallOptions): Promise<Result<'removeDevice'>>
  /**
   * Subscribes a browser to the pushes of the club. Call it after a click, once the fan has allowed notifications. What the browser
   * refuses, or a club without Web Push, is `request_not_sent`.
   */
  subscribe(
    registration: PushRegistration,
    options?: CallOptions,
  ): Promise<Result<'registerDevice'> | NotListed>
  /** Ends it, also at a sign-out: the next fan at this browser must not get the pushes. True if there was a subscription. */
  unsubscribe(registration: PushRegistration, options?: CallOptions): Promise<boolean>
}

export interface Notifications {
  read(options?: CallOptions): Promise<Result<'readNotificationPreferences'>>
  /** Members that are left out stay. */
  change(preferences: Preferences, options?: CallOptions): Promise<Result<'changeNotificationPreferences'>>
}

export interface MessagesOfFan {
  inbox: Inbox
  devices: Devices
  notifications: Notifications
}

export const createMessages = (api: Api): MessagesOfFan => ({
  inbox: {
    list: (input, options) => api.listInbox(input, options),
    read: (ids, options) => api.readMessages({ ids }, options),
    opened: (id, options) => api.readMessages({ ids: [id], clicked: true }, options),
    readUntil: (until, options) => api.readMessages({ until }, options),
    remove: (messageId, options) => api.deleteMessage({ messageId }, options),
  },
  devices: {
    list: options => api.listDevices({}, options),
    register: (input, options) => api.registerDevice(input, options),
    remove: (deviceId, options) => api.removeDevice({ deviceId }, options),
    async subscribe({ pushManager }, options) {
      const listed = await api.listDevices({}, options)
      if (listed.error !== null) return listed
      const { vapidPublicKey } = listed.data
      if (vapidPublicKey === null)
        return clientFailure('request_not_sent', 'The club sends no Web Push.', listed.response)
      try {
        const browser = await subscribe(pushManager, vapidPublicKey)
        const { endpoint } = browser
        const { p256dh = '', auth = '' } = browser.toJSON().keys ?? {}
        const subscription = { endpoint, keys: { p256dh, auth } }
        const deviceId = await deviceIdOf(endpoint)
        return await api.registerDevice({ deviceId, kind: 'webpush', subscription }, options)
      } catch (error) {
        return clientFailure('request_not_sent', error)
      }
    },
    async unsubscribe({ pushManager }, options) {
      const browser = await pushManager.getSubscription()
      if (!browser) return false
      // Without a response, the service tells the club that the subscription is gone.
      await api.removeDevice({ deviceId: await deviceIdOf(browser.endpoint) }, options)
      return browser.unsubscribe()
    },
  },
  notifications: {
    read: options => api.readNotificationPreferences({}, options),
    change: (preferences, options) => api.changeNotificationPreferences(preferences, options),
  },
})

/** A subscription with another key, such as an earlier one of the club, is replaced: browsers refuse two keys. */
async function subscribe(pushManager: PushRegistration['pushManager'], applicationServerKey: string) {
  const options = { userVisibleOnly: true, applicationServerKey } as const
  try {
    return await pushManager.subscribe(options)
  } catch (error) {
    const earlier = await pushManager.getSubscription()
    if (!earlier) throw error
    await earlier.unsubscribe()
    return pushManager.subscribe(options)
  }
}

/** The same for the same subscription, so that the app keeps nothing. */
const deviceIdOf = async (endpoint: string) => `browser-${(await sha256(bytesOf(endpoint))).slice(0, 32)}`
