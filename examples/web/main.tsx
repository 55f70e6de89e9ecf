/** Starts the app: language, colours, a sign-in that comes back, the service worker. */
import { render } from 'preact'
import { App } from './app.tsx'
import { describe } from './describe.ts'
import { applyLanguage } from './lang/lang.ts'
import { finishSignIn, isReturning, readConfig } from './sign-in.ts'
import { applyColours } from './theme.ts'

/** What to tell about a sign-in that came back; null: nothing. */
async function completeSignIn(): Promise<string | null> {
  if (!isReturning()) return null
  try {
    return await finishSignIn(await readConfig())
  } catch (error) {
    return describe(error)
  }
}

/** Not in the bundle, so not in the page that the bundler writes. */
function addLink(rel: string, href: string): void {
  document.head.append(Object.assign(document.createElement('link'), { rel, href }))
}

applyLanguage()
applyColours(undefined)
addLink('icon', '/demo/icon.svg')
addLink('manifest', '/demo/manifest.webmanifest')
const notice = await completeSignIn()
const root = document.getElementById('app')
if (root) render(<App notice={notice} />, root)
// Without it the app works, only not without a network.
void navigator.serviceWorker?.register('/demo/service-worker.js', { scope: '/demo' }).catch(() => {})
