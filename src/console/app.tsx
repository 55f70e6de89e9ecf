/** Chooses the screen by the session, the address and the permissions of the role. */
import { signal } from '@preact/signals'
import { api, hasCode } from './api.ts'
import { AreaScreen } from './area-screen.tsx'
import { AREAS, type Area } from './areas.ts'
import { findFans } from './find-fans.ts'
import { route } from './router.tsx'
import { NotAllowed, NotFound, SessionEnded, SignedOut, Starting } from './screens.tsx'
import { hasEnded, may, session, signedIn } from './session.ts'
import { Shell } from './shell.tsx'
import { link, openLink, SignInWithLink } from './sign-in.tsx'

const failure = signal<unknown>(null)

/** Reads the link in the address, if there is one, and the session of the cookie. */
export async function start(): Promise<void> {
  failure.value = null
  try {
    await openLink()
    signedIn(await api.readSession())
  } catch (error) {
    if (!hasCode(error, 'session_required')) failure.value = error
  }
}

export function App() {
  const current = session.value
  if (link.value) return <SignInWithLink of={link.value} />
  if (current === null) return <SignedOut onRetry={start} />
  if (current === undefined) return <Starting error={failure.value} onRetry={start} />
  const areas: Area[] = AREAS.filter(({ permission }) => may(permission))
  const [path = ''] = route.value
  const area = AREAS.find(one => one.path === path)
  return (
    <>
      <div class="kept" hidden={hasEnded.value}>
        {/* Nothing of one person is shown to another. */}
        <Shell
          key={current.staff.id}
          of={current}
          areas={areas}
          findFans={may('fans.read') ? findFans : undefined}
        >
          {!area ? (
            <NotFound />
          ) : may(area.permission) ? (
            <AreaScreen key={area.path} area={area} />
          ) : (
            <NotAllowed role={current.staff.role} />
          )}
        </Shell>
      </div>
      {hasEnded.value && <SessionEnded error={failure.value} onRetry={start} />}
    </>
  )
}
