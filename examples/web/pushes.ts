/** Pushes to this browser: whether the fan may be asked, and its subscription. */
import { readPushKey, subscribeBrowser } from './api.ts'

/** That the fan has been asked. The next fan at this browser is asked too. */
const ASKED = 'matchday asked for pushes'

/** Whether this browser and the club can push, and the fan has neither answered here nor in the settings of the browser. */
export const mayAsk = async (): Promise<boolean> =>
  'serviceWorker' in navigator &&
  'PushManager' in window &&
  'Notification' in window &&
  Notification.permission !== 'denied' &&
  localStorage.getItem(ASKED) === null &&
  (await readPushKey().catch(() => null)) !== null

export const markAsked = () => localStorage.setItem(ASKED, 'yes')

/** Asks by the dialog of the browser, which needs a click before. False: the fan or the browser refuses. */
export async function turnOn(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  await subscribeBrowser(await navigator.serviceWorker.ready)
  return true
}

/** At a sign-out. */
export const forgetAsked = () => localStorage.removeItem(ASKED)
