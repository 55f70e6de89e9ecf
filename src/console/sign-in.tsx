/** Sign-in by a link. Its secret is after `#`, so that servers, proxies and link previews do not receive it. */
import { signal } from '@preact/signals'
import { api } from './api.ts'
import { Button } from './parts/button.tsx'
import { useAction, useResource } from './parts/resource.ts'
import { Failed, Note } from './parts/states.tsx'
import { navigate, useParameter } from './router.tsx'
import { hasEnded, session, signedIn, takeReturnAddress } from './session.ts'

interface OpenedLink {
  secret: string
  /** The person of the link; null: it cannot be used, for the reason in `refusal`. */
  owner: { name: string; role: string } | null
  refusal: unknown
}

export const link = signal<OpenedLink | null>(null)

/** Reads the link in the address, and removes its secret from the address bar and the history. */
export async function openLink(): Promise<void> {
  if (location.pathname !== '/sign-in') return
  const secret = location.hash.slice(1)
  navigate('/', { replace: true })
  if (secret === '') return
  try {
    link.value = { secret, owner: await api.readLink({ secret }), refusal: null }
  } catch (refusal) {
    link.value = { secret, owner: null, refusal }
  }
}

const REFUSALS: Record<string, string> = {
  denied: 'The provider did not sign you in.',
  expired: 'The sign-in took too long, or began in another browser. Try again.',
  no_role: 'Your account has no role in the console. An owner of the provider can give you one.',
  provider:
    'The provider could not sign you in. Try again. If it fails again, ask the people who run the server: its log has the reason.',
}

/** Sign-in with the provider of the staff, if there is one, with the result of the last attempt. */
export function SignInWithProvider() {
  const options = useResource('sign-in options', signal => api.readSignInOptions({}, { signal }))
  const [refused] = useParameter('refused')
  const provider = options.data?.provider
  return (
    <>
      {refused !== '' && <Note tone="bad">{REFUSALS[refused] ?? REFUSALS.provider}</Note>}
      {provider && (
        // A normal link to the page of the provider, in another tab if this one keeps typed text.
        <a
          class="button primary"
          href="/api/session/provider/start"
          target={hasEnded.value ? '_blank' : undefined}
        >
          <span>Sign in with {provider}</span>
        </a>
      )}
    </>
  )
}

/** Only a click uses the link: a preview that opens the page and runs its scripts does not. */
export function SignInWithLink({ of: { secret, owner, refusal } }: { of: OpenedLink }) {
  const signIn = useAction(async () => {
    signedIn(await api.signIn({ secret }))
    link.value = null
    navigate(takeReturnAddress() ?? '/', { replace: true })
  })
  const close = async () => {
    link.value = null
    session.value ??= await api.readSession().catch(() => null)
  }
  return (
    <main class="alone">
      <div class="alone-box">
        <span class="brand-mark" aria-hidden="true" />
        <h1>Sign in to the console</h1>
        {owner ? (
          <>
            <p>
              This link is for <bdi class="strong">{owner.name}</bdi>, {owner.role}. It works once.
            </p>
            {signIn.error !== null && <Failed error={signIn.error} onRetry={close} />}
            <Button kind="primary" busy={signIn.isBusy} onClick={() => signIn.run()}>
              Sign in
            </Button>
          </>
        ) : (
          <Failed error={refusal} onRetry={close} />
        )}
      </div>
    </main>
  )
}
