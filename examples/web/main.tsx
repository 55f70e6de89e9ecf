/** Starts the app: language, colours, a sign-in that comes back, the service worker. */
import { render } from 'preact'
import { App } from './app.tsx'
import { applyLanguage } from './lang/lang.ts'
import { describe } from './load.tsx'
import { finishSignIn, isReturning, readConfig } from './sign-in.ts'
import { applyColours } from './theme.ts'

/** Why a sign-in that came back did not succeed; null without one. */
async function completeSignIn(): Promise<string | null> {
  if (!isReturning()) return null
  try {
    await finishSignIn(await readConfig())
    return null
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
const refused = await completeSignIn()
const root = document.getElementById('app')
if (root) render(<App refused={refused} />, root)
// Without it the app works, only not without a network.
void navigator.serviceWorker?.register('/demo/service-worker.js', { scope: '/demo' }).catch(() => {})
