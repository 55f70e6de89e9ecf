/** Starts the app: language, colours, completion of a sign-in, the service worker. */
import { render } from 'preact'
import { App } from './app.tsx'
import { describe } from './describe.ts'
import { keepInvitation } from './invitation.ts'
import { applyLanguage } from './lang/lang.ts'
import { finishSignIn, isReturning, readConfig } from './sign-in.ts'
import { applyColours } from './theme.ts'

/** The message for a completed sign-in; null: none. */
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
keepInvitation()
applyColours(undefined)
addLink('icon', '/demo/icon.svg')
addLink('manifest', '/demo/manifest.webmanifest')
const notice = await completeSignIn()
const root = document.getElementById('app')
root?.replaceChildren()
if (root) render(<App notice={notice} />, root)
// Without it, the app needs a network.
void navigator.serviceWorker?.register('/demo/service-worker.js', { scope: '/demo' }).catch(() => {})
